#include "present/text.h"

#include <stdarg.h>
#include <string.h>

static void print_bytes(FILE *out, const char *text, size_t bytes)
{
    for (const char *end = text + bytes, *next = text; text < end; text = next) {
        uint32_t code = fm_utf8_next(&next);
        if (fm_utf8_unprintable(code, (size_t)(next - text)))
            fputc('?', out);
        else
            fwrite(text, 1, (size_t)(next - text), out);
    }
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

/* A word, with the unit that stands apart from its number: "41 %". */
static size_t word_length(const char *text)
{
    size_t bytes = strcspn(text, " ");
    while (text[bytes] == ' ' && text[bytes + 1] == '%')
        bytes += 1 + strcspn(text + bytes + 1, " ");
    return bytes;
}

void fm_print_folded(FILE *out, const char *text, size_t indent)
{
    size_t column = 0;
    while (*text) {
        size_t bytes = word_length(text), width = 0;
        const char *end = text + bytes;
        for (const char *at = text; at < end;)
            width += fm_utf8_width(fm_utf8_next(&at));
        if (column > indent && column + 1 + width > FM_TEXT_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > 0) {
            fputc(' ', out);
            column++;
        }
        print_bytes(out, text, bytes);
        column += width;
        text = end + strspn(end, " ");
    }
    fputc('\n', out);
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
