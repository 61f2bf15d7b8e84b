/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions and subtotals: what the program says of itself while it runs. Rare, so under the table's lock. */
#ifndef FM_RUNTIME_REGION_H
#define FM_RUNTIME_REGION_H

#include "runtime/runtime.h"

enum { FM_NAME_BYTES = 56 };

/* Names are cut to 55 bytes. Both do nothing while nothing is measured. */
void fm_region_begin(const char *name);
/* Ends the innermost open region of that name and those inside it; an unmatched end is counted, never fatal. */
void fm_region_end(const char *name);
void fm_snapshot(const char *label, bool collective);

#endif
