/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values as in RFC 4180: CRLF, fields quoted if necessary, quotes doubled. Control characters become
 * '?', and a field that a spreadsheet would take for a formula (=, +, -, @) is prefixed with an apostrophe. */
#ifndef FM_RENDER_CSV_H
#define FM_RENDER_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct fm_csv {
    FILE *out;
    bool within_row;
};

void fm_csv_text(struct fm_csv *csv, const char *text);
void fm_csv_whole(struct fm_csv *csv, uint64_t number);
void fm_csv_number(struct fm_csv *csv, double number);
void fm_csv_seconds(struct fm_csv *csv, uint64_t ns);
void fm_csv_end_row(struct fm_csv *csv);

#endif
