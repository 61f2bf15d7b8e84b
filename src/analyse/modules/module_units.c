/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_units.h"

#include <string.h>

#include "analyse/modules/code_division.h"
#include "base/basename.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/writer.h"
#include "model/order.h"

enum { SMALL = 50 }; /* a part with less than 1 / SMALL of the code of another is small */

/* ---- selection ---- */

static int heaviest_first(const void *a, const void *b)
{
    const struct fm_part_of_code *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : fm_compare_text(x->key, y->key);
}

static uint64_t weight_of(const struct fm_code_parts *parts)
{
    uint64_t weight = 0;
    for (size_t i = 0; i < parts->n; i++)
        weight += parts->items[i].weight;
    return weight;
}

/* The heaviest part that contains more than two thirds of the code and is not known to be indivisible. */
static struct fm_part_of_code *to_divide(const struct fm_code_parts *chosen, uint64_t total)
{
    for (size_t i = 0; i < chosen->n; i++)
        if (!chosen->items[i].final && chosen->items[i].weight > total / 3 * 2)
            return &chosen->items[i];
    return NULL;
}

/* Removes parts that are not worth a place which others need. Returns the new place of `part`. */
static struct fm_part_of_code *remove_small(struct fm_code_parts *chosen, const struct fm_part_of_code *part)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < chosen->n; i++) {
        if (chosen->items[i].weight < part->weight / SMALL)
            continue;
        at = &chosen->items[i] == part ? kept : at;
        chosen->items[kept++] = chosen->items[i];
    }
    chosen->n = kept;
    return &chosen->items[at];
}

/* Replaces a part by its own parts, so that there are at most `max`. A namespace stays if most of its code is in none of
 * its classes. */
static void replace(struct fm_code_parts *chosen, struct fm_part_of_code *part, size_t max)
{
    struct fm_code_parts inner = {.arena = chosen->arena};
    fm_code_divide(part, &inner);
    if (inner.n > max - (chosen->n - 1))
        part = remove_small(chosen, part);
    size_t room = max - (chosen->n - 1);
    if (inner.n > room && part->level != FM_LEVEL_FILES && part->level != FM_LEVEL_CLASSES)
        fm_code_combine(&inner);
    if (!inner.n || (part->level == FM_LEVEL_SCOPE && weight_of(&inner) < part->weight / 2) ||
        !fm_sort(inner.items, inner.n, sizeof *inner.items, heaviest_first, chosen->arena)) {
        part->final = true;
        return;
    }
    *part = chosen->items[--chosen->n];
    for (size_t i = 0; i < inner.n && i < room; i++)
        fm_code_parts_append(chosen, &inner.items[i]);
}

/* ---- patterns ---- */

/* Whether a file with this name, or one that begins with this word, is in another directory as well. */
static bool is_ambiguous(const struct fm_part_of_code *part, const struct fm_code *code, size_t n)
{
    const char *name = fm_basename(part->key);
    size_t directory = (size_t)(name - part->key), length = strlen(name);
    for (size_t i = 0; i < n; i++) {
        const char *other = fm_basename(code[i].file);
        if (strncmp(other, name, length) == 0 &&
            (other[length] == '.' || (part->level == FM_LEVEL_FILES && other[length] == '_')) &&
            ((size_t)(other - code[i].file) != directory || strncmp(code[i].file, part->key, directory) != 0))
            return true;
    }
    return false;
}

/* The last `components` of a path as a pattern, after "*" if something is before them. */
static const char *path_pattern(struct fm_arena *arena, const char *path, size_t components)
{
    const char *from = path + strlen(path);
    for (; from > path && components; components -= *from == '/')
        from--;
    const char *pattern = fm_module_word(arena, from, strlen(from), '?');
    return from > path ? fm_written(arena, "*%s", pattern) : pattern;
}

static bool is_one_file(const struct fm_part_of_code *part)
{
    for (size_t i = 1; i < part->n; i++)
        if (strcmp(part->code[i]->file, part->code[0]->file) != 0)
            return false;
    return true;
}

static const char *file_patterns(const struct fm_part_of_code *part, const struct fm_code *code, size_t n,
                                 struct fm_arena *arena)
{
    const char *path = is_one_file(part) ? part->code[0]->file : part->key;
    const char *start = is_ambiguous(part, code, n)
                            ? path_pattern(arena, path, 2)
                            : fm_module_word(arena, fm_basename(path), strlen(fm_basename(path)), '?');
    if (path != part->key || !start)
        return start;
    if (part->level == FM_LEVEL_FILE)
        return fm_written(arena, "%s.*", start);
    return part->alone ? fm_written(arena, "%s.* %s_*", start, start) : fm_written(arena, "%s_*", start);
}

