/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the functions that tail calls removed from the stack: the paths in the graph of tail calls from the function
 * that a call calls to the function that was found below it. The graph is read only where these two differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols_cache.h"
#include "symbols/symbols_table.h"

/* EXPLORED: functions read at once per module; STEPS: limit of a search. */
enum { MAX_EXPLORED = 512, MAX_STEPS = 1 << 14 };

/* ---- requests ---- */

/* Whether a name is among "a|b|c"; an unknown one, "", is not. */
static bool is_among(const char *name, const char *names)
{
    size_t length = strlen(name);
    for (const char *at = length ? strstr(names, name) : NULL; at; at = strstr(at + 1, name))
        if ((at == names || at[-1] == '|') && (at[length] == 0 || at[length] == '|'))
            return true;
    return false;
}

static bool is_body(const struct fm_lookup *lookup)
{
    return lookup->n > 0 && lookup->frames[0].body;
}

/* What a call should lead to and what it led to; false if these are the same, or unknown. */
static bool describe(struct fm_symbols *symbols, const struct fm_site *call, struct fm_below below,
                     struct fm_tail_path *path)
{
    const struct fm_lookup *from = fm_symbols_lookup_site(symbols, call, FM_RETURN_ADDRESS);
    const struct fm_lookup *to = below.site ? fm_symbols_lookup_site(symbols, below.site, below.kind) : NULL;
    if (!from || !from->resolved || (below.site && (!to || !to->resolved)))
        return false;
    *path = (struct fm_tail_path){.module = from->module, .callee = from->callee};
    path->below = to ? to->module : FM_NO_MODULE;
    path->function = to ? to->function : fm_symbols_text(symbols, below.names);
    if (below.from_runtime && to && to->module != from->module && !from->callee[0] && !is_body(to)) {
        path->module = to->module;
        path->callee = fm_symbols_text(symbols, FM_ANY_BODY);
    }
    if (!path->callee)
        return false;
    return path->function && path->function[0] && path->callee[0] && path->callee != path->function &&
           !is_among(path->callee, path->function);
}

static struct fm_intern_slot *request_of(struct fm_symbols *symbols, const struct fm_tail_path *path, bool add)
{
    char *key;
    if (asprintf(&key, "%u:%s>%u:%s", path->module, path->callee, path->below, path->function) < 0)
        return NULL;
    struct fm_intern_slot *slot = add ? fm_intern_put(&symbols->tail_path_numbers, &symbols->arena, key, true)
                                      : fm_intern_find(&symbols->tail_path_numbers, key);
    free(key);
    return slot;
}

void fm_symbols_want_between(struct fm_symbols *symbols, const struct fm_site *call, struct fm_below below)
{
    struct fm_tail_path path;
    struct fm_intern_slot *slot = describe(symbols, call, below, &path) ? request_of(symbols, &path, true) : NULL;
    if (!slot || slot->number)
        return;
    if (symbols->n_tail_paths == symbols->tail_paths_capacity) {
        struct fm_tail_path *grown = fm_arena_grow(&symbols->arena, symbols->tail_paths, &symbols->tail_paths_capacity,
                                                   symbols->n_tail_paths + 1, sizeof *grown);
        if (!grown)
            return;
        symbols->tail_paths = grown;
    }
    symbols->tail_paths[symbols->n_tail_paths++] = path;
    slot->number = (uint32_t)symbols->n_tail_paths;
}

/* ---- the graph ---- */

/* Reads the tail calls of a function and of all that they reach in this module. */
static void explore(struct fm_symbols *symbols, uint32_t number, struct fm_tail_call_reader *reader,
                    const char *function)
{
    struct fm_symbols_module *module = &symbols->modules[number];
    size_t next = module->tail_calls.n;
    for (size_t n = 0; n < MAX_EXPLORED; n++) {
        if (function[0] && !fm_intern_find(&module->explored, function)) {
            struct fm_tail_call_list list = {0};
            fm_tail_calls_read(reader, function, &list);
            fm_symbols_add_tail_calls(symbols, number, function, list.items, list.n);
        }
        if (next == module->tail_calls.n)
            return;
        function = module->tail_calls.items[next++].to;
    }
}

