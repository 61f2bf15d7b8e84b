#include "present/text.h"

#include <stdarg.h>
#include <string.h>

static const uint32_t REPLACEMENT = 0xfffd;

uint32_t fm_utf8_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    unsigned length = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    uint32_t code = length == 1 ? *at : *at & (0xffu >> (length + 1));
    *text += 1;
    if (length == 0 || *at > 0xf4)
        return REPLACEMENT;
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        code = code << 6 | (at[i] & 0x3f);
    }
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < lowest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return REPLACEMENT;
    *text += length - 1;
    return code;
}

static bool is_control(uint32_t code)
{
    /* beside C0 and C1, the marks that turn the direction of writing */
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static size_t width_of(uint32_t code)
{
    if (code >= 0x300 && code < 0x370)
        return 0; /* combining marks */
    bool wide = (code >= 0x1100 && code < 0x1160) || (code >= 0x2e80 && code < 0xa4d0) ||
                (code >= 0xac00 && code < 0xd7a4) || (code >= 0xf900 && code < 0xfb00) ||
                (code >= 0xff00 && code < 0xff61) || (code >= 0x1f300 && code < 0x1fb00) ||
                (code >= 0x20000 && code < 0x3fffe);
    return wide ? 2 : 1;
}

size_t fm_text_width(const char *text)
{
    size_t width = 0;
    while (*text)
        width += width_of(fm_utf8_next(&text));
    return width;
}

/* Prints from *text until `columns` are used up; returns the columns used. */
static size_t print_some(FILE *out, const char **text, size_t columns)
{
    size_t width = 0;
    while (**text) {
        const char *start = *text, *end = *text;
        uint32_t code = fm_utf8_next(&end);
        if (width + width_of(code) > columns)
            break;
        bool damaged = code == REPLACEMENT && end - start == 1;
        if (damaged || is_control(code))
            fputc('?', out);
        else
            fwrite(start, 1, (size_t)(end - start), out);
        width += width_of(code);
        *text = end;
    }
    return width;
}

void fm_print_text(FILE *out, const char *text)
{
    print_some(out, &text, SIZE_MAX);
}

size_t fm_print_cut(FILE *out, const char *text, size_t columns)
{
    size_t width = fm_text_width(text);
    if (width <= columns || columns < 4)
        return print_some(out, &text, columns);
    size_t head = print_some(out, &text, (columns - 2) / 2);
    fputs("..", out);
    size_t left = fm_text_width(text);
    while (left > columns - 2 - head)
        left -= width_of(fm_utf8_next(&text));
    return head + 2 + print_some(out, &text, left);
}

void fm_print_folded(FILE *out, const char *text, size_t indent)
{
    size_t column = 0;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        const char *end = text + bytes;
        size_t width = 0;
        for (const char *at = text; at < end;)
            width += width_of(fm_utf8_next(&at));
        if (column > indent && column + 1 + width > FM_TEXT_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > 0) {
            fputc(' ', out);
            column++;
        }
        column += print_some(out, &text, width);
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
