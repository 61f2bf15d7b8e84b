/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_map.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyse/modules/library_families.h"
#include "base/basename.h"
#include "base/names.h"
#include "symbols/text_file.h"

/* Functions and routines that do nothing but wait. In other collective routines part of the time is waiting. From the C
 * library this includes functions in which a thread sleeps until another thread, another process or a timer wakes it;
 * taking a free lock takes no time, so samples in lock functions are waiting too. Not included: read and write, which
 * are work on files and look the same on pipes; accept, connect and flock, because many programs have functions of
 * their own with these names; and functions that only poll, such as MPI_Test. */
static const char *const default_waits[] = {
    "MPI_Wait*",
    "MPI_Recv",
    "MPI_Mrecv",
    "MPI_Sendrecv*",
    "MPI_Probe",
    "MPI_Mprobe",
    "MPI_Barrier",
    "*futex*wait*",
    "lll_lock_wait*",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_rwlock_*rdlock",
    "pthread_rwlock_*wrlock",
    "pthread_spin_lock",
    "pthread_cond_*wait",
    "pthread_barrier_wait",
    "pthread_*join*",
    "sem_*wait",
    "semop",
    "semtimedop",
    "msgrcv",
    "msgsnd",
    "mq_*receive",
    "mq_*send",
    "recv",
    "recvfrom",
    "recv*msg",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_*wait*",
    "aio_suspend",
    "io_*getevents",
    "sigsuspend",
    "sig*wait*",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
    "*sleep",
    "pause",
};

/* ---- parser ---- */

struct map_reader {
    struct fm_module_map *map;
    struct fm_arena *arena;
    struct fm_error *error;
    unsigned line;
    char *rest; /* of the line */
};

static enum fm_status out_of_memory(struct map_reader *reader)
{
    return fm_fail(reader->error, FM_ERR_MEMORY, "not enough memory for the modules");
}

static enum fm_status __attribute__((format(printf, 2, 3))) bad_line(struct map_reader *reader, const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return fm_fail(reader->error, FM_ERR_INPUT, "%s:%u: %s", reader->map->path, reader->line, what);
}

/* The next word, copied; NULL if there is none, or if out of memory, which sets *status. */
static const char *next_word(struct map_reader *reader, enum fm_status *status)
{
    static const char blanks[] = " \t\r\n";
    char *word = reader->rest + strspn(reader->rest, blanks);
    size_t length = strcspn(word, blanks);
    reader->rest = word + length;
    if (!length)
        return NULL;
    const char *kept = fm_arena_strndup(reader->arena, word, length);
    if (!kept)
        *status = out_of_memory(reader);
    return kept;
}

static enum fm_status add_waiting(struct map_reader *reader, const char *pattern)
{
    struct fm_module_map *map = reader->map;
    if (map->n_waiting == map->waiting_capacity) {
        const char **grown = fm_arena_grow(reader->arena, map->waiting, &map->waiting_capacity, map->n_waiting + 1,
                                           sizeof *map->waiting);
        if (!grown)
            return out_of_memory(reader);
        map->waiting = grown;
    }
    map->waiting[map->n_waiting++] = pattern;
    return FM_OK;
}

static enum fm_status add_default_waits(struct map_reader *reader)
{
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < sizeof default_waits / sizeof *default_waits && !status; i++)
        status = add_waiting(reader, default_waits[i]);
    reader->map->n_usual_waiting = reader->map->n_waiting;
    return status;
}

static enum fm_status read_waiting(struct map_reader *reader)
{
    enum fm_status status = FM_OK;
    const char *word = next_word(reader, &status);
    if (!word)
        return status ? status : bad_line(reader, "'waiting' needs function names, or '+' and function names");
    if (strcmp(word, "+") == 0)
        word = next_word(reader, &status);
    else
        reader->map->n_waiting = reader->map->n_usual_waiting = 0;
    for (; word && !status; word = next_word(reader, &status))
        status = add_waiting(reader, word);
    return status;
}

