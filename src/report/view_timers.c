/* SPDX-License-Identifier: BSD-3-Clause */
/* The timers of the application: as readable text (timer_report/timer_rich.h) or in the layout of the paper
 * (timer_report/timer_text.h); in CSV, one line per timer. */
#include "model/note_codes.h"
#include "model/timer_tree.h"
#include "report/views.h"
#include "timer_report/timer_text.h"

enum { COLUMNS = 100 };

static const struct fm_column columns[] = {
    {"timer", "timer", FM_COLUMN_TEXT},
    {"started in", "parent", FM_COLUMN_TEXT},
    {"tasks", "tasks", FM_COLUMN_COUNT},
    {"events", "events", FM_COLUMN_COUNT},
    {"max total", "max_total_s", FM_COLUMN_TIME},
    {"rank", "max_total_rank", FM_COLUMN_RANK},
    {"min total", "min_total_s", FM_COLUMN_TIME},
    {"rank", "min_total_rank", FM_COLUMN_RANK},
    {"avg total", "avg_total_s", FM_COLUMN_TIME},
    {"total", "total_s", FM_COLUMN_TIME},
    {"inside", "in_other_timers_s", FM_COLUMN_TIME},
    {"exclusive", "exclusive_s", FM_COLUMN_TIME},
    {"overhead", "overhead_s", FM_COLUMN_TIME},
    {"longest", "longest_s", FM_COLUMN_TIME},
    {"2nd longest", "second_s", FM_COLUMN_TIME},
    {"shortest", "shortest_s", FM_COLUMN_TIME},
};

static const char *name_site(void *context, const struct fm_site *site)
{
    struct fm_report *report = context;
    const struct fm_symbol *place = fm_site_place(report, site, NULL);
    return place && place->function[0] != '[' ? fm_frame_text(report, place) : NULL;
}

/* Names are looked up only if there are sites to show. */
static struct fm_site_namer namer_of(struct fm_report *report)
{
    size_t misuses = 0;
    for (size_t i = 0; i < report->profile->n_timers; i++)
        misuses += report->profile->timers[i].n_misuses;
    if (!misuses)
        return (struct fm_site_namer){0};
    fm_report_resolve(report);
    return (struct fm_site_namer){name_site, report};
}

static const char *text_of(struct fm_report *report)
{
    const struct fm_profile *p = report->profile;
    const struct fm_report_options *options = &report->options;
    uint32_t tasks = p->job.ranks ? p->job.ranks : 1;
    if (options->paper) {
        struct fm_timer_layout layout = {
            .columns = COLUMNS, .tasks = tasks, .exponent = options->tick, .namer = namer_of(report)};
        return fm_timers_text(p->timers, p->n_timers, &layout, &report->arena);
    }
    struct fm_timer_rich layout = options->timers;
    layout.tasks = tasks;
    layout.namer = namer_of(report);
    if (fm_grid_covers(&p->job.cart, tasks))
        layout.grid = p->job.cart;
    layout.blocks = options->all ? SIZE_MAX : options->top;
    return fm_timers_rich(p->timers, p->n_timers, &layout, &report->arena);
}

/* The note about misuse is not shown: both layouts have a table of misuses. */
static bool is_of_timers(const struct fm_note *note)
{
    return note->code == FM_NOTE_REFUSED_TIMERS || note->code == FM_NOTE_CUT_TIMER_NAMES ||
           note->code == FM_NOTE_COARSE_TIMER_EVENTS;
}

static void print_notes(struct fm_report *report, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < report->profile->n_notes; i++) {
        const struct fm_note *note = &report->profile->notes[i];
        if (!is_of_timers(note))
            continue;
        if (first)
            fputc('\n', out);
        first = false;
        fm_print_note(report, note, out);
    }
}

enum fm_status fm_view_timers_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    if (!report->profile->n_timers) {
        fputs("The program has no timers; fathom-timers(3) explains how to add them.\n", out);
        print_notes(report, out);
        return FM_OK;
    }
    const char *text = text_of(report);
    if (!text)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the report of timers");
    fm_print_lines(out, text); /* names come from a file and must be made safe */
    print_notes(report, out);
    return FM_OK;
}

enum fm_status fm_view_timers_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    size_t n = report->profile->n_timers;
    const struct fm_timer **order = fm_timers_by_length(report->profile->timers, n, &report->arena);
    struct fm_table table;
    if (!order)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the report of timers");
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        const struct fm_timer *timer = order[i];
        fm_cell_text(&table, timer->name);
        fm_cell_text(&table, timer->parent);
        fm_cell_whole(&table, timer->events.ranks);
        fm_cell_whole(&table, timer->events.sum);
        fm_cell_whole(&table, timer->total_ns.max);
        fm_cell_whole(&table, timer->total_ns.max_rank);
        fm_cell_whole(&table, timer->total_ns.min);
        fm_cell_whole(&table, timer->total_ns.min_rank);
        fm_cell_whole(&table, timer->total_ns.ranks ? timer->total_ns.sum / timer->total_ns.ranks : 0);
        fm_cell_whole(&table, timer->total_ns.sum);
        fm_cell_whole(&table, timer->children_ns);
        fm_cell_whole(&table, fm_timer_exclusive(timer));
        fm_cell_whole(&table, timer->overhead_ns);
        fm_cell_whole(&table, timer->longest.ns);
        if (timer->second.event)
            fm_cell_whole(&table, timer->second.ns);
        else
            fm_cell_none(&table);
        fm_cell_whole(&table, timer->shortest.ns);
    }
    fm_table_csv(&table, out);
    return FM_OK;
}
