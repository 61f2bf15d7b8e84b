/* SPDX-License-Identifier: BSD-3-Clause */
/* A file being written: columns of a section (doc/FORMAT.md), from the fields of the model. All sections are walked
 * twice: first only their strings are collected, then they are written. What fails sets `failed` and is passed over. */
#ifndef FM_FORMAT_COLUMN_WRITER_H
#define FM_FORMAT_COLUMN_WRITER_H

#include "base/intern.h"
#include "format/layout.h"
#include "format/pack.h"

struct fm_column_writer {
    struct fm_arena scratch;
    const struct fm_profile *profile;
    struct fm_call_paths paths; /* as many of the profile's as are written */
    struct fm_path_form path_form;
    struct fm_sequence sequence; /* likewise */
    bool large;                  /* "Large jobs" of doc/FORMAT.md */
    bool exact;                  /* not for users: it loses nothing */
    bool collecting, failed;
    struct fm_intern strings; /* number = index in the sorted table */
    struct fm_packer pack;
    uint64_t *column;
    size_t column_capacity;
    uint8_t *out; /* the file so far */
    size_t n_out, out_capacity;
};

uint64_t *fm_put_room(struct fm_column_writer *w,
                      size_t n); /* for a column; valid until the next call; NULL: no memory */

/* Of n items, each `stride` bytes after the one before. */
void fm_put_number(struct fm_column_writer *w, uint64_t value);
void fm_put_fields(struct fm_column_writer *w, const struct fm_fields *fields, const void *items, size_t n,
                   size_t stride);
void fm_put_ranksets(struct fm_column_writer *w, const void *sets, size_t n, size_t stride);
void fm_put_stats(struct fm_column_writer *w, const void *stats, size_t n, size_t stride);
/* The numbers of items of nested lists, and all their items in one list; NULL: no memory. */
const void *fm_put_lists(struct fm_column_writer *w, const struct fm_nested *nested, const void *outer, size_t n,
                         size_t stride, size_t *total);

#endif
