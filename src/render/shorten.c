/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/shorten.h"

#include <ctype.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "base/writer.h"

enum { MIN_COLUMNS = 16, MIN_NAME = 8, MAX_MARKS = 7 /* " (i,t)" */, MAX_NESTING = 4 };

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
    const char *full = name;
    for (size_t nesting = MAX_NESTING; nesting > 0 && fm_text_width(name) > columns; nesting--)
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

/* ---- names that differ in their template arguments ---- */

enum { MAX_ARGUMENTS = 64 };

/* The outermost template arguments of a name: "double" and "2" of "Solver<double>::apply<2>". */
struct arguments {
    struct argument {
        const char *text;
        size_t length;
    } items[MAX_ARGUMENTS];
    size_t n; /* maybe more than there is room for */
};

static void find_arguments(const char *name, struct arguments *arguments)
{
    size_t depth = 0;
    const char *begin = name;
    arguments->n = 0;
    for (const char *at = name; *at;) {
        size_t length = operator_length(name, at);
        if (length) {
            at += length;
            continue;
        }
        bool open = *at == '<' || (depth && strchr("({[", *at));
        bool close = depth && ((*at == '>' && at[-1] != '-') || strchr(")}]", *at));
        if (depth == 1 && (close || *at == ',')) {
            if (arguments->n < MAX_ARGUMENTS)
                arguments->items[arguments->n] = (struct argument){begin, (size_t)(at - begin)};
            arguments->n++;
        }
        depth = depth + open - close;
        if (depth == 1 && (open || *at == ','))
            begin = at + 1 + (*at == ',' && at[1] == ' ');
        at++;
    }
}

/* Which arguments to show of names that are the same without. */
struct kept {
    bool items[MAX_ARGUMENTS];
    size_t n;
    size_t nesting; /* arguments of arguments that are nested at least this deep need not be shown */
};

static const char *argument_text(struct fm_arena *arena, const struct argument *argument, size_t nesting)
{
    const char *text = fm_arena_strndup(arena, argument->text, argument->length);
    return text ? without_arguments(arena, text, nesting) : "";
}

