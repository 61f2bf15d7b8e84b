/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/modules_scopes.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "base/intern.h"
#include "base/sort.h"
#include "base/writer.h"
#include "model/order.h"

enum {
    SHORTEST_WORD = 3,   /* of a class; "N*" would take too much */
    SHORTEST_PREFIX = 2, /* of functions of C */
    FEWEST = 3           /* functions with a prefix: else it is no more than the first word of a name */
};

/* Of all code: classes of a namespace that have less are left to the namespace, other scopes to their library. Prefixes
 * are many, and say less. */
static const double LEAST = 0.002, LEAST_OF_PREFIX = 0.01;

struct scopes {
    struct fm_arena *arena;
    struct fm_scope *items;
    size_t n, capacity;
    struct fm_intern numbers;
    uint64_t bytes;
};

static void add(struct scopes *scopes, const char *name, const char *pattern, uint64_t bytes, bool nested)
{
    struct fm_intern_slot *slot = pattern ? fm_intern_put(&scopes->numbers, scopes->arena, pattern, false) : NULL;
    if (slot && !slot->number) {
        struct fm_scope *grown = fm_arena_grow(scopes->arena, scopes->items, &scopes->capacity, scopes->n + 1,
                                               sizeof *grown);
        if (!grown)
            return;
        scopes->items = grown;
        scopes->items[scopes->n++] = (struct fm_scope){.name = name, .pattern = pattern};
        slot->number = (uint32_t)scopes->n;
    }
    if (!slot)
        return;
    scopes->items[slot->number - 1].functions++;
    scopes->items[slot->number - 1].bytes += bytes;
    scopes->items[slot->number - 1].nested += nested ? bytes : 0;
    scopes->bytes += bytes;
}

/* The length of an identifier that "::" follows; 0: there is none, as in templates and operators. */
static size_t scope_length(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    return strncmp(name + length, "::", 2) == 0 ? length : 0;
}

static void add_outer(struct scopes *scopes, const struct fm_function *functions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = scope_length(functions[i].name);
        const char *name = length ? fm_arena_strndup(scopes->arena, functions[i].name, length) : NULL;
        if (name)
            add(scopes, name, fm_written(scopes->arena, "%s::*", name), functions[i].bytes,
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
    return end < SHORTEST_WORD ? length : end;
}

static void add_classes(struct scopes *classes, const struct fm_function *functions, size_t n, const char *within)
{
    size_t outer = strlen(within);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(functions[i].name, within, outer) != 0 || scope_length(functions[i].name) != outer)
            continue;
        const char *name = functions[i].name + outer + 2;
        size_t word = first_word(name, scope_length(name));
        const char *module = word ? fm_arena_strndup(classes->arena, name, word) : NULL;
        if (module)
            add(classes, module,
                fm_written(classes->arena, "%s::%s%s", within, module, word < SHORTEST_WORD ? "::*" : "*"),
                functions[i].bytes, false);
    }
}

/* Here what is nested are names with a '_' before the prefix. */
static void add_prefixes(struct scopes *prefixes, const struct fm_function *functions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t skipped = strspn(functions[i].name, "_"), length = 0;
        const char *start = functions[i].name + skipped;
        while (isalnum((unsigned char)start[length]))
            length++;
        const char *name = length >= SHORTEST_PREFIX && start[length] == '_'
                               ? fm_arena_strndup(prefixes->arena, start, length)
                               : NULL;
        if (name)
            add(prefixes, name, fm_written(prefixes->arena, "%s_*", name), functions[i].bytes, skipped > 0);
    }
}

static void choose_prefixes(struct scopes *prefixes)
{
    size_t kept = 0;
    for (size_t i = 0; i < prefixes->n; i++) {
        struct fm_scope scope = prefixes->items[i];
        if (scope.functions < FEWEST)
            continue;
        if (scope.nested)
            scope.pattern = fm_written(prefixes->arena, "%s_* _%s_*", scope.name, scope.name);
        if (scope.pattern)
            prefixes->items[kept++] = scope;
    }
    prefixes->n = kept;
}

static int by_name(const void *a, const void *b)
{
    const struct fm_scope *x = a, *y = b;
    return fm_compare_text(x->name, y->name);
}

/* Sorted, without those that have hardly any code and those that a shorter word stands for. */
static void tidy(struct scopes *scopes, double least)
{
    size_t kept = 0;
    if (!fm_sort(scopes->items, scopes->n, sizeof *scopes->items, by_name, scopes->arena))
        return;
    for (size_t i = 0; i < scopes->n; i++) {
        const struct fm_scope *scope = &scopes->items[i];
        bool told = kept && fnmatch(scopes->items[kept - 1].pattern, scope->pattern, 0) == 0;
        if (!told && (double)scope->bytes >= least * (double)scopes->bytes)
            scopes->items[kept++] = *scope;
    }
    scopes->n = kept;
}

size_t fm_scopes_find(const struct fm_function *functions, size_t n, struct fm_scope **scopes, struct fm_arena *arena)
{
    struct scopes outer = {.arena = arena}, classes = {.arena = arena};
    add_outer(&outer, functions, n);
    if (!outer.n) {
        add_prefixes(&outer, functions, n);
        choose_prefixes(&outer);
        tidy(&outer, LEAST_OF_PREFIX);
        *scopes = outer.items;
        return outer.n;
    }
    for (size_t i = 0; i < outer.n && !classes.n; i++)
        if (outer.items[i].nested * 2 > outer.bytes)
            add_classes(&classes, functions, n, outer.items[i].name);
    tidy(&outer, classes.n ? LEAST : 0);
    tidy(&classes, LEAST);
    *scopes = fm_arena_alloc(arena, (classes.n + outer.n) * sizeof **scopes);
    if (!*scopes)
        return 0;
    for (size_t i = 0; i < classes.n; i++)
        (*scopes)[i] = classes.items[i];
    for (size_t i = 0; i < outer.n; i++)
        (*scopes)[classes.n + i] = outer.items[i];
    return classes.n + outer.n;
}
