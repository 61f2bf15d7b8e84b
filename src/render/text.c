/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "render/shorten.h"

void fm_print_safe(FILE *out, enum fm_safe kind, const char *text, size_t bytes)
{
    char safe[512]; /* stderr is unbuffered */
    size_t n = 0;
    for (const char *end = text + bytes; text < end;) {
        n += fm_safe_next(kind, &text, safe + n);
        if (n + FM_SAFE_BYTES > sizeof safe || text >= end) {
            fwrite(safe, 1, n, out);
            n = 0;
        }
    }
}

static void print_bytes(FILE *out, const char *text, size_t bytes)
{
    fm_print_safe(out, FM_SAFE_TERMINAL, text, bytes);
}

void fm_print_text(FILE *out, const char *text)
{
    print_bytes(out, text, strlen(text));
}

void fm_print_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        print_bytes(out, text, bytes);
        text += bytes;
        for (; *text == '\n'; text++)
            fputc('\n', out);
    }
}

void fm_print_line_list(FILE *out, const char *format, va_list values)
{
    char *line;
    int length = vasprintf(&line, format, values);
    if (length < 0)
        return;
    size_t n = 0;
    const char *end = line + length - (length && line[length - 1] == '\n');
    for (const char *text = line; text < end;)
        n += fm_safe_next(FM_SAFE_TERMINAL, &text, line + n); /* a replacement is never longer than the character */
    memmove(line + n, end, (size_t)(line + length - end));
    fwrite(line, 1, n + (size_t)(line + length - end), out); /* in one call: keeps the lines of several writers apart */
    free(line);
}

void fm_print_line(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fm_print_line_list(out, format, values);
    va_end(values);
}

size_t fm_print_cut(FILE *out, const char *text, size_t columns)
{
    struct fm_cut cut = fm_text_cut(text, columns);
    print_bytes(out, text, cut.head);
    if (cut.tail) {
        fputs("..", out);
        fm_print_text(out, cut.tail);
    }
    return cut.width;
}

/* Length of a word, including a unit separated from its number: "41 %". */
static size_t word_length(const char *text)
{
    size_t bytes = strcspn(text, " ");
    while (text[bytes] == ' ' && text[bytes + 1] == '%')
        bytes += 1 + strcspn(text + bytes + 1, " ");
    return bytes;
}

/* Prints a word that is longer than a line. Returns its width. */
static size_t print_long_word(FILE *out, const char *word, size_t bytes, size_t columns)
{
    struct fm_arena scratch = {0};
    const char *whole = fm_arena_strndup(&scratch, word, bytes);
    const char *shorter = fm_shorten(&scratch, whole ? whole : "", columns);
    size_t width = fm_text_width(shorter);
    fm_print_text(out, shorter);
    fm_arena_destroy(&scratch);
    return width;
}

/* Prints the words of a text from a column on. */
static void fold(FILE *out, const char *text, size_t column, size_t indent)
{
    size_t columns = fm_output_columns(out);
    for (bool first = true; *text; first = false) {
        size_t bytes = word_length(text), width = 0;
        const char *end = text + bytes;
        for (const char *at = text; at < end;)
            width += fm_utf8_width(fm_utf8_next(&at));
        if (column > indent && column + 1 + width > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        if (width > columns - indent)
            width = print_long_word(out, text, bytes, columns - column);
        else
            print_bytes(out, text, bytes);
        column += width;
        text = end + strspn(end, " ");
    }
    fputc('\n', out);
}

void fm_print_folded(FILE *out, const char *text, size_t indent)
{
    fold(out, text, 0, indent);
}

void fm_print_hanging(FILE *out, const char *head, const char *text)
{
    size_t width = fm_text_width(head);
    fm_print_text(out, head);
    fold(out, text, width, width);
}

void fm_print_sentence(FILE *out, const char *format, ...)
{
    char *text;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0)
        return;
    fm_print_folded(out, text, 2);
    free(text);
}

const char *fm_format(struct fm_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : fm_arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
