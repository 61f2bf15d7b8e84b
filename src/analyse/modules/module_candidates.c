/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_candidates.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "base/intern.h"
#include "base/sort.h"
#include "base/writer.h"
#include "model/order.h"

enum {
    MIN_WORD = 3,     /* of a class name; "N*" would match too much */
    MIN_PREFIX = 2,   /* of C functions */
    MIN_FUNCTIONS = 3 /* functions with a prefix; a rarer prefix is just the first word of a name */
};

/* Minimum share of all code. Smaller classes of a namespace are left to the namespace, other candidates to their
 * library. The limit for prefixes is higher: there are many of them, and they mean less. */
static const double MIN_SHARE = 0.002, MIN_PREFIX_SHARE = 0.01;

struct candidates {
    struct fm_arena *arena;
    struct fm_module_candidate *items;
    size_t n, capacity;
    struct fm_intern numbers;
    uint64_t bytes;
};

static void add(struct candidates *candidates, const char *name, const char *pattern, uint64_t bytes, bool nested)
{
    struct fm_intern_slot *slot = pattern ? fm_intern_put(&candidates->numbers, candidates->arena, pattern, false)
                                          : NULL;
    if (slot && !slot->number) {
        struct fm_module_candidate *grown = fm_arena_grow(candidates->arena, candidates->items, &candidates->capacity,
                                                          candidates->n + 1, sizeof *grown);
        if (!grown)
            return;
        candidates->items = grown;
        candidates->items[candidates->n++] = (struct fm_module_candidate){.name = name, .pattern = pattern};
        slot->number = (uint32_t)candidates->n;
    }
    if (!slot)
        return;
    candidates->items[slot->number - 1].functions++;
    candidates->items[slot->number - 1].bytes += bytes;
    candidates->items[slot->number - 1].nested += nested ? bytes : 0;
    candidates->bytes += bytes;
}

/* The length of an identifier followed by "::"; 0 if there is none, as in templates and operators. */
static size_t scope_length(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    return strncmp(name + length, "::", 2) == 0 ? length : 0;
}

static void add_outer(struct candidates *candidates, const struct fm_function *functions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = scope_length(functions[i].name);
        const char *name = length ? fm_arena_strndup(candidates->arena, functions[i].name, length) : NULL;
        if (name)
            add(candidates, name, fm_written(candidates->arena, "%s::*", name), functions[i].bytes,
                scope_length(functions[i].name + length + 2) > 0);
    }
}

static size_t first_word(const char *name, size_t length)
{
    size_t end = 0;
    while (end < length && isupper((unsigned char)name[end]))
        end++;
    while (end < length && (islower((unsigned char)name[end]) || isdigit((unsigned char)name[end])))
        end++;
    return end < MIN_WORD ? length : end;
}

static void add_classes(struct candidates *classes, const struct fm_function *functions, size_t n, const char *within)
{
    size_t outer = strlen(within);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(functions[i].name, within, outer) != 0 || scope_length(functions[i].name) != outer)
            continue;
        const char *name = functions[i].name + outer + 2;
        size_t word = first_word(name, scope_length(name));
        const char *module = word ? fm_arena_strndup(classes->arena, name, word) : NULL;
        if (module)
            add(classes, module, fm_written(classes->arena, "%s::%s%s", within, module, word < MIN_WORD ? "::*" : "*"),
                functions[i].bytes, false);
    }
}

/* Here `nested` counts the names with '_' before the prefix. */
static void add_prefixes(struct candidates *prefixes, const struct fm_function *functions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t skipped = strspn(functions[i].name, "_"), length = 0;
        const char *start = functions[i].name + skipped;
        while (isalnum((unsigned char)start[length]))
            length++;
        const char *name = length >= MIN_PREFIX && start[length] == '_'
                               ? fm_arena_strndup(prefixes->arena, start, length)
                               : NULL;
        if (name)
            add(prefixes, name, fm_written(prefixes->arena, "%s_*", name), functions[i].bytes, skipped > 0);
    }
}

static void choose_prefixes(struct candidates *prefixes)
{
    size_t kept = 0;
    for (size_t i = 0; i < prefixes->n; i++) {
        struct fm_module_candidate candidate = prefixes->items[i];
        if (candidate.functions < MIN_FUNCTIONS)
            continue;
        if (candidate.nested)
            candidate.pattern = fm_written(prefixes->arena, "%s_* _%s_*", candidate.name, candidate.name);
        if (candidate.pattern)
            prefixes->items[kept++] = candidate;
    }
    prefixes->n = kept;
}

static int by_name(const void *a, const void *b)
{
    const struct fm_module_candidate *x = a, *y = b;
    return fm_compare_text(x->name, y->name);
}

/* Sorts the candidates and removes those with hardly any code and those covered by a shorter prefix. */
static void filter(struct candidates *candidates, double min_share)
{
    size_t kept = 0;
    if (!fm_sort(candidates->items, candidates->n, sizeof *candidates->items, by_name, candidates->arena))
        return;
    for (size_t i = 0; i < candidates->n; i++) {
        const struct fm_module_candidate *candidate = &candidates->items[i];
        bool covered = kept && fnmatch(candidates->items[kept - 1].pattern, candidate->pattern, 0) == 0;
        if (!covered && (double)candidate->bytes >= min_share * (double)candidates->bytes)
            candidates->items[kept++] = *candidate;
    }
    candidates->n = kept;
}

size_t fm_module_candidates_find(const struct fm_function *functions, size_t n, struct fm_module_candidate **candidates,
                                 struct fm_arena *arena)
{
    struct candidates outer = {.arena = arena}, classes = {.arena = arena};
    add_outer(&outer, functions, n);
    if (!outer.n) {
        add_prefixes(&outer, functions, n);
        choose_prefixes(&outer);
        filter(&outer, MIN_PREFIX_SHARE);
        *candidates = outer.items;
        return outer.n;
    }
    for (size_t i = 0; i < outer.n && !classes.n; i++)
        if (outer.items[i].nested * 2 > outer.bytes)
            add_classes(&classes, functions, n, outer.items[i].name);
    filter(&outer, classes.n ? MIN_SHARE : 0);
    filter(&classes, MIN_SHARE);
    *candidates = fm_arena_alloc(arena, (classes.n + outer.n) * sizeof **candidates);
    if (!*candidates)
        return 0;
    for (size_t i = 0; i < classes.n; i++)
        (*candidates)[i] = classes.items[i];
    for (size_t i = 0; i < outer.n; i++)
        (*candidates)[classes.n + i] = outer.items[i];
    return classes.n + outer.n;
}
