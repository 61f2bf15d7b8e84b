/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of a tree in columns that are next to each other in a table, and nodes with a name. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sort.h"
#include "pages/columns.h"

bool fm_columns_range(const struct fm_columns *columns, uint32_t first, size_t n, struct fm_arena *scratch,
                      struct fm_column_slice *slice)
{
    size_t above = 0;
    if (n > columns->n - first)
        n = columns->n - first;
    for (uint32_t at = first; at; at = columns->nodes[at].parent)
        above++;
    *slice = (struct fm_column_slice){.nodes = fm_arena_alloc(scratch, (above + n) * sizeof *slice->nodes),
                                      .n = above + n};
    if (!slice->nodes)
        return false;
    uint32_t at = first;
    for (size_t i = above; i-- > 0;)
        slice->nodes[i] = at = columns->nodes[at].parent;
    for (size_t i = 0; i < n; i++)
        slice->nodes[above + i] = first + (uint32_t)i;
    return true;
}

/* ---- search ---- */

/* What is looked for: a text, and if it ends with the number of a line, a file and this line. */
struct wanted {
    const char *text;
    size_t file_chars; /* 0: it does not name a line */
    uint32_t line;
};

static struct wanted wanted_of(const char *text)
{
    struct wanted wanted = {.text = text};
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return wanted;
    const char *digits = colon + 1 + (colon[1] == '~');
    size_t n = strspn(digits, "0123456789");
    if (n && n < 10 && !digits[n]) {
        wanted.file_chars = (size_t)(colon - text);
        wanted.line = (uint32_t)strtoul(digits, NULL, 10);
    }
    return wanted;
}

enum { CONTAINS = 1, IS_FILE = 2 };

/* By string of the columns, how it matches. */
static unsigned char *match_strings(const struct fm_columns *columns, const struct wanted *wanted,
                                    struct fm_arena *scratch)
{
    unsigned char *matches = fm_arena_alloc(scratch, columns->n_strings + 1);
    for (size_t i = 0; matches && i < columns->n_strings; i++) {
        const char *text = columns->strings[i];
        size_t length = wanted->file_chars ? strlen(text) : 0;
        matches[i] = strcasestr(text, wanted->text) ? CONTAINS : 0;
        if (wanted->file_chars && length >= wanted->file_chars &&
            strncasecmp(text + length - wanted->file_chars, wanted->text, wanted->file_chars) == 0)
            matches[i] |= IS_FILE;
    }
    return matches;
}

static bool is_hit(const struct fm_column_node *node, const struct wanted *wanted, const unsigned char *matches)
{
    unsigned name = node->name == FM_NO_STRING ? 0 : matches[node->name];
    unsigned file = node->file == FM_NO_STRING ? 0 : matches[node->file];
    return (name & CONTAINS) || (file & CONTAINS) || ((file & IS_FILE) && node->line == wanted->line);
}

struct hit {
    uint64_t ns;
    uint32_t node;
};

static int heavier(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

static struct hit *find_hits(const struct fm_columns *columns, const char *text, struct fm_arena *scratch, size_t *n)
{
    const struct wanted wanted = wanted_of(text);
    unsigned char *matches = match_strings(columns, &wanted, scratch);
    *n = 0;
    for (size_t i = 1; matches && i < columns->n; i++)
        *n += is_hit(&columns->nodes[i], &wanted, matches);
    struct hit *hits = matches ? fm_arena_alloc(scratch, (*n + 1) * sizeof *hits) : NULL;
    size_t at = 0;
    for (size_t i = 1; hits && i < columns->n; i++)
        if (is_hit(&columns->nodes[i], &wanted, matches))
            hits[at++] = (struct hit){columns->nodes[i].all_ns, (uint32_t)i};
    return hits;
}

enum { ABOVE = 1, HIT = 2 };

/* Marks the heaviest hits and what is above them, as long as there is room. Returns the number of marked nodes. */
static size_t mark_hits(const struct fm_columns *columns, const struct hit *hits, size_t n, size_t limit,
                        unsigned char *marks)
{
    size_t marked = 1;
    marks[0] = ABOVE;
    for (size_t i = 0; i < n; i++) {
        size_t more = 0;
        for (uint32_t at = hits[i].node; !marks[at]; at = columns->nodes[at].parent)
            more++;
        if (limit && i && marked + more > limit)
            break;
        for (uint32_t at = hits[i].node; !marks[at]; at = columns->nodes[at].parent)
            marks[at] = ABOVE;
        marks[hits[i].node] = HIT;
        marked += more;
    }
    return marked;
}

bool fm_columns_find(const struct fm_columns *columns, const char *text, size_t limit, struct fm_arena *scratch,
                     struct fm_column_hits *hits)
{
    struct hit *found = find_hits(columns, text, scratch, &hits->n);
    unsigned char *marks = fm_arena_alloc(scratch, columns->n);
    if (!found || !marks || !fm_sort(found, hits->n, sizeof *found, heavier, scratch))
        return false;
    size_t n = mark_hits(columns, found, hits->n, limit, marks);
    hits->slice = (struct fm_column_slice){.nodes = fm_arena_alloc(scratch, n * sizeof *hits->slice.nodes)};
    hits->is_hit = fm_arena_alloc(scratch, n * sizeof *hits->is_hit);
    if (!hits->slice.nodes || !hits->is_hit)
        return false;
    for (uint32_t i = 0; i < columns->n; i++)
        if (marks[i]) {
            hits->is_hit[hits->slice.n] = marks[i] == HIT;
            hits->slice.nodes[hits->slice.n++] = i;
        }
    return true;
}
