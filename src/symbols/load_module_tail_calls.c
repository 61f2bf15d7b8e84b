/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/load_module_tail_calls.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/call_sites.h"
#include "symbols/dwfl_module.h"
#include "symbols/function_index.h"

enum { MAX_DEPTH = 256 };

struct fm_tail_call_reader {
    struct fm_arena arena;
    struct fm_dwfl_module module;
    struct fm_function_index index;
};

struct fm_tail_call_reader *fm_tail_calls_open(const struct fm_load_module_files *files)
{
    struct fm_arena arena = {0};
    struct fm_tail_call_reader *reader = fm_arena_alloc(&arena, sizeof *reader);
    if (!reader)
        return NULL;
    reader->arena = arena;
    if (fm_dwfl_module_open(&reader->module, files) && reader->module.dwarf) {
        fm_function_index_open(&reader->index, &reader->arena, &reader->module);
        return reader;
    }
    fm_tail_calls_close(reader);
    return NULL;
}

void fm_tail_calls_close(struct fm_tail_call_reader *reader)
{
    if (!reader)
        return;
    fm_dwfl_module_close(&reader->module);
    struct fm_arena arena = reader->arena; /* the struct itself is allocated from it */
    fm_arena_destroy(&arena);
}

struct tail_call_search {
    struct fm_tail_call_reader *reader;
    struct fm_tail_call_list *list;
    uint64_t bias;
    bool found;
};

static void add_tail_call(struct fm_tail_call_reader *reader, struct fm_tail_call call, struct fm_tail_call_list *list)
{
    if (list->n == list->capacity) {
        struct fm_tail_call *grown = fm_arena_grow(&reader->arena, list->items, &list->capacity, list->n + 1,
                                                   sizeof *grown);
        if (!grown)
            return;
        list->items = grown;
    }
    list->items[list->n++] = call;
}

static void list_tail_calls(struct fm_tail_call_reader *reader, const char *from, Dwarf_Die *parent, unsigned depth,
                            struct fm_tail_call_list *list)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        struct fm_call_site site;
        if (fm_call_site_read(&die, &site)) {
            const char *to = site.tail_call && site.direct ? fm_function_key(&reader->arena, &site.callee) : "";
            if (site.tail_call && to)
                add_tail_call(reader, (struct fm_tail_call){from, to, site.address + reader->module.bias}, list);
        } else if (dwarf_tag(&die) != DW_TAG_subprogram && dwarf_haschildren(&die) > 0) {
            list_tail_calls(reader, from, &die, depth + 1, list);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static void read_function(void *context, const struct fm_unit_function *function)
{
    struct tail_call_search *search = context;
    Dwarf_Die die = function->die;
    Dwarf_Addr entry;
    if (!search->found && dwarf_entrypc(&die, &entry) == 0)
        add_tail_call(search->reader, (struct fm_tail_call){function->key, function->key, entry + search->bias},
                      search->list);
    search->found = true;
    list_tail_calls(search->reader, function->key, &die, 0, search->list);
    if (!fm_call_sites_complete(&die))
        add_tail_call(search->reader, (struct fm_tail_call){function->key, "", 0}, search->list);
}

/* A body without tail calls stays on the stack. */
static void read_body(void *context, const struct fm_unit_function *function)
{
    struct tail_call_search *search = context;
    struct fm_tail_call_list calls = {0};
    Dwarf_Die die = function->die;
    list_tail_calls(search->reader, function->key, &die, 0, &calls);
    if (calls.n || !fm_call_sites_complete(&die))
        add_tail_call(search->reader, (struct fm_tail_call){FM_ANY_BODY, function->key, 0}, search->list);
}

void fm_tail_calls_read(struct fm_tail_call_reader *reader, const char *function, struct fm_tail_call_list *list)
{
    struct tail_call_search search = {.reader = reader, .list = list, .bias = reader->module.bias};
    if (strcmp(function, FM_ANY_BODY) == 0)
        fm_function_index_outlined(&reader->index, read_body, &search);
    else
        fm_function_index_find(&reader->index, function, read_function, &search);
}
