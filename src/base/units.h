/* SPDX-License-Identifier: BSD-3-Clause */
/* Human-readable numbers, the same everywhere: 12.3 s, 4.5 ms, 1.2 MiB, 1,234,567.
 *
 * Each function fills the caller's buffer of at least FM_UNIT_CHARS bytes and returns it.
 * One space separates number and unit, so that a table can align both. The decimal point and the comma do not depend
 * on the program's locale. */
#ifndef FM_BASE_UNITS_H
#define FM_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FM_UNIT_CHARS = 32 };

const char *fm_time_text(char *buffer, double ns);         /* 41 ns, 4.5 ms, 12.3 s, 1,234 s, 27.8 h */
const char *fm_time_fine(char *buffer, double ns);         /* four digits: 41 ns, 4.512 ms, 12.34 s, 1,234 s */
const char *fm_bytes_text(char *buffer, double bytes);     /* 8 B, 1.2 MiB */
const char *fm_rate_text(char *buffer, double per_second); /* 1.2 MiB/s */
const char *fm_count_text(char *buffer, uint64_t count);   /* 1,234,567; 12.3 M from ten million on */
const char *fm_mean_text(char *buffer, double mean);       /* a count that may have a fraction: 128, 127.5 */
const char *fm_decimal_text(char *buffer, double value, unsigned decimals); /* 1,234.50 */
const char *fm_percent_text(char *buffer, double fraction);  /* 34.1, without the sign; <0.1 if not zero */
const char *fm_percent_whole(char *buffer, double fraction); /* 34 %, for sentences; <1 % if not zero */
const char *fm_percent_fine(char *buffer, double fraction);  /* 34 %, 0.34 %: two digits; <0.001 % if not zero */
const char *fm_date_text(char *buffer, uint64_t real_ns);    /* 2026-11-15 02:00:00 UTC; "" for 0 */
const char *fm_date_iso(char *buffer, uint64_t real_ns);     /* 2026-11-15T02:00:00Z; "" for 0 */

uint64_t fm_rounded(double number); /* to the nearest integer; saturates */

/* Exact, for other programs: seconds with nine decimals. */
void fm_print_seconds(FILE *out, uint64_t ns);

#endif
