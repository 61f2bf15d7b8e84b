#include "base/writer.h"

#include <stdio.h>

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
