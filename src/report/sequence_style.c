/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sequence_style.h"

#include "base/sort.h"
#include "base/units.h"
#include "model/order.h"
#include "render/chart.h"

const char fm_no_sequence[] =
    "No sequence was recorded: sampling was off (--sample off), or the profile is from an older version of Fathom.";

/* ---- letters and colours ---- */

/* Below 1 % of the time, a module may occur in one run and not in the next. */
static bool is_rare(uint64_t ns, uint64_t whole_ns)
{
    return ns < whole_ns / 100 + (whole_ns % 100 != 0); /* ns * 100 < whole_ns, which could overflow */
}

/* Returns NULL if out of memory. */
static struct fm_styled_module *styled_modules(const struct fm_module_sequence *s, struct fm_arena *arena)
{
    struct fm_styled_module *styled = fm_arena_alloc(arena, s->n_named * sizeof *styled);
    for (size_t i = 0; styled && i < s->n_named; i++)
        styled[i] = (struct fm_styled_module){s->modules[i].name, s->modules[i].place,
                                              is_rare(fm_sequence_ns(s->modules[i].ns), fm_sequence_ns(s->ns))};
    return styled;
}

bool fm_sequence_letters(const struct fm_module_sequence *sequence, struct fm_arena *arena, char *letters)
{
    struct fm_styled_module *styled = styled_modules(sequence, arena);
    if (styled)
        fm_module_letters(styled, sequence->n_named, letters);
    return styled;
}

bool fm_sequence_colours(const struct fm_module_sequence *sequence, struct fm_arena *arena, unsigned *colours)
{
    struct fm_styled_module *styled = styled_modules(sequence, arena);
    if (styled)
        fm_module_colours(styled, sequence->n_named, colours);
    return styled;
}

/* ---- colours of a breakdown ---- */

struct cost_of_item {
    const struct fm_module_item *item;
    uint64_t ns; /* as in the sequence: transfer and waiting are those of its calls */
};

static int compare_costs(const void *a, const void *b)
{
    const struct cost_of_item *x = a, *y = b;
    int order = fm_compare_number(y->ns, x->ns);
    return order ? order : fm_compare_text(x->item->name, y->item->name);
}

static bool is_listed(const struct fm_styled_module *styled, size_t n, const char *name)
{
    while (n > 0 && fm_compare_text(styled[n - 1].name, name) != 0)
        n--;
    return n;
}

/* The modules of the sequence, in its order, and then the other ones of the module file. Returns their number. */
static size_t list_as_sequence(const struct cost_of_item *costs, size_t n, const struct fm_module_map *map,
                               struct fm_styled_module *styled)
{
    size_t listed = 0;
    uint64_t whole = 0;
    for (size_t i = 0; i < n; i++)
        whole += costs[i].ns;
    for (; listed < n && costs[listed].ns; listed++)
        styled[listed] = (struct fm_styled_module){costs[listed].item->name,
                                                   fm_module_map_place(map, costs[listed].item->name),
                                                   is_rare(costs[listed].ns, whole)};
    for (size_t i = 0; map->path && i < map->n_rules; i++) {
        const char *name = map->rules[i].module;
        if (!is_listed(styled, listed, name))
            styled[listed++] = (struct fm_styled_module){name, fm_module_map_place(map, name), false};
    }
    return listed;
}

enum fm_status fm_breakdown_colours(struct fm_report *report, const struct fm_module_breakdown *modules,
                                    unsigned *colours, struct fm_error *error)
{
    struct fm_module_map map;
    size_t n = modules->n_items;
    enum fm_status status = fm_report_module_map(report, &map, error);
    if (status)
        return status;
    struct cost_of_item *costs = fm_arena_alloc(&report->arena, (n + 1) * sizeof *costs);
    struct fm_styled_module *styled = fm_arena_alloc(&report->arena, (n + map.n_rules + 1) * sizeof *styled);
    unsigned *listed = fm_arena_alloc(&report->arena, (n + map.n_rules + 1) * sizeof *listed);
    if (!costs || !styled || !listed)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the colours of modules");
    for (size_t i = 0; i < n; i++) {
        const struct fm_module_item *item = &modules->items[i];
        costs[i] = (struct cost_of_item){item, item->own.work_ns + item->transfers_ns + item->causes_ns};
    }
    if (!fm_sort(costs, n, sizeof *costs, compare_costs, &report->arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the colours of modules");
    fm_module_colours(styled, list_as_sequence(costs, n, &map, styled), listed);
    for (size_t i = 0; i < n; i++) /* costs[i] is styled[i], unless it is in no moment of the sequence */
        colours[costs[i].item - modules->items] = costs[i].ns ? listed[i] : (unsigned)FM_CHART_OTHER;
    return FM_OK;
}

char fm_sequence_sign(const char *letters, const struct fm_module_moment *moment)
{
    if (!moment->module)
        return ' ';
    char letter = letters[moment->module - 1];
    if (moment->state == FM_MODULE_TRANSFER)
        return FM_SEQUENCE_TRANSFER;
    if (moment->state == FM_MODULE_WORK)
        return letter;
    return letter == FM_MODULE_OTHER ? (char)FM_SEQUENCE_OTHER_WAITS : (char)(letter - 'A' + 'a');
}

/* ---- headline ---- */

static double waiting_of(const struct fm_module_row *row)
{
    return fm_ratio((double)row->in[FM_MODULE_WAITING], (double)fm_module_moments(row->in));
}

static const char *ranks_part(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    const struct fm_module_row *max = sequence->rows;
    for (size_t i = 1; i < sequence->n_rows; i++)
        if (waiting_of(&sequence->rows[i]) > waiting_of(max))
            max = &sequence->rows[i];
    if (sequence->n_rows < 2 || !max->in[FM_MODULE_WAITING])
        return "";
    return fm_format(&report->arena, ", most on rank %u", max->rank);
}

const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    const struct fm_module_sequence *s = sequence;
    const struct fm_sequence_module *works = s->modules, *waits = s->modules;
    double whole = (double)fm_sequence_ns(s->ns);
    char share[FM_UNIT_CHARS];
    for (size_t i = 1; i < s->n_modules; i++) {
        works = s->modules[i].ns[FM_MODULE_WORK] > works->ns[FM_MODULE_WORK] ? &s->modules[i] : works;
        waits = s->modules[i].ns[FM_MODULE_WAITING] > waits->ns[FM_MODULE_WAITING] ? &s->modules[i] : waits;
    }
    const char *text = fm_format(&report->arena, "%s: no waiting", report->summary.name);
    if (s->ns[FM_MODULE_WAITING])
        text = fm_format(&report->arena, "%s: waiting %s of the time%s, mostly in calls from %s", report->summary.name,
                         fm_percent_whole(share, fm_ratio((double)s->ns[FM_MODULE_WAITING], whole)),
                         ranks_part(report, s), waits->name);
    if (s->ns[FM_MODULE_TRANSFER])
        text = fm_format(&report->arena, "%s; transfer %s", text,
                         fm_percent_whole(share, fm_ratio((double)s->ns[FM_MODULE_TRANSFER], whole)));
    if (s->ns[FM_MODULE_WORK])
        text = fm_format(&report->arena, "%s; most work is in %s (%s)", text, works->name,
                         fm_percent_whole(share, fm_ratio((double)works->ns[FM_MODULE_WORK], whole)));
    return fm_format(&report->arena, "%s.", text);
}