static const char *scope_patterns(const struct fm_part_of_code *part, struct fm_arena *arena)
{
    size_t length = strlen(part->key);
    bool plain = false, template = false;
    for (size_t i = 0; i < part->n; i++) {
        plain |= part->code[i]->name[length] == ':';
        template |= part->code[i]->name[length] == '<';
    }
    return fm_written(arena, "%s%s%s%s%s", plain ? part->key : "", plain ? "::*" : "", plain && template ? " " : "",
                      template ? part->key : "", template ? "<*" : "");
}

static const char *patterns_of(const struct fm_part_of_code *part, const struct fm_code *code, size_t n,
                               struct fm_arena *arena)
{
    switch (part->level) {
    case FM_LEVEL_DIRECTORY: {
        const char *pattern = path_pattern(arena, part->key, 2);
        return pattern ? fm_written(arena, "%s/*", pattern) : NULL;
    }
    case FM_LEVEL_FILES:
    case FM_LEVEL_FILE:
        return file_patterns(part, code, n, arena);
    case FM_LEVEL_CLASSES:
        return fm_written(arena, "%s*", part->key);
    case FM_LEVEL_PREFIX:
        return part->underscored ? fm_written(arena, "%s_* _%s_*", part->key, part->key)
                                 : fm_written(arena, "%s_*", part->key);
    default:
        return scope_patterns(part, arena);
    }
}

/* ---- names ---- */

const char *fm_module_word(struct fm_arena *arena, const char *text, size_t length, char replacement)
{
    char *word = fm_arena_strndup(arena, text, length);
    for (char *at = word; at && *at; at++)
        if (strchr(" \t\n\v\f\r#*?[]\\", *at))
            *at = replacement;
    return word ? word : "";
}

/* The last `components` of the key. */
static const char *name_of(const struct fm_part_of_code *part, size_t components, struct fm_arena *arena)
{
    const char *from = part->key + strlen(part->key), *name = from;
    while (from > part->key) {
        from--;
        bool separates = *from == '/' || (*from == ':' && from[1] == ':');
        if (separates && !--components)
            break;
        if (*from != '/' && *from != ':')
            name = from;
    }
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '_')
        length--;
    return fm_module_word(arena, name, length, '_');
}

/* Names that have a meaning of their own in a draft, or are used already, are preceded by what contains them:
 * "source/mpi". */
static const char *unique_name(const struct fm_part_of_code *part, struct fm_intern *used, struct fm_arena *arena)
{
    enum { MAX_COMPONENTS = 8 };
    for (size_t components = 1; components <= MAX_COMPONENTS; components++) {
        const char *name = name_of(part, components, arena);
        struct fm_intern_slot *slot = fm_intern_put(used, arena, name, false);
        if (slot && !slot->number++)
            return name;
    }
    return fm_module_word(arena, part->key, strlen(part->key), '_');
}

static int by_name(const void *a, const void *b)
{
    const struct fm_module_unit *x = a, *y = b;
    return fm_compare_text(x->name, y->name);
}

size_t fm_module_units_find(const struct fm_code *code, size_t n, size_t max, uint64_t min,
                            struct fm_module_unit **units, struct fm_arena *arena)
{
    static const char *const reserved[] = {"mpi", "system", "threads", "libraries"};
    struct fm_code_parts chosen = {.arena = arena};
    struct fm_intern used = {0};
    size_t n_units = 0;
    fm_code_divide_all(code, n, &chosen);
    uint64_t total = weight_of(&chosen);
    if (chosen.n > max)
        fm_code_combine(&chosen);
    if (!fm_sort(chosen.items, chosen.n, sizeof *chosen.items, heaviest_first, arena))
        return 0;
    chosen.n = chosen.n < max ? chosen.n : max;
    for (struct fm_part_of_code *part; (part = to_divide(&chosen, total));)
        replace(&chosen, part, max);
    if (chosen.n == 1 && chosen.items[0].level != FM_LEVEL_PREFIX && chosen.items[0].weight > total / 10 * 9)
        return 0;
    *units = fm_arena_alloc(arena, chosen.n * sizeof **units);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        struct fm_intern_slot *slot = fm_intern_put(&used, arena, reserved[i], false);
        if (slot)
            slot->number++;
    }
    for (size_t i = 0; *units && i < chosen.n; i++) {
        const struct fm_part_of_code *part = &chosen.items[i];
        const char *patterns = part->weight >= min ? patterns_of(part, code, n, arena) : NULL;
        if (patterns)
            (*units)[n_units++] = (struct fm_module_unit){unique_name(part, &used, arena), patterns,
                                                          part->level <= FM_LEVEL_FILE};
    }
    return fm_sort(*units, n_units, sizeof **units, by_name, arena) ? n_units : 0;
}
