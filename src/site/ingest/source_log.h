/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that rsyslog writes (doc/SITE.md, "What the log looks like"): read from where it was left, through its rotation.
 *
 * A position is "DEVICE:INODE:OFFSET". If the file has another inode than last time it was rotated: the old one is looked
 * for under other names in the same directory and read to its end first. A file that became shorter is read from its
 * start. A last line without a line feed is left for later. */
#ifndef FM_SITE_INGEST_SOURCE_LOG_H
#define FM_SITE_INGEST_SOURCE_LOG_H

#include "site/ingest/ingest.h"

/* Reads everything that is there now and commits it. */
enum fm_status fm_source_log_read(struct fm_ingest *ingest, const char *path, struct fm_error *error);

#endif