/* Explores a module for all requests that need it. */
static void explore_module(struct fm_symbols *symbols, uint32_t number)
{
    struct fm_symbols_module *module = &symbols->modules[number];
    struct fm_tail_call_reader *reader = NULL;
    struct fm_load_module_files files;
    struct fm_error error;
    bool found = false, tried = false;
    for (size_t i = 0; i < symbols->n_tail_paths; i++) {
        const struct fm_tail_path *path = &symbols->tail_paths[i];
        if (path->followed || (path->module != number && path->below != number) ||
            fm_intern_find(&module->explored, path->callee))
            continue;
        if (!tried) {
            tried = true;
            found = fm_load_module_files_find(&files, module->path, module->build_id, &symbols->options, &error) ==
                    FM_OK;
            reader = found ? fm_tail_calls_open(&files) : NULL;
        }
        if (reader)
            explore(symbols, number, reader, path->callee);
        else
            fm_symbols_add_tail_calls(symbols, number, path->callee, NULL, 0);
    }
    fm_tail_calls_close(reader);
    if (found)
        fm_symbols_cache_save(symbols, number, &files);
}

/* ---- search ---- */

struct search {
    struct fm_symbols *symbols;
    struct fm_tail_path *path;
    uint32_t module; /* whose graph is searched */
    const char *chain[FM_MAX_TAIL_CALLS];
    const char *found[FM_MAX_TAIL_CALLS];
    size_t n_found, paths, steps;
    size_t next;  /* index in `found` of the function after that of a step */
    bool endless; /* there are tail calls to unknown functions, or more than can be followed */
};

static bool is_target(const struct search *search, const char *function)
{
    if (function == search->path->function)
        return true;
    return search->module != search->path->below && is_among(function, search->path->function);
}

static bool is_repeated(const struct search *search, const char *function, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        if (search->chain[i] == function)
            return true;
    return false;
}

/* An earlier tail call of the same function. */
static bool is_parallel(const struct fm_tail_call_list *list, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (list->items[i].to == list->items[index].to)
            return true;
    return false;
}

/* Continues the chain whose last function is at `depth`. Recursion ends at the maximum number of tail calls. */
static void follow(struct search *search, size_t depth) // NOLINT(misc-no-recursion)
{
    const char *from = search->chain[depth];
    const struct fm_tail_call_list list = fm_symbols_tail_calls_of(search->symbols, search->module, from);
    search->endless |= !fm_intern_find(&search->symbols->modules[search->module].explored, from);
    for (size_t i = 0; i < list.n && search->paths < 2 && !search->endless; i++) {
        const struct fm_tail_call *call = &list.items[i];
        search->endless |= search->steps++ > MAX_STEPS || !call->to[0];
        if (is_parallel(&list, i) || is_repeated(search, call->to, depth + 1))
            continue;
        if (is_target(search, call->to)) {
            search->paths++;
            search->n_found = depth + 1;
            memcpy(search->found, search->chain, sizeof search->found);
        } else if (depth + 1 < FM_MAX_TAIL_CALLS) {
            search->chain[depth + 1] = call->to;
            follow(search, depth + 1);
        } else {
            search->endless = true;
        }
    }
}

/* Whether a function is in the module whose graph is searched: then it is the first in its own list. */
static bool is_in_module(const struct search *search, const char *function)
{
    const struct fm_tail_call_list list = fm_symbols_tail_calls_of(search->symbols, search->module, function);
    return list.n > 0 && list.items[0].to == list.items[0].from;
}

/* Adds the function `from`, which has left the stack by one of its tail calls that `leads`. */
static void add_step(struct search *search, const char *from, bool (*leads)(const struct search *, const char *to))
{
    const struct fm_tail_call_list list = fm_symbols_tail_calls_of(search->symbols, search->module, from);
    struct fm_tail_step *step = &search->path->steps[search->path->n];
    *step = (struct fm_tail_step){0};
    if (!is_in_module(search, from))
        return;
    for (size_t i = 1; i < list.n; i++) {
        bool leaving = leads(search, list.items[i].to);
        step->uncertain |= leaving && !list.items[i].address;
        if (leaving && list.items[i].address && step->n++ < FM_MAX_TAIL_SITES)
            step->addresses[step->n - 1] = list.items[i].address;
    }
    if (step->n == 0) {
        step->uncertain = true;
        step->addresses[step->n++] = list.items[0].address;
    }
    for (size_t i = 0; i < step->n && i < FM_MAX_TAIL_SITES; i++) {
        struct fm_lookup *lookup = fm_symbols_put(search->symbols, search->module, step->addresses[i]);
        if (!lookup)
            return;
        lookup->wanted = true;
    }
    search->path->between = search->module;
    search->path->n++;
}

static bool is_next(const struct search *search, const char *to)
{
    return search->next < search->n_found ? search->found[search->next] == to : is_target(search, to);
}

