/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/code_division.h"

#include <ctype.h>
#include <string.h>

#include "base/basename.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/writer.h"
#include "model/order.h"

enum {
    MIN_WORD = 3,      /* of a class name; "N*" would match too much */
    MIN_PREFIX = 2,    /* of C functions */
    MIN_FUNCTIONS = 3, /* functions with a prefix; a rarer prefix is just the first word of a name */
    PREFIX_SHARE = 100 /* a prefix has at least 1 / PREFIX_SHARE of the code: there are many, and they mean little */
};

/* Not written by the developers of the program: headers, and what compilers and the C library link into programs. */
static const char foreign_files[] = "/usr/include/*\0/usr/lib/*\0/usr/lib64/*\0/usr/local/include/*\0*/include/c++/*\0"
                                    "*/libgcc/*\0*/libstdc++-v3/*\0*/libgfortran/*\0*/libgomp/*\0*/libquadmath/*\0"
                                    "*/compiler-rt/*\0*/glibc-*/*\0*/sysdeps/*\0*/csu/*\0<built-in>\0";
static const char foreign_scopes[] = "std::\0__gnu_cxx::\0__cxxabiv1::\0MPI::\0";

/* ---- lists ---- */

void fm_code_parts_append(struct fm_code_parts *parts, const struct fm_part_of_code *part)
{
    struct fm_part_of_code *grown = fm_arena_grow(parts->arena, parts->items, &parts->capacity, parts->n + 1,
                                                  sizeof *grown);
    if (!grown)
        return;
    parts->items = grown;
    parts->items[parts->n++] = *part;
}

static struct fm_part_of_code *part_with(struct fm_code_parts *parts, enum fm_code_level level, const char *key)
{
    const char *id = fm_written(parts->arena, "%d %s", (int)level, key);
    struct fm_intern_slot *slot = id ? fm_intern_put(&parts->numbers, parts->arena, id, false) : NULL;
    if (!slot)
        return NULL;
    if (!slot->number) {
        fm_code_parts_append(parts, &(struct fm_part_of_code){.level = level, .key = key});
        slot->number = (uint32_t)parts->n;
    }
    return slot->number ? &parts->items[slot->number - 1] : NULL;
}

static void add_code(struct fm_code_parts *parts, struct fm_part_of_code *part, const struct fm_code *code)
{
    const struct fm_code **grown = fm_arena_grow(parts->arena, part->code, &part->capacity, part->n + 1, sizeof *grown);
    if (!grown)
        return;
    part->code = grown;
    part->code[part->n++] = code;
    part->weight += code->weight;
}

static struct fm_part_of_code *put(struct fm_code_parts *parts, enum fm_code_level level, const char *text,
                                   size_t length, const struct fm_code *code)
{
    const char *key = fm_arena_strndup(parts->arena, text, length);
    struct fm_part_of_code *part = key ? part_with(parts, level, key) : NULL;
    if (part)
        add_code(parts, part, code);
    return part;
}

/* ---- levels ---- */

static bool is_path(const struct fm_part_of_code *part)
{
    return part->level <= FM_LEVEL_FILE;
}

/* The name of a part within what contains it. */
static const char *last_component(const struct fm_part_of_code *part)
{
    if (is_path(part))
        return fm_basename(part->key);
    const char *name = part->key;
    for (const char *colons = name; (colons = strstr(colons, "::")); colons += strlen("::"))
        name = colons + strlen("::");
    return name;
}

/* Puts code into the next directory below `directory`, or into its file. */
static void put_path(struct fm_code_parts *parts, size_t directory, const struct fm_code *code)
{
    const char *at = code->file + directory;
    at += *at == '/';
    const char *slash = strchr(at, '/'), *dot = strrchr(at, '.');
    if (slash)
        put(parts, FM_LEVEL_DIRECTORY, code->file, (size_t)(slash - code->file), code);
    else
        put(parts, FM_LEVEL_FILE, code->file, dot && dot > at ? (size_t)(dot - code->file) : strlen(code->file), code);
}

