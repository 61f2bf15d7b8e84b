/* SPDX-License-Identifier: BSD-3-Clause */
/* State of writing a file: columns of a section (doc/FORMAT.md), from the fields of the model. Every section is visited
 * twice: first to collect its strings, then to write it. A failure sets `failed` and does not stop the writer. */
#ifndef FM_FORMAT_COLUMN_WRITER_H
#define FM_FORMAT_COLUMN_WRITER_H

#include "base/intern.h"
#include "format/layout.h"
#include "format/pack.h"

struct fm_column_writer {
    struct fm_arena scratch;
    const struct fm_profile *profile;
    struct fm_call_paths paths; /* the part of the profile's that is written */
    struct fm_path_form path_form;
    struct fm_sequence sequence; /* the same */
    bool large;                  /* "Large jobs" of doc/FORMAT.md */
    bool exact;                  /* lossless: not for users */
    bool collecting, failed;
    struct fm_intern strings; /* number = index in the sorted table */
    struct fm_packer pack;
    uint64_t *column;
    size_t column_capacity;
    uint8_t *out; /* the file so far */
    size_t n_out, out_capacity;
};

uint64_t *fm_put_room(struct fm_column_writer *w,
                      size_t n); /* for a column; valid until the next call; NULL if out of memory */

/* For n items, `stride` bytes apart. */
void fm_put_number(struct fm_column_writer *w, uint64_t value);
void fm_put_fields(struct fm_column_writer *w, const struct fm_fields *fields, const void *items, size_t n,
                   size_t stride);
void fm_put_ranksets(struct fm_column_writer *w, const void *sets, size_t n, size_t stride);
void fm_put_stats(struct fm_column_writer *w, const void *stats, size_t n, size_t stride);
/* Writes the number of items of each nested list; returns all their items as one array, NULL if out of memory. */
const void *fm_put_lists(struct fm_column_writer *w, const struct fm_nested *nested, const void *outer, size_t n,
                         size_t stride, size_t *total);

#endif
