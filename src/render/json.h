/* SPDX-License-Identifier: BSD-3-Clause */
/* A small streaming JSON writer. Containers are opened and closed in pairs; inside an object every call takes a key,
 * inside an array the key is NULL. An `inline` container is written on one line. Invalid UTF-8 is replaced by U+FFFD,
 * so that the document can always be parsed. */
#ifndef FM_RENDER_JSON_H
#define FM_RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FM_JSON_DEPTH = 1024 }; /* nesting limit */

struct fm_json {
    FILE *out;
    unsigned depth;
    struct {
        char close;
        bool inline_, used;
    } levels[FM_JSON_DEPTH];
};

enum fm_json_style { FM_JSON_LINES, FM_JSON_INLINE };

void fm_json_object(struct fm_json *json, const char *key, enum fm_json_style style);
void fm_json_array(struct fm_json *json, const char *key, enum fm_json_style style);
void fm_json_end(struct fm_json *json); /* closes the innermost container; the last one ends the line */

void fm_json_text(struct fm_json *json, const char *key, const char *text);
void fm_json_whole(struct fm_json *json, const char *key, uint64_t number);
void fm_json_signed(struct fm_json *json, const char *key, int64_t number);
void fm_json_number(struct fm_json *json, const char *key, double number); /* six decimals; null if not finite */
void fm_json_real(struct fm_json *json, const char *key, double number);   /* exact; null if not finite */
void fm_json_seconds(struct fm_json *json, const char *key, uint64_t ns);  /* nine decimals */
void fm_json_bool(struct fm_json *json, const char *key, bool value);
void fm_json_raw(struct fm_json *json, const char *key, const char *document); /* a valid document */
void fm_json_null(struct fm_json *json, const char *key);
void fm_json_number_or_null(struct fm_json *json, const char *key, bool known, double number);

#endif
