/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/utf8.h"

void fm_write_list(struct fm_writer *w, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = w->failed || n < 0 ? NULL : fm_arena_grow(w->arena, w->text, &w->capacity, w->n + (size_t)n + 1, 1);
    if (!text) {
        w->failed = true;
        return;
    }
    vsnprintf(text + w->n, (size_t)n + 1, format, values);
    w->text = text;
    w->n += (size_t)n;
}

void fm_write(struct fm_writer *w, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fm_write_list(w, format, values);
    va_end(values);
}

const char *fm_written(struct fm_arena *arena, const char *format, ...)
{
    struct fm_writer w = {.arena = arena};
    va_list values;
    va_start(values, format);
    fm_write_list(&w, format, values);
    va_end(values);
    return w.text;
}

static void write_bytes(struct fm_writer *w, const char *text, size_t bytes)
{
    char safe[FM_SAFE_BYTES];
    for (const char *end = text + bytes; text < end;) {
        size_t n = fm_safe_next(FM_SAFE_TERMINAL, &text, safe);
        fm_write(w, "%.*s", (int)n, safe);
    }
}

void fm_write_text(struct fm_writer *w, const char *text)
{
    write_bytes(w, text, strlen(text));
}

size_t fm_write_cut(struct fm_writer *w, const char *text, size_t columns)
{
    struct fm_cut cut = fm_text_cut(text, columns);
    write_bytes(w, text, cut.head);
    if (cut.tail) {
        fm_write(w, "..");
        fm_write_text(w, cut.tail);
    }
    return cut.width;
}

void fm_write_padded(struct fm_writer *w, const char *text, size_t columns)
{
    size_t width = fm_write_cut(w, text, columns);
    fm_write(w, "%*s", (int)(columns - width), "");
}

void fm_write_end(struct fm_writer *w)
{
    while (w->n && w->text[w->n - 1] == ' ')
        w->n--;
    fm_write(w, "\n");
}

const char *fm_writer_text(const struct fm_writer *w)
{
    return w->failed ? NULL : w->text ? w->text : "";
}
