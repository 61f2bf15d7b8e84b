/* SPDX-License-Identifier: BSD-3-Clause */
/* The split of time (analyse/balance/split.h) against the number of ranks, one group of runs per machine. */
#include <string.h>

#include "analyse/balance/split.h"
#include "base/units.h"
#include "render/json.h"
#include "report/scaling.h"

enum { PARTS = 4 };
static const struct {
    const char *heading, *key, *fraction;
    size_t offset;
} parts[PARTS] = {
    {"% program", "program_s", "program_fraction", offsetof(struct fm_split, program_ns)},
    {"% MPI", "mpi_s", "mpi_fraction", offsetof(struct fm_split, mpi_ns)},
    {"% I/O", "io_s", "io_fraction", offsetof(struct fm_split, io_ns)},
    {"% no CPU", "no_cpu_s", "no_cpu_fraction", offsetof(struct fm_split, no_cpu_ns)},
};

static bool is_known(const struct fm_split *split, size_t part)
{
    return part < 2 || (part == 2 ? split->knows_io : split->knows_no_cpu);
}

static uint64_t time_in(const struct fm_split *split, size_t part)
{
    return *(const uint64_t *)(const void *)((const char *)split + parts[part].offset);
}

static double share_of(const struct fm_split *split, size_t part)
{
    return fm_ratio((double)time_in(split, part), (double)split->wall_ns);
}

/* ---- machines ---- */

static const struct fm_host *host_of(const struct fm_scaling *scaling, size_t run)
{
    static const struct fm_host unknown = {.name = "", .cpu = ""};
    const struct fm_profile *profile = scaling->runs[run].profile;
    return profile->n_hosts ? &profile->hosts[0] : &unknown;
}

/* Hosts of one kind are one machine: the same CPU and number of cores. */
static bool same_machine(const struct fm_scaling *scaling, size_t a, size_t b)
{
    return strcmp(host_of(scaling, a)->cpu, host_of(scaling, b)->cpu) == 0 &&
           host_of(scaling, a)->cores == host_of(scaling, b)->cores;
}

static const char *machine_text(struct fm_scaling *scaling, size_t run)
{
    const struct fm_host *host = host_of(scaling, run);
    return fm_format(&scaling->arena, "%s, %u core%s per host", host->cpu[0] ? host->cpu : "unknown CPU", host->cores,
                     host->cores == 1 ? "" : "s");
}

/* The runs, those of a machine together, in the order in which machines occur; NULL if out of memory. */
static size_t *order_runs(struct fm_scaling *scaling, size_t *machines)
{
    size_t *order = fm_arena_alloc(&scaling->arena, scaling->n * sizeof *order), n = 0;
    bool *taken = fm_arena_alloc(&scaling->arena, scaling->n * sizeof *taken);
    *machines = 0;
    for (size_t i = 0; order && taken && i < scaling->n; i++) {
        if (taken[i])
            continue;
        ++*machines;
        for (size_t k = i; k < scaling->n; k++)
            if (!taken[k] && same_machine(scaling, i, k)) {
                taken[k] = true;
                order[n++] = k;
            }
    }
    return taken ? order : NULL;
}

static enum fm_status no_memory(const struct fm_scaling *scaling, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu runs", scaling->n);
}

/* ---- text ---- */

enum fm_status fm_scaling_split_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    size_t machines, *order = order_runs(scaling, &machines);
    struct fm_column columns[3 + PARTS] = {{"ranks", NULL, FM_COLUMN_RANK}, {"wall", NULL, FM_COLUMN_TIME}};
    bool known[PARTS] = {0};
    struct fm_table table;
    if (!order)
        return no_memory(scaling, error);
    for (size_t i = 0; i < scaling->n; i++) {
        struct fm_split split = fm_split_total(scaling->runs[i].profile);
        for (size_t p = 0; p < PARTS; p++)
            known[p] |= is_known(&split, p);
    }
    for (size_t p = 0; p < PARTS; p++)
        columns[2 + p] = (struct fm_column){known[p] ? parts[p].heading : NULL, NULL, FM_COLUMN_PERCENT};
    columns[2 + PARTS] = (struct fm_column){"profile", NULL, FM_COLUMN_KEY};
    fm_run_notes_print_doubts(&scaling->notes, &scaling->arena, out);
    fm_table_start(&table, &scaling->arena, columns, 3 + PARTS);
    for (size_t i = 0; i < scaling->n; i++) {
        const struct fm_scaling_run *run = &scaling->runs[order[i]];
        struct fm_split split = fm_split_total(run->profile);
        if (machines > 1 && (!i || !same_machine(scaling, order[i - 1], order[i])))
            fm_cell_line(&table, machine_text(scaling, order[i]));
        fm_cell_whole(&table, fm_scaling_ranks(scaling, order[i]));
        fm_cell_whole(&table, run->report.summary.wall_ns);
        for (size_t p = 0; p < PARTS; p++) {
            if (is_known(&split, p))
                fm_cell_number(&table, share_of(&split, p));
            else
                fm_cell_none(&table);
        }
        fm_cell_text(&table, run->file);
    }
    fm_table_print(&table, out);
    fm_print_sentence(out, "Shares of the wall time of all ranks; each second counts once.");
    fm_run_notes_print(&scaling->notes, &scaling->arena, out);
    return FM_OK;
}

