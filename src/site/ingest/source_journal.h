/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of systemd, read through journalctl. The user is _UID, which journald has from the kernel. A position is a
 * cursor. */
#ifndef FM_SITE_INGEST_SOURCE_JOURNAL_H
#define FM_SITE_INGEST_SOURCE_JOURNAL_H

#include "site/ingest/ingest.h"

/* Reads everything that is there now and commits it. directory: with journal files; NULL: the system's journal. */
enum fm_status fm_source_journal_read(struct fm_ingest *ingest, const char *directory, struct fm_error *error);

#endif
