/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basename.h"
#include "symbols/symbols_table.h"

static const char *copy_option(struct fm_symbols *symbols, const char *text)
{
    const char *copy = text && text[0] ? fm_symbols_text(symbols, text) : NULL;
    return copy ? copy : "";
}

struct fm_symbols *fm_symbols_create(const struct fm_symbols_options *options)
{
    struct fm_arena arena = {0};
    struct fm_symbols *symbols = fm_arena_alloc(&arena, sizeof *symbols);
    if (!symbols)
        return NULL;
    symbols->arena = arena;
    symbols->options = *options;
    symbols->source_files.owner = options->owner;
    symbols->options.debug_path = copy_option(symbols, options->debug_path);
    symbols->options.directory = copy_option(symbols, options->directory);
    symbols->options.cache = copy_option(symbols, options->cache);
    setenv("DEBUGINFOD_URLS", "", 1); /* there is no other way to keep elfutils from using the network */
    return symbols;
}

void fm_symbols_destroy(struct fm_symbols *symbols)
{
    if (!symbols)
        return;
    fm_owner_files_close(&symbols->source_files);
    struct fm_arena arena = symbols->arena; /* the struct itself is allocated from it */
    fm_arena_destroy(&arena);
}

const char *fm_symbols_text(struct fm_symbols *symbols, const char *text)
{
    struct fm_intern_slot *slot = fm_intern_put(&symbols->texts, &symbols->arena, text, true);
    return slot ? slot->text : NULL;
}

/* sudo may leave HOME set to the user's directory, whose links root would follow. */
static bool is_ours(const char *directory)
{
    struct stat st;
    return directory && directory[0] == '/' && (stat(directory, &st) != 0 || st.st_uid == geteuid());
}

const char *fm_symbols_cache_directory(char *buffer, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    buffer[0] = 0;
    int length = 0;
    if (base && base[0] == '/') /* relative paths must be ignored, according to the standard */
        length = is_ours(base) ? snprintf(buffer, size, "%s/fathom", base) : 0;
    else if (is_ours(home))
        length = snprintf(buffer, size, "%s/.cache/fathom", home);
    if (length < 0 || (size_t)length >= size)
        buffer[0] = 0;
    return buffer;
}

/* ---- modules ---- */

static bool is_module(const struct fm_symbols_module *module, const struct fm_site *site)
{
    return strcmp(module->path, site->module) == 0 && strcmp(module->build_id, site->build_id) == 0;
}

static bool add_module(struct fm_symbols *symbols, const struct fm_site *site)
{
    if (symbols->n_modules == symbols->modules_capacity) {
        struct fm_symbols_module *grown = fm_arena_grow(&symbols->arena, symbols->modules, &symbols->modules_capacity,
                                                        symbols->n_modules + 1, sizeof *grown);
        if (!grown)
            return false;
        symbols->modules = grown;
    }
    struct fm_symbols_module module = {.path = fm_symbols_text(symbols, site->module),
                                       .build_id = fm_symbols_text(symbols, site->build_id)};
    if (!module.path || !module.build_id)
        return false;
    symbols->modules[symbols->n_modules++] = module;
    return true;
}

/* Index + 1 of the module of a site; 0 if absent (or, with `add`, if out of memory). */
static uint32_t find_module(struct fm_symbols *symbols, const struct fm_site *site, bool add)
{
    if (symbols->last_module && is_module(&symbols->modules[symbols->last_module - 1], site))
        return symbols->last_module;
    char *key;
    if (asprintf(&key, "%s:%s", site->build_id, site->module) < 0)
        return 0;
    struct fm_intern_slot *slot = add ? fm_intern_put(&symbols->module_numbers, &symbols->arena, key, true)
                                      : fm_intern_find(&symbols->module_numbers, key);
    free(key);
    if (slot && slot->number == 0 && add && add_module(symbols, site))
        slot->number = (uint32_t)symbols->n_modules;
    if (!slot || slot->number == 0)
        return 0;
    return symbols->last_module = slot->number;
}

/* ---- addresses ---- */

