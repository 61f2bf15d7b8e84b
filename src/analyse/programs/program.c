/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/programs/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/search.h"

/* ---- names ---- */

enum { MAX_COMPARED = 1000, BUILD_ID_CHARS = 8 }; /* with more programs, the label is the whole path */

/* The suffix of a path with one component more than the suffix `part`. */
static const char *longer_suffix(const char *path, const char *part)
{
    if (part - path < 2)
        return path;
    for (part -= 2; part > path && *part != '/';)
        part--;
    return *part == '/' && part > path ? part + 1 : path;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), part = strlen(end);
    return length >= part && strcmp(path + length - part, end) == 0 &&
           (length == part || *end == '/' || path[length - part - 1] == '/');
}

/* Whether the path of another program has this suffix. */
static bool is_shared(const struct fm_profile *profile, size_t program, const char *end)
{
    for (size_t i = 0; i < profile->n_programs; i++)
        if (i != program && ends_with(profile->programs[i].exe, end))
            return true;
    return false;
}

const char *fm_program_label(const struct fm_profile *profile, size_t program, struct fm_arena *arena)
{
    const char *exe = profile->programs[program].exe, *build_id = profile->programs[program].build_id;
    if (profile->part)
        return profile->part->label;
    const char *end = profile->n_programs > MAX_COMPARED ? exe : fm_basename(exe);
    while (end > exe && is_shared(profile, program, end))
        end = longer_suffix(exe, end);
    if (end > exe || profile->n_programs > MAX_COMPARED || !is_shared(profile, program, end))
        return fm_arena_strndup(arena, end, strlen(end));
    end = fm_basename(exe);
    size_t size = strlen(end) + BUILD_ID_CHARS + sizeof " []";
    char *label = fm_arena_alloc(arena, size);
    if (label)
        snprintf(label, size, "%s [%.*s]", end, BUILD_ID_CHARS, build_id);
    return label;
}

/* Lists all labels, for a message. */
static void list_labels(const struct fm_profile *profile, struct fm_arena *arena, char *list, size_t size)
{
    list[0] = 0;
    for (size_t i = 0; i < profile->n_programs; i++) {
        size_t used = strlen(list);
        const char *label = fm_program_label(profile, i, arena);
        if (used + (label ? strlen(label) : 0) + 8 > size) {
            snprintf(list + used, size - used, ", ...");
            return;
        }
        snprintf(list + used, size - used, "%s%s", i ? ", " : "", label ? label : "?");
    }
}

static bool is_called(const struct fm_profile *profile, size_t program, const char *name, struct fm_arena *arena)
{
    const char *label = fm_program_label(profile, program, arena);
    return (label && strcmp(label, name) == 0) || ends_with(profile->programs[program].exe, name);
}

static size_t number_of(const struct fm_profile *profile, const char *name)
{
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    return isdigit((unsigned char)*name) && !*end && number >= 1 && number <= profile->n_programs ? number - 1
                                                                                                  : FM_NO_PROGRAM;
}

enum fm_status fm_program_find(const struct fm_profile *profile, const char *name, size_t *program,
                               struct fm_error *error)
{
    struct fm_arena arena = {0};
    char list[256];
    size_t found = 0;
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    for (size_t i = 0; i < profile->n_programs && *name; i++)
        if (is_called(profile, i, name, &arena)) {
            *program = i;
            found++;
        }
    for (size_t i = 0; i < profile->n_programs && found > 1; i++)
        if (strcmp(profile->programs[i].exe, name) == 0) { /* the whole path of one, and the end of others */
            *program = i;
            found = 1;
        }
    if (!found && (*program = number_of(profile, name)) != FM_NO_PROGRAM)
        found = 1;
    list_labels(profile, &arena, list, sizeof list);
    fm_arena_destroy(&arena);
    if (found == 1)
        return FM_OK;
    if (!profile->n_programs)
        return fm_fail(error, FM_ERR_INPUT,
                       "the profile does not list the programs of the job: it was written by an older version of "
                       "Fathom");
    return found ? fm_fail(error, FM_ERR_USAGE, "'%s' is the name of %zu programs; choose from %s, or by number", name,
                           found, list)
                 : fm_fail(error, FM_ERR_USAGE, "no program '%s' in the job; choose from %s", name, list);
}

size_t fm_program_of_site(const struct fm_profile *profile, const struct fm_site *site)
{
    for (size_t i = 0; i < profile->n_programs && *site->module; i++)
        if (strcmp(profile->programs[i].exe, site->module) == 0 &&
            strcmp(profile->programs[i].build_id, site->build_id) == 0)
            return i;
    return FM_NO_PROGRAM;
}

/* ---- ranks ---- */

size_t fm_program_of_rank(const struct fm_program_ranges *ranges, uint32_t rank)
{
    size_t i = FM_FIRST_AT_LEAST(ranges->items, ranges->n, last, rank);
    return i < ranges->n && ranges->items[i].first <= rank ? ranges->items[i].program : FM_NO_PROGRAM;
}

static int by_first(const void *a, const void *b)
{
    const struct fm_program_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Whether no two ranges overlap, and every process is in one. */
static bool is_partition(const struct fm_program_ranges *ranges, const struct fm_profile *profile)
{
    for (size_t i = 1; i < ranges->n; i++)
        if (ranges->items[i].first <= ranges->items[i - 1].last)
            return false;
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING &&
            fm_program_of_rank(ranges, profile->processes[i].rank) == FM_NO_PROGRAM)
            return false;
    return true;
}

bool fm_program_ranges_make(const struct fm_profile *profile, struct fm_arena *arena, struct fm_program_ranges *ranges)
{
    size_t n = 0;
    *ranges = (struct fm_program_ranges){0};
    if (profile->n_programs < 2)
        return true;
    for (size_t i = 0; i < profile->n_programs; i++)
        n += profile->programs[i].ranks.n;
    ranges->items = fm_arena_alloc(arena, n * sizeof *ranges->items);
    if (!ranges->items)
        return false;
    for (size_t i = 0; i < profile->n_programs; i++)
        for (size_t k = 0; k < profile->programs[i].ranks.n; k++) {
            const struct fm_range *range = &profile->programs[i].ranks.ranges[k];
            ranges->items[ranges->n++] = (struct fm_program_range){range->first, range->last, i};
        }
    qsort(ranges->items, ranges->n, sizeof *ranges->items, by_first);
    if (!is_partition(ranges, profile))
        ranges->n = 0;
    return true;
}