static size_t identifier_length(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    return length;
}

static const char *after_template_arguments(const char *name)
{
    size_t open = 0;
    if (*name != '<')
        return name;
    for (; *name; name++) {
        open += *name == '<';
        open -= *name == '>';
        if (!open)
            return name + 1;
    }
    return name;
}

/* The length of an identifier that is followed by "::", perhaps after template arguments; otherwise 0. */
static size_t scope_length(const char *name)
{
    size_t length = identifier_length(name);
    return strncmp(after_template_arguments(name + length), "::", 2) == 0 ? length : 0;
}

static bool is_foreign(const struct fm_code *code)
{
    return fm_names_fit(foreign_files, code->file) || fm_names_begin(foreign_scopes, code->name);
}

/* Puts code into the next namespace below `scope`. A class with template arguments contains none. */
static void put_scope(struct fm_code_parts *parts, const char *scope, const struct fm_code *code)
{
    const char *at = code->name + strlen(scope);
    if (*scope && strncmp(at, "::", 2) != 0)
        return;
    at += *scope ? 2 : 0;
    size_t length = scope_length(at);
    if (length && !is_foreign(code))
        put(parts, FM_LEVEL_SCOPE, code->name, (size_t)(at - code->name) + length, code);
}

static void put_prefix(struct fm_code_parts *parts, const struct fm_code *code)
{
    size_t skipped = strspn(code->name, "_"), length = 0;
    const char *start = code->name + skipped;
    while (isalnum((unsigned char)start[length]))
        length++;
    struct fm_part_of_code *part = length >= MIN_PREFIX && start[length] == '_'
                                       ? put(parts, FM_LEVEL_PREFIX, start, length, code)
                                       : NULL;
    if (part)
        part->underscored |= skipped > 0;
}

static void remove_rare_prefixes(struct fm_code_parts *parts, uint64_t total)
{
    size_t kept = 0;
    for (size_t i = 0; i < parts->n; i++) {
        const struct fm_part_of_code *part = &parts->items[i];
        if (part->level != FM_LEVEL_PREFIX || (part->n >= MIN_FUNCTIONS && part->weight >= total / PREFIX_SHARE))
            parts->items[kept++] = *part;
    }
    parts->n = kept;
}

void fm_code_divide_all(const struct fm_code *code, size_t n, struct fm_code_parts *parts)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_foreign(&code[i]))
            continue;
        total += code[i].weight;
        if (code[i].file[0])
            put_path(parts, 0, &code[i]);
        else
            put_scope(parts, "", &code[i]);
    }
    if (parts->n)
        return;
    for (size_t i = 0; i < n; i++)
        put_prefix(parts, &code[i]);
    remove_rare_prefixes(parts, total);
}

/* The namespace that contains the classes. */
static const char *scope_around(const struct fm_part_of_code *part, struct fm_arena *arena)
{
    size_t length = (size_t)(last_component(part) - part->key);
    return length ? fm_arena_strndup(arena, part->key, length - strlen("::")) : "";
}

static void put_next(struct fm_code_parts *parts, const struct fm_part_of_code *part, const char *scope,
                     const struct fm_code *code)
{
    switch (part->level) {
    case FM_LEVEL_DIRECTORY:
        put_path(parts, strlen(part->key), code);
        break;
    case FM_LEVEL_FILES:
        put_path(parts, (size_t)(last_component(part) - part->key), code);
        break;
    case FM_LEVEL_PREFIX:
        break;
    default:
        put_scope(parts, scope, code);
    }
}