static bool is_any(const struct search *search, const char *to)
{
    (void)search;
    (void)to;
    return true;
}

/* Returns whether there was anything to be found in the module. */
static bool search_module(struct fm_symbols *symbols, struct fm_tail_path *path, uint32_t module)
{
    struct search search = {.symbols = symbols, .path = path, .module = module, .chain = {path->callee}};
    bool any_body = strcmp(path->callee, FM_ANY_BODY) == 0;
    follow(&search, 0);
    bool left = is_in_module(&search, path->callee);
    path->unknown = search.paths > 1 || search.endless || (search.paths == 0 && left);
    for (size_t i = any_body; !path->unknown && search.paths && i < search.n_found; i++) {
        search.next = i + 1;
        add_step(&search, search.found[i], is_next);
    }
    if (path->unknown && !any_body) /* only the function that was called is certain */
        add_step(&search, path->callee, is_any);
    return search.paths || path->unknown;
}

static void follow_path(struct fm_symbols *symbols, struct fm_tail_path *path)
{
    bool same = path->below == path->module || path->below == FM_NO_MODULE;
    path->followed = true;
    if (!search_module(symbols, path, path->module) && !same)
        search_module(symbols, path, path->below);
}

bool fm_symbols_follow_tail_calls(struct fm_symbols *symbols)
{
    bool any = false;
    size_t first = 0;
    while (first < symbols->n_tail_paths && symbols->tail_paths[first].followed)
        first++;
    if (first == symbols->n_tail_paths)
        return false;
    for (size_t i = 0; i < symbols->n_modules; i++)
        explore_module(symbols, (uint32_t)i);
    for (size_t i = first; i < symbols->n_tail_paths; i++) {
        if (!symbols->tail_paths[i].followed)
            follow_path(symbols, &symbols->tail_paths[i]);
        any |= symbols->tail_paths[i].n > 0;
    }
    return any;
}

/* ---- results ---- */

static bool same_place(const struct fm_lookup *a, const struct fm_lookup *b)
{
    if (!a || !b || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->frames[i].function != b->frames[i].function || a->frames[i].path != b->frames[i].path ||
            a->frames[i].line != b->frames[i].line)
            return false;
    return true;
}

/* The frames of one step. If there are tail calls in several lines, only the function is certain. Copies of a function
 * have the same lines. */
static struct fm_frames frames_of(struct fm_symbols *symbols, uint32_t module, const struct fm_tail_step *step)
{
    struct fm_lookup *lookup = fm_symbols_lookup(symbols, module, step->addresses[0]);
    if (!lookup || lookup->n == 0)
        return (struct fm_frames){0};
    bool certain = step->n <= FM_MAX_TAIL_SITES && !step->uncertain;
    for (size_t i = 1; i < step->n && certain; i++)
        certain = same_place(lookup, fm_symbols_lookup(symbols, module, step->addresses[i]));
    if (certain)
        return fm_symbols_shown(symbols, lookup, FM_RETURN_ADDRESS);
    struct fm_symbol *function = fm_arena_alloc(&symbols->arena, sizeof *function);
    if (!function)
        return (struct fm_frames){0};
    *function = lookup->frames[0];
    function->function = fm_symbols_shown_name(symbols, lookup->module, function->function);
    function->path = function->file = "";
    function->line = 0;
    return (struct fm_frames){function, 1, true};
}

static void make_frames(struct fm_symbols *symbols, struct fm_tail_path *path)
{
    size_t n = path->n;
    path->n = 0;
    path->frames = fm_arena_alloc(&symbols->arena, n * sizeof *path->frames);
    for (size_t i = 0; path->frames && i < n; i++) {
        struct fm_frames frames = frames_of(symbols, path->between, &path->steps[i]);
        if (frames.n > 0)
            path->frames[path->n++] = frames;
    }
}

struct fm_tail_frames fm_symbols_between(struct fm_symbols *symbols, const struct fm_site *call, struct fm_below below)
{
    struct fm_tail_path key;
    const struct fm_intern_slot *slot = describe(symbols, call, below, &key) ? request_of(symbols, &key, false) : NULL;
    if (!slot || !slot->number)
        return (struct fm_tail_frames){0};
    struct fm_tail_path *path = &symbols->tail_paths[slot->number - 1];
    if (path->n && !path->frames)
        make_frames(symbols, path);
    return (struct fm_tail_frames){path->frames, path->n, symbols->modules[path->between].path, path->unknown};
}
