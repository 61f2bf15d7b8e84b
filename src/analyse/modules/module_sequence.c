/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_sequence.h"

#include "base/sort.h"
#include "model/order.h"

enum { MAX_NAMED = 64 }; /* further modules have no style of their own */

const char *const fm_module_states[FM_MODULE_STATES] = {
    [FM_MODULE_WORK] = "work", [FM_MODULE_TRANSFER] = "transfer", [FM_MODULE_WAITING] = "waiting"};

struct sequence_builder {
    const struct fm_profile *profile;
    const struct fm_calltree *calls;
    const struct fm_module_breakdown *modules;
    const struct fm_module_map *map;
    struct fm_arena *arena;
    struct fm_module_sequence *sequence;
    struct fm_module_moment *of_nodes; /* by node of the profile: how it is shown */
};

/* ---- moments ---- */

static void find_modules(struct sequence_builder *m)
{
    for (size_t i = 0; i < m->profile->paths.n; i++) {
        struct fm_module_moment *moment = &m->of_nodes[i];
        uint32_t module = fm_module_shown(m->modules, m->map, m->calls, m->calls->of_nodes[i], &moment->state);
        moment->module = module == UINT32_MAX ? 0 : module + 1;
    }
}

static void count_moment(struct sequence_builder *m, struct fm_module_row *row, const struct fm_module_moment *moment)
{
    struct fm_module_sequence *s = m->sequence;
    if (!moment->module)
        return;
    row->in[moment->state]++;
    s->modules[moment->module - 1].in[moment->state]++;
    s->in[moment->state]++;
}

static bool make_row(struct sequence_builder *m, const struct fm_sequence_row *from, struct fm_module_row *row)
{
    size_t n = m->sequence->n_moments;
    *row = (struct fm_module_row){.rank = from->rank, .moments = fm_arena_alloc(m->arena, n * sizeof *row->moments)};
    for (size_t i = 0; row->moments && i < n; i++) {
        if (from->cells[i])
            row->moments[i] = m->of_nodes[from->cells[i] - 1];
        count_moment(m, row, &row->moments[i]);
    }
    return row->moments;
}

static bool make_rows(struct sequence_builder *m)
{
    const struct fm_sequence *from = &m->profile->paths.sequence;
    struct fm_module_sequence *s = m->sequence;
    uint64_t first = from->first << from->shift, start = m->profile->job.started_real_ns;
    s->start_ns = first > start ? first - start : 0;
    s->moment_ns = 1ull << from->shift;
    s->n_moments = from->n_cells;
    s->rank_step = 1u << from->rank_shift;
    s->rows = fm_arena_alloc(m->arena, from->n * sizeof *s->rows);
    s->modules = fm_arena_alloc(m->arena, (m->modules->n_items + MAX_NAMED) * sizeof *s->modules);
    if (!s->rows || !s->modules)
        return false;
    for (size_t i = 0; i < m->modules->n_items; i++) {
        const struct fm_module_item *item = &m->modules->items[i];
        s->modules[i] = (struct fm_sequence_module){.name = item->name,
                                                    .ns = {item->own.work_ns, item->transfers_ns, item->causes_ns}};
        for (enum fm_module_state state = 0; state < FM_MODULE_STATES; state++)
            s->ns[state] += s->modules[i].ns[state];
    }
    for (; s->n_rows < from->n; s->n_rows++)
        if (!make_row(m, &from->rows[s->n_rows], &s->rows[s->n_rows]))
            return false;
    return true;
}

/* ---- list of modules ---- */

struct numbered_module {
    struct fm_sequence_module module;
    uint32_t number;
};

static int compare(const void *a, const void *b)
{
    const struct fm_sequence_module *x = &((const struct numbered_module *)a)->module,
                                    *y = &((const struct numbered_module *)b)->module;
    int order = fm_compare_number(fm_sequence_ns(y->ns), fm_sequence_ns(x->ns));
    order = order ? order : fm_compare_number(fm_module_moments(y->in), fm_module_moments(x->in));
    return order ? order : fm_compare_text(x->name, y->name);
}

/* Sorts modules by time, drops those without, and renumbers the moments. */
static bool sort_modules(struct sequence_builder *m)
{
    struct fm_module_sequence *s = m->sequence;
    size_t n = m->modules->n_items;
    struct numbered_module *items = fm_arena_alloc(m->arena, n * sizeof *items);
    uint32_t *numbers = fm_arena_alloc(m->arena, (n + 1) * sizeof *numbers);
    if (!items || !numbers)
        return false;
    for (uint32_t i = 0; i < n; i++)
        items[i] = (struct numbered_module){s->modules[i], i};
    if (!fm_sort(items, n, sizeof *items, compare, m->arena))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        s->modules[i] = items[i].module;
        s->n_modules += fm_sequence_ns(items[i].module.ns) || fm_module_moments(items[i].module.in);
        numbers[items[i].number + 1] = i + 1;
    }
    for (size_t row = 0; row < s->n_rows; row++)
        for (size_t i = 0; i < s->n_moments; i++)
            s->rows[row].moments[i].module = numbers[s->rows[row].moments[i].module];
    return true;
}

static struct fm_sequence_module *find_module(const struct fm_module_sequence *s, const char *name)
{
    for (size_t i = 0; i < s->n_named; i++)
        if (fm_compare_text(s->modules[i].name, name) == 0)
            return &s->modules[i];
    return NULL;
}

static void add_named(struct sequence_builder *m)
{
    struct fm_module_sequence *s = m->sequence;
    s->n_named = s->n_modules;
    for (size_t i = 0; i < s->n_modules; i++)
        s->modules[i].place = fm_module_map_place(m->map, s->modules[i].name);
    for (size_t i = 0; m->map->path && i < m->map->n_rules && s->n_named < s->n_modules + MAX_NAMED; i++) {
        const char *name = m->map->rules[i].module;
        if (!find_module(s, name))
            s->modules[s->n_named++] = (struct fm_sequence_module){.name = name,
                                                                   .place = fm_module_map_place(m->map, name)};
    }
}

enum fm_status fm_module_sequence_make(const struct fm_profile *profile, const struct fm_calltree *calls,
                                       const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                                       struct fm_arena *arena, struct fm_module_sequence *sequence,
                                       struct fm_error *error)
{
    struct sequence_builder builder = {profile, calls, modules, map, arena, sequence, NULL};
    *sequence = (struct fm_module_sequence){0};
    builder.of_nodes = fm_arena_alloc(arena, profile->paths.n * sizeof *builder.of_nodes);
    if (builder.of_nodes)
        find_modules(&builder);
    if (!builder.of_nodes || !make_rows(&builder) || !sort_modules(&builder))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the sequence");
    add_named(&builder);
    return FM_OK;
}

size_t fm_module_moments(const size_t in[FM_MODULE_STATES])
{
    return in[FM_MODULE_WORK] + in[FM_MODULE_TRANSFER] + in[FM_MODULE_WAITING];
}

uint64_t fm_sequence_ns(const uint64_t ns[FM_MODULE_STATES])
{
    return ns[FM_MODULE_WORK] + ns[FM_MODULE_TRANSFER] + ns[FM_MODULE_WAITING];
}

size_t fm_module_run(const struct fm_module_sequence *sequence, const struct fm_module_row *row, size_t at)
{
    size_t end = at + 1;
    while (end < sequence->n_moments && row->moments[end].module == row->moments[at].module &&
           row->moments[end].state == row->moments[at].state)
        end++;
    return end - at;
}
