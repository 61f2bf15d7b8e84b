/* SPDX-License-Identifier: BSD-3-Clause */
/* State of reading a file: the counterpart of format/column_writer.h. The first error is kept in `wrong`; all calls
 * after it do nothing. */
#ifndef FM_FORMAT_COLUMN_READER_H
#define FM_FORMAT_COLUMN_READER_H

#include "base/progress.h"
#include "format/layout.h"
#include "format/pack.h"

struct fm_column_reader {
    struct fm_arena scratch;
    struct fm_profile *profile;
    struct fm_unpacker unpack;
    unsigned version;
    size_t section_bytes;
    const char *wrong; /* description of the problem with the data */
    bool no_memory;
    const char **strings; /* [0] = "" */
    size_t n_strings;
    uint64_t *column;
    size_t column_capacity;
    const uint8_t *begin; /* of the file, which has `size` bytes */
    size_t size;
    struct fm_progress *progress; /* or NULL */
};

bool fm_column_reader_stopped(struct fm_column_reader *r);
void *fm_column_reader_take(struct fm_column_reader *r, struct fm_arena *arena, size_t n, size_t item_size);

/* The number of items that follow. A byte of the file cannot hold more than about 700 numbers (doc/FORMAT.md), so a
 * larger count is invalid; this bounds how much memory a small file can make us allocate. */
size_t fm_get_count(struct fm_column_reader *r, size_t columns);
/* The result is valid until the next call; NULL after an error. before: as in fm_unpack_column, or NULL. */
uint64_t *fm_get_column(struct fm_column_reader *r, size_t n, const uint32_t *before);
/* The sum of a column of counts, limited like any count. */
size_t fm_get_total(struct fm_column_reader *r, const uint64_t *column, size_t n, uint64_t max);

void fm_get_fields(struct fm_column_reader *r, const struct fm_fields *fields, void *items, size_t n, size_t stride);
void fm_get_ranksets(struct fm_column_reader *r, void *sets, size_t n, size_t stride);
void fm_get_stats(struct fm_column_reader *r, void *stats, size_t n, size_t stride);
/* Nested lists: reads the number of items of each and allocates all items as one array, of which each outer item gets
 * its part. n_fields: of an item, one column each. */
void *fm_get_lists(struct fm_column_reader *r, const struct fm_nested *nested, size_t n_fields, void *outer, size_t n,
                   size_t stride, size_t *total);

#endif
