/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/safe_text.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static size_t put(char safe[FM_SAFE_BYTES], const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        safe[length] = text[length];
    return length;
}

static size_t put_number(char safe[FM_SAFE_BYTES], const char *format, uint32_t number)
{
    return (size_t)snprintf(safe, FM_SAFE_BYTES, format, number);
}

static size_t put_escaped(char safe[FM_SAFE_BYTES], uint32_t code)
{
    if (code < 0x10000)
        return put_number(safe, "\\u%04x", code);
    size_t first = put_number(safe, "\\u%04x", 0xd800 | (code - 0x10000) >> 10);
    return first + (size_t)snprintf(safe + first, FM_SAFE_BYTES - first, "\\u%04x", 0xdc00 | (code & 0x3ff));
}

/* Unprintable characters. */
static size_t put_unprintable(enum fm_safe kind, uint32_t code, char safe[FM_SAFE_BYTES])
{
    switch (kind) {
    case FM_SAFE_TERMINAL:
    case FM_SAFE_CSV:
        return put(safe, "?");
    case FM_SAFE_JSON:
        return code == FM_UTF8_DAMAGED ? put(safe, REPLACEMENT) : put_escaped(safe, code);
    case FM_SAFE_XML:
        return put(safe, code == '\n' ? "&#10;" : "&#xfffd;");
    case FM_SAFE_DOT:
        return put(safe, code == '\n' ? "\\n" : REPLACEMENT);
    case FM_SAFE_COLLAPSED:
        return put(safe, " ");
    case FM_SAFE_PLAIN:
        break;
    }
    return put(safe, REPLACEMENT);
}

/* Escapes a character with a special meaning in the output format; returns 0 if it has none. */
static size_t put_special(enum fm_safe kind, uint32_t code, char safe[FM_SAFE_BYTES])
{
    if (code >= 0x80)
        return kind == FM_SAFE_XML && (code & ~1u) == 0xfffe ? put(safe, "&#xfffd;") : 0;
    if (kind == FM_SAFE_CSV && code == '"')
        return put(safe, "\"\"");
    if ((kind == FM_SAFE_JSON || kind == FM_SAFE_DOT) && (code == '"' || code == '\\'))
        return put(safe, code == '"' ? "\\\"" : "\\\\");
    if (kind == FM_SAFE_XML && strchr("&<>\"'", (int)code))
        return put_number(safe, "&#%u;", code);
    if (kind == FM_SAFE_COLLAPSED && code == ';')
        return put(safe, ":");
    return 0;
}

size_t fm_safe_next(enum fm_safe kind, const char **text, char safe[FM_SAFE_BYTES])
{
    const char *from = *text;
    uint32_t code = fm_utf8_next(text);
    size_t bytes = (size_t)(*text - from);
    if (fm_utf8_unprintable(code, bytes))
        return put_unprintable(kind, code, safe);
    size_t special = put_special(kind, code, safe);
    if (!special)
        memmove(safe, from, bytes); /* `safe` may be the text itself */
    return special ? special : bytes;
}
