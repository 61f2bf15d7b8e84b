/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/shorten.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "base/writer.h"

enum { MIN_COLUMNS = 16, MIN_NAME = 8, MAX_MARKS = 7 /* " (i,t)" */ };

/* ---- parts of a label ---- */

/* Whether a text of this length ends with ":123" or ":~123" after something other than a colon. */
static bool ends_with_line(const char *text, size_t length)
{
    size_t at = length;
    while (at && isdigit((unsigned char)text[at - 1]))
        at--;
    if (at == length)
        return false;
    at -= at && text[at - 1] == '~';
    return at > 1 && text[at - 1] == ':' && text[at - 2] != ':';
}

static size_t drawing_length(const char *text)
{
    static const char caller[] = "<- ";
    size_t length = strspn(text, " |`-");
    return length + (strncmp(text + length, caller, sizeof caller - 1) == 0 ? sizeof caller - 1 : 0);
}

/* The length of a name, which a place may follow. */
static size_t name_length(const char *text)
{
    const char *place = strstr(text, "  ");
    size_t length = place ? (size_t)(place - text) : strlen(text);
    if (!place && length && text[length - 1] == ')' && ends_with_line(text, length - 1)) {
        while (strncmp(text + length, " (", 2) != 0 && length)
            length--;
        return length;
    }
    for (size_t marks = 3; place && marks < MAX_MARKS && marks < length; marks++)
        if (text[length - 1] == ')' && strncmp(text + length - marks, " (", 2) == 0)
            return length - marks;
    return length;
}

/* ---- names ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of an operator's name such as "operator<<" at this place, 0 if there is none. */
static size_t operator_length(const char *name, const char *at)
{
    static const char word[] = "operator";
    size_t length = sizeof word - 1;
    if (strncmp(at, word, length) != 0 || (at > name && is_word(at[-1])))
        return 0;
    size_t symbols = strspn(at + length, "<>=-+*/%^&|~!,");
    if (strncmp(at + length, "()", 2) == 0 || strncmp(at + length, "[]", 2) == 0)
        symbols = 2;
    bool less = symbols == 1 || at[length + symbols - 2] == '<';
    if (symbols && at[length + symbols - 1] == '<' && !less) /* "operator-<int>", but "operator<< <int>" */
        symbols--;
    return symbols ? length + symbols : 0;
}

/* Replaces template arguments that are nested at least this deep with "..". */
static const char *without_arguments(struct fm_arena *arena, const char *name, size_t nesting)
{
    struct fm_writer writer = {.arena = arena};
    size_t depth = 0;
    fm_write(&writer, "%s", "");
    for (const char *at = name; *at;) {
        size_t length = operator_length(name, at);
        length = length ? length : 1;
        bool open = length == 1 && *at == '<', close = length == 1 && *at == '>' && depth && at[-1] != '-';
        depth -= close;
        if (depth < nesting)
            fm_write(&writer, "%.*s%s", (int)length, at, open && depth + 1 == nesting ? ".." : "");
        depth += open;
        at += length;
    }
    const char *shorter = fm_writer_text(&writer);
    return depth == 0 && shorter ? shorter : name; /* unbalanced: not template arguments */
}

/* The rest of a name after its first scope ("ns::") or directory; NULL if there is none. */
static const char *after_scope(const char *name, bool path)
{
    size_t depth = 0;
    for (const char *at = name; *at;) {
        size_t length = operator_length(name, at);
        if (length) {
            at += length;
            continue;
        }
        depth += strchr("<({[", *at) != NULL;
        depth -= depth && strchr(">)}]", *at);
        if (!depth && at > name && path && *at == '/' && at[1])
            return at + 1;
        if (!depth && !path && strncmp(at, "::", 2) == 0 && at[2])
            return at + 2;
        at++;
    }
    return NULL;
}

static const char *cut(struct fm_arena *arena, const char *text, size_t columns)
{
    struct fm_cut parts = fm_text_cut(text, columns);
    const char *made = parts.tail ? fm_written(arena, "%.*s..%s", (int)parts.head, text, parts.tail) : text;
    return made ? made : text;
}

static const char *shorten_name(struct fm_arena *arena, const char *name, size_t columns)
{
    enum { NESTING = 4 };
    const char *full = name;
    for (size_t nesting = NESTING; nesting > 0 && fm_text_width(name) > columns; nesting--)
        name = without_arguments(arena, full, nesting);
    if (fm_text_width(name) <= columns)
        return name;
    const char *rest = name, *next;
    while (fm_text_width(rest) + 2 > columns && (next = after_scope(rest, name[0] == '/')))
        rest = next;
    const char *shorter = rest > name ? fm_written(arena, "..%s", rest) : rest;
    return cut(arena, shorter ? shorter : rest, columns);
}

/* The width of a name without template arguments and outer scopes. */
static size_t function_width(struct fm_arena *arena, const char *name)
{
    const char *bare = without_arguments(arena, name, 1), *rest = bare, *next;
    while ((next = after_scope(rest, bare[0] == '/')))
        rest = next;
    return fm_text_width(rest) + (rest > bare ? 2 : 0);
}

/* ---- labels ---- */

/* The end of a drawing that takes too much of the width. */
static const char *shorten_drawing(struct fm_arena *arena, const char *drawing, size_t length, size_t columns)
{
    const char *made = length > columns ? fm_written(arena, "..%.*s", (int)columns - 2, drawing + length + 2 - columns)
                                        : fm_arena_strndup(arena, drawing, length);
    return made ? made : "";
}

const char *fm_shorten_end(struct fm_arena *arena, const char *text, size_t columns)
{
    size_t taken = 0;
    const char *end = text, *next = text;
    if (columns < 4 || fm_text_width(text) <= columns)
        return text;
    while ((taken += fm_utf8_width(fm_utf8_next(&next))) <= columns - 2)
        end = next;
    const char *made = fm_written(arena, "%.*s..", (int)(end - text), text);
    return made ? made : text;
}

const char *fm_shorten(struct fm_arena *arena, const char *text, size_t columns)
{
    if (columns < 4 || fm_text_width(text) <= columns)
        return text;
    if (columns < MIN_COLUMNS)
        return cut(arena, text, columns);
    size_t drawn = drawing_length(text), most = drawn + 2 * MIN_NAME > columns ? columns / 3 : drawn;
    const char *label = text + drawn, *drawing = shorten_drawing(arena, text, drawn, most);
    size_t length = name_length(label), room = columns - fm_text_width(drawing);
    const char *name = fm_arena_strndup(arena, label, length), *place = label + length, *shorter;
    if (!name)
        return text;
    size_t least = fm_text_width(name) < MIN_NAME ? fm_text_width(name) : MIN_NAME;
    const char *lines = strstr(place, " lines (");
    if (lines && fm_text_width(place) + function_width(arena, name) > room)
        place = fm_arena_strndup(arena, place, (size_t)(lines - place) + strlen(" lines"));
    if (!place)
        return text;
    size_t placed = fm_text_width(place);
    if (placed && ends_with_line(name, length))
        shorter = fm_shorten_end(arena, label, room);
    else if (placed + least > room) /* the end of the label has the line */
        shorter = cut(arena, label, room);
    else
        shorter = fm_written(arena, "%s%s", shorten_name(arena, name, room - placed), place);
    const char *made = shorter ? fm_written(arena, "%s%s", drawing, shorter) : NULL;
    return made ? made : text;
}