void fm_code_divide(const struct fm_part_of_code *part, struct fm_code_parts *parts)
{
    const char *scope = part->level == FM_LEVEL_SCOPE     ? part->key
                        : part->level == FM_LEVEL_CLASSES ? scope_around(part, parts->arena)
                                                          : "";
    for (size_t i = 0; scope && i < part->n; i++)
        put_next(parts, part, scope, part->code[i]);
    if (parts->n || part->level != FM_LEVEL_FILE)
        return;
    for (size_t i = 0; i < part->n; i++)
        put_prefix(parts, part->code[i]);
    remove_rare_prefixes(parts, part->weight);
}

/* ---- words ---- */

/* The length of the first word: "ice" of "ice_melt", "Pair" of "PairLJCut". */
static size_t first_word(const char *name, enum fm_code_level level)
{
    size_t length = strlen(name), end = strcspn(name + 1, "_") + 1;
    if (end < length || level == FM_LEVEL_FILE)
        return end + (level == FM_LEVEL_SCOPE);
    end = 0;
    while (end < length && isupper((unsigned char)name[end]))
        end++;
    while (end < length && (islower((unsigned char)name[end]) || isdigit((unsigned char)name[end])))
        end++;
    return end < MIN_WORD ? length : end;
}

/* The part of the key that ends with the first word of the name. */
static const char *word_key(const struct fm_part_of_code *part, struct fm_arena *arena)
{
    const char *name = last_component(part);
    return fm_arena_strndup(arena, part->key, (size_t)(name - part->key) + first_word(name, part->level));
}

static void merge_into(struct fm_code_parts *parts, struct fm_part_of_code *to, const struct fm_part_of_code *from)
{
    for (size_t i = 0; i < from->n; i++)
        add_code(parts, to, from->code[i]);
}

static void combine(struct fm_code_parts *into, const struct fm_part_of_code *part, const char *word, bool shared)
{
    if (part->level == FM_LEVEL_FILE && !shared) {
        fm_code_parts_append(into, part);
        return;
    }
    struct fm_part_of_code *combined = part_with(into, part->level == FM_LEVEL_FILE ? FM_LEVEL_FILES : FM_LEVEL_CLASSES,
                                                 shared ? word : part->key);
    if (!combined)
        return;
    merge_into(into, combined, part);
    combined->alone |= strcmp(part->key, word) == 0;
}

static int by_key(const void *a, const void *b)
{
    const struct fm_part_of_code *x = a, *y = b;
    return x->level != y->level ? (x->level < y->level ? -1 : 1) : fm_compare_text(x->key, y->key);
}

/* The pattern of "Fix" matches the classes of "Fixed" as well. */
static void merge_covered(struct fm_code_parts *parts)
{
    size_t kept = 0;
    if (!fm_sort(parts->items, parts->n, sizeof *parts->items, by_key, parts->arena))
        return;
    for (size_t i = 0; i < parts->n; i++) {
        struct fm_part_of_code *part = &parts->items[i], *before = kept ? &parts->items[kept - 1] : part;
        if (kept && part->level == FM_LEVEL_CLASSES && before->level == FM_LEVEL_CLASSES &&
            fm_begins_with(part->key, before->key))
            merge_into(parts, before, part);
        else
            parts->items[kept++] = *part;
    }
    parts->n = kept;
}

void fm_code_combine(struct fm_code_parts *parts)
{
    struct fm_code_parts combined = {.arena = parts->arena};
    struct fm_intern words = {0};
    for (int counted = 0; counted < 2; counted++)
        for (size_t i = 0; i < parts->n; i++) {
            const struct fm_part_of_code *part = &parts->items[i];
            bool has_word = part->level == FM_LEVEL_FILE || part->level == FM_LEVEL_SCOPE;
            const char *word = has_word ? word_key(part, parts->arena) : NULL;
            struct fm_intern_slot *slot = word ? fm_intern_put(&words, parts->arena, word, false) : NULL;
            if (!counted && slot)
                slot->number++;
            else if (counted && slot)
                combine(&combined, part, word, slot->number > 1);
            else if (counted)
                fm_code_parts_append(&combined, part);
        }
    merge_covered(&combined);
    *parts = combined;
}