/* ---- CSV ---- */

enum fm_status fm_scaling_split_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    enum { FIRST = 6 };
    size_t machines, *order = order_runs(scaling, &machines);
    struct fm_column columns[FIRST + PARTS] = {
        {NULL, "profile", FM_COLUMN_TEXT}, {NULL, "cpu", FM_COLUMN_TEXT},   {NULL, "cores", FM_COLUMN_RANK},
        {NULL, "ranks", FM_COLUMN_RANK},   {NULL, "hosts", FM_COLUMN_RANK}, {NULL, "wall_s", FM_COLUMN_TIME},
    };
    struct fm_table table;
    if (!order)
        return no_memory(scaling, error);
    for (size_t p = 0; p < PARTS; p++)
        columns[FIRST + p] = (struct fm_column){NULL, parts[p].key, FM_COLUMN_TIME};
    fm_table_start(&table, &scaling->arena, columns, FIRST + PARTS);
    for (size_t i = 0; i < scaling->n; i++) {
        const struct fm_scaling_run *run = &scaling->runs[order[i]];
        struct fm_split split = fm_split_total(run->profile);
        fm_cell_text(&table, run->file);
        fm_cell_text(&table, host_of(scaling, order[i])->cpu);
        fm_cell_whole(&table, host_of(scaling, order[i])->cores);
        fm_cell_whole(&table, fm_scaling_ranks(scaling, order[i]));
        fm_cell_whole(&table, run->profile->n_hosts);
        fm_cell_whole(&table, run->report.summary.wall_ns);
        for (size_t p = 0; p < PARTS; p++)
            fm_cell_whole_or_none(&table, time_in(&split, p), is_known(&split, p));
    }
    fm_table_csv(&table, out);
    return FM_OK;
}

/* ---- JSON ---- */

static void write_run(struct fm_scaling *scaling, struct fm_json *json, size_t number)
{
    const struct fm_scaling_run *run = &scaling->runs[number];
    struct fm_split split = fm_split_total(run->profile);
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_text(json, "profile", run->file);
    fm_json_text(json, "program", run->report.summary.name);
    fm_json_text(json, "job", run->profile->job.id);
    fm_json_whole(json, "ranks", fm_scaling_ranks(scaling, number));
    fm_json_whole(json, "hosts", run->profile->n_hosts);
    fm_json_bool(json, "complete", run->report.summary.complete);
    fm_json_seconds(json, "wall_s", run->report.summary.wall_ns);
    for (size_t p = 0; p < PARTS; p++) {
        if (is_known(&split, p)) {
            fm_json_seconds(json, parts[p].key, time_in(&split, p));
            fm_json_number(json, parts[p].fraction, share_of(&split, p));
        } else {
            fm_json_null(json, parts[p].key);
            fm_json_null(json, parts[p].fraction);
        }
    }
    fm_json_end(json);
}

enum fm_status fm_scaling_split_json(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    size_t machines, *order = order_runs(scaling, &machines);
    struct fm_json json = {.out = out};
    if (!order)
        return no_memory(scaling, error);
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", 1);
    fm_json_object(&json, "scale", FM_JSON_LINES);
    fm_json_text(&json, "view", fm_scaling_views[scaling->options.view]);
    fm_json_array(&json, "notes", FM_JSON_LINES);
    for (size_t i = 0; i < scaling->notes.n; i++)
        fm_json_text(&json, NULL, scaling->notes.items[i]);
    fm_json_end(&json);
    fm_json_array(&json, "machines", FM_JSON_LINES);
    for (size_t i = 0; i < scaling->n;) {
        const struct fm_host *host = host_of(scaling, order[i]);
        fm_json_object(&json, NULL, FM_JSON_LINES);
        fm_json_text(&json, "cpu", host->cpu);
        fm_json_whole(&json, "cores", host->cores);
        fm_json_array(&json, "runs", FM_JSON_LINES);
        for (size_t first = i; i < scaling->n && same_machine(scaling, order[first], order[i]); i++)
            write_run(scaling, &json, order[i]);
        fm_json_end(&json);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    fm_json_end(&json);
    return FM_OK;
}
