/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

uint32_t fm_utf8_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    unsigned length = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    uint32_t code = length == 1 ? *at : *at & (0xffu >> (length + 1));
    *text += 1;
    if (length == 0 || *at > 0xf4)
        return FM_UTF8_DAMAGED;
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return FM_UTF8_DAMAGED;
        code = code << 6 | (at[i] & 0x3f);
    }
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < lowest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return FM_UTF8_DAMAGED;
    *text += length - 1;
    return code;
}

bool fm_utf8_unprintable(uint32_t code, size_t bytes)
{
    static const struct {
        uint32_t first, last;
    } marks[] = {{0x61c, 0x61c},   {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, /* direction, line ends */
                 {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};                 /* invisible */
    if ((code == FM_UTF8_DAMAGED && bytes == 1) || code < 0x20 || (code >= 0x7f && code < 0xa0))
        return true;
    for (size_t i = 0; code >= marks[0].first && i < sizeof marks / sizeof *marks; i++)
        if (code >= marks[i].first && code <= marks[i].last)
            return true;
    return false;
}

size_t fm_utf8_width(uint32_t code)
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
        width += fm_utf8_width(fm_utf8_next(&text));
    return width;
}

/* Number of bytes that fit into `columns`; adds their width to *width. */
static size_t take(const char *text, size_t columns, size_t *width)
{
    const char *at = text;
    for (const char *next = at; *at; at = next) {
        size_t more = fm_utf8_width(fm_utf8_next(&next));
        if (*width + more > columns)
            break;
        *width += more;
    }
    return (size_t)(at - text);
}

struct fm_cut fm_text_cut(const char *text, size_t columns)
{
    struct fm_cut cut = {0};
    bool fits = columns < 4 || fm_text_width(text) <= columns;
    cut.head = take(text, fits ? columns : (columns - 2) / 2, &cut.width);
    if (fits)
        return cut;
    cut.tail = text + cut.head;
    size_t left = fm_text_width(cut.tail);
    while (left > columns - 2 - cut.width)
        left -= fm_utf8_width(fm_utf8_next(&cut.tail));
    cut.width += 2 + left;
    return cut;
}

bool fm_utf8_locale(void)
{
    static const char names[][12] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        const char *dot = strchr(value, '.');
        return dot && (strncasecmp(dot, ".UTF-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
    }
    return false;
}
