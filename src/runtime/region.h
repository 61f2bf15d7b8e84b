/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions and snapshots, which the program requests while it runs. They are rare, so they use the table's lock. */
#ifndef FM_RUNTIME_REGION_H
#define FM_RUNTIME_REGION_H

#include "runtime/runtime.h"

enum { FM_NAME_BYTES = 56 };

/* Names are truncated to 55 bytes. Both functions do nothing if the process is not measured. */
void fm_region_begin(const char *name);
/* Ends the innermost open region of that name and all regions inside it. An unmatched end is counted, never fatal. */
void fm_region_end(const char *name);
void fm_snapshot(const char *label, bool collective);

#endif
