/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a query for people and other programs. */
#ifndef FM_SITE_STORE_PRINT_H
#define FM_SITE_STORE_PRINT_H

#include <stdio.h>

#include "site/store/engine.h"

enum fm_query_format { FM_QUERY_TABLE, FM_QUERY_CSV, FM_QUERY_JSON };

/* Runs the query. A table is kept in memory until its columns are known to fit; the other formats are written row by
 * row, with exact numbers. */
enum fm_status fm_query_print(struct fm_query *query, enum fm_query_format format, FILE *out, struct fm_error *error);

/* A value as a text: numbers in the shortest form that reads back the same, NULL as "", bytes by their number. Valid until
 * the next row, or as long as `buffer`. */
enum { FM_VALUE_TEXT_BYTES = 40 };
const char *fm_value_text(const struct fm_query *query, int column, char buffer[FM_VALUE_TEXT_BYTES]);

#endif