static struct fm_lookup *probe(struct fm_lookup *slots, size_t capacity, uint32_t module, uint64_t address)
{
    uint64_t hash = (address ^ (uint64_t)module << 48) * 0x9e3779b97f4a7c15u;
    for (size_t at = hash >> 32 & (capacity - 1);; at = (at + 1) & (capacity - 1)) {
        struct fm_lookup *slot = &slots[at];
        if (!slot->used || (slot->address == address && slot->module == module))
            return slot;
    }
}

static bool enlarge(struct fm_symbols *symbols)
{
    size_t capacity = symbols->slots_capacity ? symbols->slots_capacity * 4 : 256;
    struct fm_lookup *slots = fm_arena_alloc(&symbols->arena, capacity * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < symbols->slots_capacity; i++)
        if (symbols->slots[i].used)
            *probe(slots, capacity, symbols->slots[i].module, symbols->slots[i].address) = symbols->slots[i];
    symbols->slots = slots;
    symbols->slots_capacity = capacity;
    return true;
}

struct fm_lookup *fm_symbols_lookup(struct fm_symbols *symbols, uint32_t module, uint64_t address)
{
    if (symbols->slots_capacity == 0)
        return NULL;
    struct fm_lookup *slot = probe(symbols->slots, symbols->slots_capacity, module, address);
    return slot->used ? slot : NULL;
}

static uint64_t lookup_address(const struct fm_site *site, enum fm_address kind)
{
    return kind == FM_RETURN_ADDRESS && site->offset > 0 ? site->offset - 1 : site->offset;
}

struct fm_lookup *fm_symbols_put(struct fm_symbols *symbols, uint32_t module, uint64_t address)
{
    if (symbols->n_slots * 2 >= symbols->slots_capacity && !enlarge(symbols))
        return NULL;
    struct fm_lookup *slot = probe(symbols->slots, symbols->slots_capacity, module, address);
    if (!slot->used) {
        *slot = (struct fm_lookup){.address = address, .module = module, .used = true};
        symbols->n_slots++;
        symbols->modules[module].waiting++;
    }
    return slot;
}

/* Returns NULL if out of memory, or if there is no module. */
static struct fm_lookup *put_site(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind)
{
    uint32_t module = site->module[0] ? find_module(symbols, site, true) : 0;
    return module ? fm_symbols_put(symbols, module - 1, lookup_address(site, kind)) : NULL;
}

void fm_symbols_want(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind)
{
    struct fm_lookup *lookup = put_site(symbols, site, kind);
    if (lookup)
        lookup->wanted = true;
}

/* Replaces its strings by the symbols' own copies. */
static bool own_texts(struct fm_symbols *symbols, struct fm_symbol *frame)
{
    frame->function = fm_symbols_text(symbols, frame->function);
    frame->path = fm_symbols_text(symbols, frame->path);
    frame->defined = fm_symbols_text(symbols, frame->defined);
    frame->body = frame->body ? fm_symbols_text(symbols, frame->body) : NULL;
    if (!frame->function || !frame->path || !frame->defined)
        return false;
    frame->file = fm_basename(frame->path);
    return true;
}

void fm_symbols_answer(struct fm_symbols *symbols, struct fm_lookup *lookup, const struct fm_resolved_address *result)
{
    struct fm_symbol *copy = fm_arena_alloc(&symbols->arena, result->n * sizeof *copy);
    const char *function = fm_symbols_text(symbols, result->function ? result->function : "");
    const char *callee = fm_symbols_text(symbols, result->callee ? result->callee : "");
    if (!copy || !function || !callee)
        return;
    for (size_t i = 0; i < result->n; i++) {
        copy[i] = result->frames[i];
        if (!own_texts(symbols, &copy[i]))
            return;
    }
    if (!lookup->resolved)
        symbols->modules[lookup->module].waiting--;
    lookup->resolved = true;
    lookup->frames = copy;
    lookup->shown = NULL;
    lookup->n = (uint32_t)result->n;
    lookup->function = function;
    lookup->callee = callee;
}

void fm_symbols_know(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind,
                     const struct fm_symbol *frames, size_t n)
{
    struct fm_lookup *lookup = put_site(symbols, site, kind);
    struct fm_resolved_address result = {.n = n};
    if (!lookup || !(result.frames = fm_arena_alloc(&symbols->arena, n * sizeof *frames)))
        return;
    memcpy(result.frames, frames, n * sizeof *frames);
    fm_symbols_answer(symbols, lookup, &result);
}

