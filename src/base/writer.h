/* SPDX-License-Identifier: BSD-3-Clause */
/* A text that grows in an arena, written with printf formats. If memory runs out it is marked as failed and further
 * writes do nothing, so the caller checks only once, at the end. */
#ifndef FM_BASE_WRITER_H
#define FM_BASE_WRITER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct fm_writer {
    struct fm_arena *arena;
    char *text; /* NULL before the first write */
    size_t n, capacity;
    bool failed;
};

__attribute__((format(printf, 2, 3))) void fm_write(struct fm_writer *writer, const char *format, ...);
__attribute__((format(printf, 2, 0))) void fm_write_list(struct fm_writer *writer, const char *format, va_list values);

/* Replaces what a terminal would interpret with '?'. */
void fm_write_text(struct fm_writer *writer, const char *text);
/* The same, shortened in the middle if wider than `columns`; returns the width. */
size_t fm_write_cut(struct fm_writer *writer, const char *text, size_t columns);
/* The same, padded with blanks. */
void fm_write_padded(struct fm_writer *writer, const char *text, size_t columns);
/* Ends a line and removes its trailing blanks. */
void fm_write_end(struct fm_writer *writer);
/* The whole text, or NULL if out of memory. */
const char *fm_writer_text(const struct fm_writer *writer);

/* A new string, or NULL if out of memory. */
__attribute__((format(printf, 2, 3))) const char *fm_written(struct fm_arena *arena, const char *format, ...);

#endif
