/* A text that grows in an arena, written with printf's formats. Without memory it remembers that it failed, and what
 * follows does nothing: whoever takes the text looks once, at the end. */
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

/* A text of its own; NULL: no memory. */
__attribute__((format(printf, 2, 3))) const char *fm_written(struct fm_arena *arena, const char *format, ...);

#endif