/* ---- tail calls ---- */

void fm_symbols_add_tail_calls(struct fm_symbols *symbols, uint32_t module, const char *function,
                               const struct fm_tail_call *calls, size_t n)
{
    struct fm_symbols_module *in = &symbols->modules[module];
    const char *from = fm_symbols_text(symbols, function);
    struct fm_intern_slot *slot = from && !fm_intern_find(&in->explored, from)
                                      ? fm_intern_put(&in->explored, &symbols->arena, from, false)
                                      : NULL;
    if (!slot)
        return;
    slot->number = (uint32_t)in->tail_calls.n;
    for (size_t i = 0; i < n; i++) {
        const char *to = fm_symbols_text(symbols, calls[i].to);
        if (in->tail_calls.n == in->tail_calls.capacity) {
            struct fm_tail_call *grown = fm_arena_grow(&symbols->arena, in->tail_calls.items, &in->tail_calls.capacity,
                                                       in->tail_calls.n + 1, sizeof *grown);
            if (!grown)
                return;
            in->tail_calls.items = grown;
        }
        if (to)
            in->tail_calls.items[in->tail_calls.n++] = (struct fm_tail_call){from, to, calls[i].address};
    }
}

struct fm_tail_call_list fm_symbols_tail_calls_of(const struct fm_symbols *symbols, uint32_t module,
                                                  const char *function)
{
    const struct fm_tail_call_list *all = &symbols->modules[module].tail_calls;
    const struct fm_intern_slot *slot = fm_intern_find(&symbols->modules[module].explored, function);
    struct fm_tail_call_list list = {0};
    if (!slot || slot->number >= all->n)
        return list;
    list.items = &all->items[slot->number];
    while (slot->number + list.n < all->n && list.items[list.n].from == slot->text)
        list.n++;
    return list;
}

/* ---- lookup ---- */

static const struct fm_symbol *add_unknown(struct fm_symbols *symbols, struct fm_intern_slot *slot)
{
    if (symbols->n_unknown == symbols->unknown_capacity) {
        struct fm_symbol **grown = fm_arena_grow(&symbols->arena, symbols->unknown, &symbols->unknown_capacity,
                                                 symbols->n_unknown + 1, sizeof *grown);
        if (!grown)
            return NULL;
        symbols->unknown = grown;
    }
    struct fm_symbol *frame = fm_arena_alloc(&symbols->arena, sizeof *frame);
    if (!frame)
        return NULL;
    *frame = (struct fm_symbol){.function = slot->text, .path = "", .file = "", .defined = ""};
    symbols->unknown[symbols->n_unknown++] = frame;
    slot->number = (uint32_t)symbols->n_unknown;
    return frame;
}

static struct fm_frames unknown_frame(struct fm_symbols *symbols, const struct fm_site *site)
{
    static const struct fm_symbol nameless = {.function = "(unknown)", .path = "", .file = "", .defined = ""};
    const struct fm_symbol *frame = NULL;
    char *text;
    if (site->module[0] && asprintf(&text, "%s+0x%" PRIx64, fm_basename(site->module), site->offset) >= 0) {
        struct fm_intern_slot *slot = fm_intern_put(&symbols->unknown_numbers, &symbols->arena, text, true);
        free(text);
        if (slot)
            frame = slot->number ? symbols->unknown[slot->number - 1] : add_unknown(symbols, slot);
    }
    return (struct fm_frames){.items = frame ? frame : &nameless, .n = 1, .known = false};
}

struct fm_lookup *fm_symbols_lookup_site(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind)
{
    uint32_t module = find_module(symbols, site, false);
    return module ? fm_symbols_lookup(symbols, module - 1, lookup_address(site, kind)) : NULL;
}

struct fm_frames fm_symbols_find(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind)
{
    struct fm_lookup *lookup = fm_symbols_lookup_site(symbols, site, kind);
    if (lookup && lookup->n > 0)
        return fm_symbols_shown(symbols, lookup, kind);
    return unknown_frame(symbols, site);
}