static enum fm_status add_rule(struct map_reader *reader, struct fm_module_rule rule)
{
    struct fm_module_map *map = reader->map;
    if (map->n_rules == map->rules_capacity) {
        struct fm_module_rule *grown = fm_arena_grow(reader->arena, map->rules, &map->rules_capacity, map->n_rules + 1,
                                                     sizeof *map->rules);
        if (!grown)
            return out_of_memory(reader);
        map->rules = grown;
    }
    map->rules[map->n_rules++] = rule;
    return FM_OK;
}

static enum fm_status read_module(struct map_reader *reader)
{
    static const char *const kinds[] = {
        [FM_RULE_FILE] = "file", [FM_RULE_FUNCTION] = "function", [FM_RULE_LIBRARY] = "library"};
    enum fm_status status = FM_OK;
    const char *module = next_word(reader, &status), *kind = module ? next_word(reader, &status) : NULL;
    struct fm_module_rule rule = {.module = module, .line = reader->line};
    size_t k = 0;
    if (status)
        return status;
    if (!kind)
        return bad_line(reader, "expected 'module NAME file|function|library PATTERN...'");
    while (k < 3 && strcmp(kind, kinds[k]) != 0)
        k++;
    if (k == 3)
        return bad_line(reader, "expected file, function or library, not '%s'", kind);
    rule.kind = k;
    rule.pattern = next_word(reader, &status);
    if (!rule.pattern && !status)
        return bad_line(reader, "missing pattern after '%s'", kind);
    for (; rule.pattern && !status; rule.pattern = next_word(reader, &status))
        status = add_rule(reader, rule);
    return status;
}

static enum fm_status read_group(struct map_reader *reader)
{
    struct fm_module_map *map = reader->map;
    enum fm_status status = FM_OK;
    size_t capacity = 0;
    struct fm_module_group group = {.name = next_word(reader, &status)};
    const char *word = group.name ? next_word(reader, &status) : NULL;
    if (!word)
        return status ? status : bad_line(reader, "expected 'group NAME MODULE...'");
    for (; word && !status; word = next_word(reader, &status)) {
        group.modules = fm_arena_grow(reader->arena, group.modules, &capacity, group.n + 1, sizeof *group.modules);
        if (!group.modules)
            return out_of_memory(reader);
        group.modules[group.n++] = word;
    }
    if (status)
        return status;
    map->groups = fm_arena_grow(reader->arena, map->groups, &map->groups_capacity, map->n_groups + 1,
                                sizeof *map->groups);
    if (!map->groups)
        return out_of_memory(reader);
    map->groups[map->n_groups++] = group;
    return FM_OK;
}

static enum fm_status read_line(struct map_reader *reader, char *line)
{
    enum fm_status status = FM_OK;
    line[strcspn(line, "#")] = 0;
    reader->rest = line;
    reader->line++;
    const char *word = next_word(reader, &status);
    if (!word)
        return status;
    if (strcmp(word, "module") == 0)
        return read_module(reader);
    if (strcmp(word, "group") == 0)
        return read_group(reader);
    if (strcmp(word, "waiting") == 0)
        return read_waiting(reader);
    return bad_line(reader, "expected module, group or waiting, not '%s'", word);
}

/* A group contains only defined modules, and a module is in at most one group. */
static enum fm_status check_groups(struct map_reader *reader)
{
    const struct fm_module_map *map = reader->map;
    for (size_t g = 0; g < map->n_groups; g++) {
        for (size_t m = 0; m < map->groups[g].n; m++) {
            const char *module = map->groups[g].modules[m];
            bool known = strcmp(module, "mpi") == 0;
            for (size_t r = 0; r < map->n_rules && !known; r++)
                known = strcmp(map->rules[r].module, module) == 0;
            if (!known)
                return fm_fail(reader->error, FM_ERR_INPUT,
                               "%s: group %s contains '%s', which no line defines as a module", map->path,
                               map->groups[g].name, module);
            for (size_t i = 0; i < g; i++)
                for (size_t j = 0; j < map->groups[i].n; j++)
                    if (strcmp(map->groups[i].modules[j], module) == 0)
                        return fm_fail(reader->error, FM_ERR_INPUT, "%s: module %s is in two groups, %s and %s",
                                       map->path, module, map->groups[i].name, map->groups[g].name);
        }
    }
    return FM_OK;
}