static bool same_argument(const struct argument *a, const struct argument *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Replaces the arguments that are not kept with "..". *first: the offset of the first one that is kept. */
static const char *with_kept_arguments(struct fm_arena *arena, const char *name, const struct kept *kept,
                                       size_t nesting, size_t *first)
{
    struct fm_writer writer = {.arena = arena};
    struct arguments arguments;
    const char *from = name;
    find_arguments(name, &arguments);
    *first = strlen(name);
    if (arguments.n != kept->n)
        return name;
    size_t written = 0;
    for (size_t i = 0; i < arguments.n; i++) {
        const struct argument *argument = &arguments.items[i];
        bool follows = i > 0 && from[0] == ',' && argument->text <= from + 2;
        if (!kept->items[i] && follows && !kept->items[i - 1]) {
            from = argument->text + argument->length;
            continue;
        }
        size_t between = (size_t)(argument->text - from);
        fm_write(&writer, "%.*s", (int)between, from);
        written += between;
        if (kept->items[i] && *first > written)
            *first = written;
        const char *text = kept->items[i] ? argument_text(arena, argument, nesting) : "..";
        fm_write(&writer, "%s", text);
        written += strlen(text);
        from = argument->text + argument->length;
    }
    fm_write(&writer, "%s", from);
    const char *made = fm_writer_text(&writer);
    return made ? made : name;
}

/* Cuts words longer than this: "Conju..ner<2>". */
static const char *with_short_words(struct fm_arena *arena, const char *name, size_t longest)
{
    struct fm_writer writer = {.arena = arena};
    fm_write(&writer, "%s", "");
    for (const char *at = name; *at;) {
        size_t length = 1;
        while (is_word(*at) && is_word(at[length]))
            length++;
        const char *word = fm_arena_strndup(arena, at, length);
        if (!word)
            return name;
        fm_write(&writer, "%s", cut(arena, word, longest));
        at += length;
    }
    const char *made = fm_writer_text(&writer);
    return made ? made : name;
}

/* A name with the arguments that tell it from others, without outer scopes and with shorter words if necessary. */
static const char *shorten_kept(struct fm_arena *arena, const char *name, size_t columns, const struct kept *kept)
{
    static const size_t longest[] = {24, 16, 12, 8, 6};
    size_t first;
    const char *whole = with_kept_arguments(arena, name, kept, MAX_NESTING, &first), *next;
    for (size_t nesting = MAX_NESTING; nesting > kept->nesting && fm_text_width(whole) > columns;)
        whole = with_kept_arguments(arena, name, kept, --nesting, &first);
    if (fm_text_width(whole) <= columns)
        return whole;
    const char *rest = whole;
    while (fm_text_width(rest) + 2 > columns && (next = after_scope(rest, false)) && next <= whole + first)
        rest = next;
    const char *inner = rest > whole ? fm_written(arena, "..%s", rest) : whole, *made = inner;
    for (size_t i = 0; made && i < sizeof longest / sizeof *longest && fm_text_width(made) > columns; i++)
        made = with_short_words(arena, inner, longest[i]);
    return made && fm_text_width(made) <= columns ? made : shorten_name(arena, name, columns);
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

/* kept: NULL if the name need not differ from others. */
static const char *shorten(struct fm_arena *arena, const char *text, size_t columns, const struct kept *kept)
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
        shorter = fm_written(
            arena, "%s%s",
            kept ? shorten_kept(arena, name, room - placed, kept) : shorten_name(arena, name, room - placed), place);
    const char *made = shorter ? fm_written(arena, "%s%s", drawing, shorter) : NULL;
    return made ? made : text;
}

const char *fm_shorten(struct fm_arena *arena, const char *text, size_t columns)
{
    return shorten(arena, text, columns, NULL);
}

/* ---- columns of labels ---- */

struct entry {
    const char *text, *name, *shorter;
    size_t at;
};

/* By what a label is without its drawing, so that those that became the same are together. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *p = a, *q = b;
    return strcmp(p->shorter + drawing_length(p->shorter), q->shorter + drawing_length(q->shorter));
}

static void keep(struct fm_arena *arena, struct kept *kept, size_t k, const struct argument *a,
                 const struct argument *b)
{
    kept->items[k] = true;
    while (kept->nesting < MAX_NESTING &&
           strcmp(argument_text(arena, a, kept->nesting), argument_text(arena, b, kept->nesting)) == 0)
        kept->nesting++;
}

/* Finds the arguments in which names differ. Returns false if they differ in something else, or do not differ. */
static bool find_differences(struct fm_arena *arena, const struct entry *entries, size_t n, struct kept *kept)
{
    struct arguments first, other;
    const char *bare = without_arguments(arena, entries[0].name, 1);
    bool differ = false;
    find_arguments(entries[0].name, &first);
    *kept = (struct kept){.n = first.n, .nesting = 1};
    if (first.n > MAX_ARGUMENTS)
        return false;
    for (size_t i = 1; i < n; i++) {
        if (strcmp(entries[i].name, entries[0].name) == 0)
            continue;
        find_arguments(entries[i].name, &other);
        if (other.n != first.n || strcmp(without_arguments(arena, entries[i].name, 1), bare) != 0)
            return false;
        for (size_t k = 0; k < first.n; k++)
            if (!same_argument(&first.items[k], &other.items[k]))
                keep(arena, kept, k, &first.items[k], &other.items[k]);
        differ = true;
    }
    return differ;
}

void fm_shorten_column(struct fm_arena *arena, const char **texts, size_t n, size_t columns)
{
    struct entry *entries = fm_arena_alloc(arena, n * sizeof *entries);
    size_t n_entries = 0, end;
    struct kept kept;
    for (size_t i = 0; entries && i < n; i++) {
        const char *shorter = fm_shorten(arena, texts[i], columns), *label = texts[i] + drawing_length(texts[i]);
        const char *name = shorter != texts[i] ? fm_arena_strndup(arena, label, name_length(label)) : NULL;
        if (name)
            entries[n_entries++] = (struct entry){texts[i], name, shorter, i};
        texts[i] = shorter;
    }
    if (!fm_sort(entries, n_entries, sizeof *entries, compare_entries, arena))
        return;
    for (size_t i = 0; i < n_entries; i = end) {
        for (end = i + 1; end < n_entries && compare_entries(&entries[i], &entries[end]) == 0;)
            end++;
        if (!find_differences(arena, entries + i, end - i, &kept))
            continue;
        for (size_t k = i; k < end; k++)
            texts[entries[k].at] = shorten(arena, entries[k].text, columns, &kept);
    }
}
