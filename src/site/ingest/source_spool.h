/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory with records, one document per file NAME.json. The user is the owner of the file. Files are removed once
 * their record is committed; those that are refused, too. Everything else in the directory is left alone. */
#ifndef FM_SITE_INGEST_SOURCE_SPOOL_H
#define FM_SITE_INGEST_SOURCE_SPOOL_H

#include "site/ingest/ingest.h"

enum fm_status fm_source_spool_read(struct fm_ingest *ingest, const char *directory, struct fm_error *error);

#endif