enum fm_status fm_module_map_usual(struct fm_module_map *map, struct fm_arena *arena, struct fm_error *error)
{
    struct map_reader reader = {.map = map, .arena = arena, .error = error};
    *map = (struct fm_module_map){0};
    return add_default_waits(&reader);
}

enum fm_status fm_module_map_read(struct fm_module_map *map, const char *path, struct fm_arena *arena,
                                  struct fm_error *error)
{
    struct map_reader reader = {.map = map, .arena = arena, .error = error};
    char *text = NULL;
    enum fm_status status = fm_module_map_usual(map, arena, error);
    if (!status)
        status = fm_text_file_read(path, arena, &text, error);
    map->path = path;
    for (char *line; !status && (line = strsep(&text, "\n"));)
        status = read_line(&reader, line);
    return status ? status : check_groups(&reader);
}

/* ---- lookup ---- */

static bool rule_fits(const struct fm_module_rule *rule, const struct fm_context_id *id)
{
    switch (rule->kind) {
    case FM_RULE_FILE:
        return fm_path_fits(rule->pattern, id->defined);
    case FM_RULE_LIBRARY:
        return fm_path_fits(rule->pattern, id->module);
    default:
        return fnmatch(rule->pattern, id->name, 0) == 0;
    }
}

const struct fm_module_rule *fm_module_map_rule(const struct fm_module_map *map, const struct fm_context *context)
{
    for (size_t i = 0; i < map->n_rules; i++)
        if (rule_fits(&map->rules[i], &context->id))
            return &map->rules[i];
    return NULL;
}

static bool is_system_library(const char *path)
{
    return fm_names_begin("/lib/\0/lib64/\0/usr/lib/\0/usr/lib64/\0", path);
}

const char *fm_module_map_name(const struct fm_module_map *map, const struct fm_context *context)
{
    const struct fm_context_id *id = &context->id;
    if (id->kind == FM_CONTEXT_ROUTINE)
        return "mpi";
    if (map->path || (!id->defined[0] && !id->module[0]))
        return FM_UNMAPPED;
    /* Whoever has the debug information of libc installed does not think in its files. */
    return fm_basename(id->defined[0] && !is_system_library(id->module) ? id->defined : id->module);
}

uint32_t fm_module_map_place(const struct fm_module_map *map, const char *module)
{
    size_t i = 0;
    if (!map->path)
        return 0;
    while (i < map->n_rules && strcmp(map->rules[i].module, module) != 0)
        i++;
    return (uint32_t)(i + 1 + (i == map->n_rules && strcmp(module, FM_UNMAPPED) == 0));
}

/* The public name: the C library has "__poll" and "__GI___poll" for poll, and "__libc_pause" for pause. */
static const char *without_prefix(const char *function)
{
    static const char internal[] = "__GI_";
    if (strncmp(function, internal, sizeof internal - 1) == 0)
        function += sizeof internal - 1;
    function += strspn(function, "_");
    return strncmp(function, "libc_", 5) == 0 ? function + 5 : function;
}

bool fm_module_map_waits(const struct fm_module_map *map, const struct fm_context_id *function)
{
    const char *called = without_prefix(function->name);
    bool of_program = function->kind == FM_CONTEXT_FRAME && function->defined[0] &&
                      !is_system_library(function->module);
    for (size_t i = 0; i < map->n_waiting; i++) {
        const char *pattern = map->waiting[i];
        if (i < map->n_usual_waiting && of_program && strncmp(pattern, "MPI_", 4) != 0)
            continue;
        if (fnmatch(pattern, function->name, 0) == 0 || fnmatch(pattern, called, 0) == 0)
            return true;
    }
    return false;
}
