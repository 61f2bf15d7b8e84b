/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/insights/statistics.h"

/* Of the runs of a side, so many must have the same value for it to be that of the side. */
static const double MOST_RUNS = 0.9;

struct detail_side {
    const struct fm_detail_run *runs;
    size_t n;
};

struct compare {
    struct detail_side before, after;
    struct fm_arena *arena;
    struct fm_details *details;
    bool failed;
};

static const char *copy(struct compare *compare, const char *text)
{
    const char *copied = fm_arena_strndup(compare->arena, text, strlen(text));
    compare->failed = compare->failed || !copied;
    return copied ? copied : "";
}

/* ---- what changed ---- */

/* A text of a record: one of its fields or, by its name, a setting. */
typedef const char *get_text(const struct fm_record *record, const char *name);

static const char *get_build(const struct fm_record *record, const char *name)
{
    (void)name;
    return record->build_id;
}
static const char *get_commit(const struct fm_record *record, const char *name)
{
    (void)name;
    return record->commit_id;
}
static const char *get_mpi(const struct fm_record *record, const char *name)
{
    (void)name;
    return record->mpi;
}
static const char *get_compiler(const struct fm_record *record, const char *name)
{
    (void)name;
    return record->compiler;
}
static const char *get_partition(const struct fm_record *record, const char *name)
{
    (void)name;
    return record->partition;
}
static const char *get_setting(const struct fm_record *record, const char *name)
{
    for (size_t i = 0; i < record->n_settings; i++)
        if (strcmp(record->settings[i].name, name) == 0)
            return record->settings[i].value;
    return "";
}

/* The value that nearly all runs of a side have, or NULL. */
static const char *usual_text(const struct detail_side *side, get_text *get, const char *name)
{
    for (size_t i = 0; i < side->n && i <= side->n / 2; i++) {
        const char *value = get(&side->runs[i].record, name);
        size_t same = 0;
        for (size_t k = 0; k < side->n; k++)
            same += strcmp(get(&side->runs[k].record, name), value) == 0;
        if ((double)same >= MOST_RUNS * (double)side->n)
            return value;
    }
    return NULL;
}

static int64_t first_with(const struct compare *compare, get_text *get, const char *name, const char *value)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < compare->before.n + compare->after.n; i++) {
        const struct fm_detail_run *run = i < compare->before.n ? &compare->before.runs[i]
                                                                : &compare->after.runs[i - compare->before.n];
        if (run->pick.ended < first && strcmp(get(&run->record, name), value) == 0)
            first = run->pick.ended;
    }
    return first;
}

static void add_change(struct compare *compare, const char *what, const char *before, const char *after, int64_t since)
{
    struct fm_details *details = compare->details;
    if (details->n_changes < FM_DETAILS_CHANGES)
        details->changes[details->n_changes++] = (struct fm_change_of){copy(compare, what), copy(compare, before),
                                                                       copy(compare, after), since};
}

static void compare_text(struct compare *compare, const char *what, get_text *get, const char *name, bool may_lack)
{
    const char *before = usual_text(&compare->before, get, name), *after = usual_text(&compare->after, get, name);
    if (before && after && strcmp(before, after) != 0 && (may_lack || (*before && *after)))
        add_change(compare, what, before, after, first_with(compare, get, name, after));
}

static void compare_settings(struct compare *compare)
{
    struct fm_intern seen = {0};
    struct fm_arena arena = {0};
    for (size_t i = 0; i < compare->before.n + compare->after.n; i++) {
        const struct fm_detail_run *run = i < compare->before.n ? &compare->before.runs[i]
                                                                : &compare->after.runs[i - compare->before.n];
        for (size_t k = 0; k < run->record.n_settings; k++) {
            const char *name = run->record.settings[k].name;
            struct fm_intern_slot *slot = fm_intern_put(&seen, &arena, name, false);
            if (slot && !slot->number++)
                compare_text(compare, name, get_setting, name, true);
        }
    }
    fm_arena_destroy(&arena);
}

/* The hosts of a side: how many there are, and of how many runs; each has the number of the sides that it was seen on. */
static void count_hosts(const struct detail_side *side, uint32_t bit, struct fm_intern *hosts, struct fm_arena *arena,
                        size_t *distinct, size_t *all, size_t *shared)
{
    for (size_t i = 0; i < side->n; i++)
        for (size_t k = 0; k < side->runs[i].record.n_host_list; k++) {
            struct fm_intern_slot *slot = fm_intern_put(hosts, arena, side->runs[i].record.host_list[k].name, false);
            if (!slot)
                continue;
            (*all)++;
            *distinct += !(slot->number & bit);
            *shared += (slot->number & ~bit) != 0;
            slot->number |= bit;
        }
}

/* Runs were always on some hosts, and are always on others now. Where a batch system chooses, few runs never meet on the
 * same hosts: that is no change. */
static void compare_hosts(struct compare *compare)
{
    struct fm_intern hosts = {0};
    struct fm_arena arena = {0};
    size_t distinct[2] = {0}, all[2] = {0}, shared = 0;
    count_hosts(&compare->before, 1, &hosts, &arena, &distinct[0], &all[0], &shared);
    count_hosts(&compare->after, 2, &hosts, &arena, &distinct[1], &all[1], &shared);
    if (!shared && distinct[0] && distinct[1] && 3 * distinct[0] <= all[0] && 3 * distinct[1] <= all[1])
        add_change(compare, "hosts", compare->before.runs[0].record.host_list[0].name,
                   compare->after.runs[0].record.host_list[0].name, compare->after.runs[0].pick.ended);
    fm_arena_destroy(&arena);
}

/* ---- what takes longer ---- */

/* A number of a record by name. */
typedef double get_number(const struct fm_record *record, const char *name);

static double routine_time(const struct fm_record *record, const char *name)
{
    for (size_t i = 0; i < record->n_routines; i++)
        if (strcmp(record->routines[i].name, name) == 0)
            return record->routines[i].time_s;
    return 0;
}

static double region_mpi(const struct fm_record *record, const char *name)
{
    for (size_t i = 0; i < record->n_regions; i++)
        if (strcmp(record->regions[i].name, name) == 0)
            return isnan(record->regions[i].mpi_s) ? 0 : record->regions[i].mpi_s;
    return 0;
}

/* How often those are called depends on time. */
static bool asks_again(const char *routine)
{
    return strncmp(routine, "MPI_Test", 8) == 0 || strcmp(routine, "MPI_Iprobe") == 0 ||
           strcmp(routine, "MPI_Improbe") == 0 || strcmp(routine, "MPI_Request_get_status") == 0 ||
           strcmp(routine, "MPI_Wtime") == 0 || strcmp(routine, "other") == 0;
}

static double all_calls(const struct fm_record *record, const char *name)
{
    (void)name;
    double sum = 0;
    for (size_t i = 0; i < record->n_routines; i++)
        if (!asks_again(record->routines[i].name))
            sum += (double)record->routines[i].calls;
    return sum;
}

static double all_bytes(const struct fm_record *record, const char *name)
{
    (void)name;
    double sum = 0;
    for (size_t i = 0; i < record->n_routines; i++)
        if (!asks_again(record->routines[i].name) && record->routines[i].bytes > 0)
            sum += (double)record->routines[i].bytes;
    return sum;
}

/* Median of the runs of a side of one series, divided by their levels; NAN if there are none. */
static double usual_number(const struct detail_side *side, uint32_t series, get_number *get, const char *name)
{
    double values[FM_DETAILS_RUNS];
    size_t n = 0;
    for (size_t i = 0; i < side->n && n < FM_DETAILS_RUNS; i++)
        if (side->runs[i].pick.series == series)
            values[n++] = get(&side->runs[i].record, name) / side->runs[i].pick.level;
    return fm_median(values, n);
}

/* Medians over the runs after the change, each with those of its series before it. Returns whether there are any. */
static bool compare_numbers(const struct compare *compare, get_number *get, const char *name, double *before,
                            double *after, double *ratio)
{
    double befores[FM_DETAILS_RUNS], afters[FM_DETAILS_RUNS], ratios[FM_DETAILS_RUNS];
    size_t n = 0, n_ratios = 0;
    for (size_t i = 0; i < compare->after.n && n < FM_DETAILS_RUNS; i++) {
        const struct fm_detail_run *run = &compare->after.runs[i];
        double usual = usual_number(&compare->before, run->pick.series, get, name);
        if (isnan(usual))
            continue;
        befores[n] = usual;
        afters[n++] = get(&run->record, name) / run->pick.level;
        if (usual > 0)
            ratios[n_ratios++] = afters[n - 1] / usual;
    }
    *before = fm_median(befores, n);
    *after = fm_median(afters, n);
    *ratio = fm_median(ratios, n_ratios);
    return n > 0;
}

static double usual_wait(const struct detail_side *side)
{
    double values[FM_DETAILS_RUNS];
    size_t n = 0;
    for (size_t i = 0; i < side->n && n < FM_DETAILS_RUNS; i++)
        values[n++] = side->runs[i].slow_hosts_s / side->runs[i].pick.level;
    return fm_median(values, n);
}

static int by_growth(const void *a, const void *b)
{
    const struct fm_growth_of *x = a, *y = b;
    double d = (y->after - y->before) - (x->after - x->before);
    return (d > 0) - (d < 0);
}

static void add_growth(struct compare *compare, get_number *get, const char *name, struct fm_growth_of *list, size_t *n,
                       size_t most)
{
    struct fm_growth_of one = {.name = name};
    double ratio;
    if (!compare_numbers(compare, get, name, &one.before, &one.after, &ratio) || one.after <= one.before)
        return;
    if (*n == most && by_growth(&one, &list[most - 1]) >= 0)
        return;
    one.name = copy(compare, name);
    list[*n < most ? (*n)++ : most - 1] = one;
    qsort(list, *n, sizeof *list, by_growth);
}

static void compare_times(struct compare *compare)
{
    struct fm_intern seen = {0};
    struct fm_arena arena = {0};
    struct fm_details *details = compare->details;
    size_t regions = 0;
    for (size_t i = 0; i < compare->after.n; i++) {
        const struct fm_record *record = &compare->after.runs[i].record;
        for (size_t k = 0; k < record->n_routines; k++) {
            struct fm_intern_slot *slot = fm_intern_put(&seen, &arena, record->routines[k].name, false);
            if (slot && !(slot->number & 1) && strcmp(record->routines[k].name, "other") != 0)
                add_growth(compare, routine_time, record->routines[k].name, details->routines, &details->n_routines,
                           FM_DETAILS_ROUTINES);
            if (slot)
                slot->number |= 1;
        }
        for (size_t k = 0; k < record->n_regions; k++) {
            struct fm_intern_slot *slot = fm_intern_put(&seen, &arena, record->regions[k].name, false);
            if (slot && !(slot->number & 2))
                add_growth(compare, region_mpi, record->regions[k].name, &details->region, &regions, 1);
            if (slot)
                slot->number |= 2;
        }
    }
    fm_arena_destroy(&arena);
}

/* ---- both ---- */

bool fm_details_compare(const struct fm_detail_run *before, size_t n_before, const struct fm_detail_run *after,
                        size_t n_after, struct fm_arena *arena, struct fm_details *details)
{
    static const struct {
        const char *what;
        get_text *get;
    } texts[] = {{"build", get_build},
                 {"commit", get_commit},
                 {"mpi", get_mpi},
                 {"compiler", get_compiler},
                 {"partition", get_partition}};
    *details = (struct fm_details){.calls = NAN, .bytes = NAN};
    struct compare compare = {{before, n_before}, {after, n_after}, arena, details, false};
    if (!n_before || !n_after)
        return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        compare_text(&compare, texts[i].what, texts[i].get, "", false);
    compare_settings(&compare);
    compare_hosts(&compare);
    compare_times(&compare);
    details->slow_hosts = usual_wait(&compare.after) - usual_wait(&compare.before);
    double unused, unused_too;
    compare_numbers(&compare, all_calls, "", &unused, &unused_too, &details->calls);
    compare_numbers(&compare, all_bytes, "", &unused, &unused_too, &details->bytes);
    return !compare.failed;
}

/* All ranks wait for the slowest host. */
static double wait_for(const struct fm_record *record, const struct fm_intern *slow_hosts)
{
    double most = 1;
    for (size_t i = 0; i < record->n_host_list; i++)
        if (record->host_list[i].slowness > most && fm_intern_find(slow_hosts, record->host_list[i].name))
            most = record->host_list[i].slowness;
    return record->program_s > 0 ? record->program_s * (most - 1) : 0;
}

static enum fm_status read_side(struct fm_store *store, const struct fm_intern *slow_hosts, const struct fm_pick *picks,
                                size_t n, struct fm_detail_run *runs, size_t *n_runs, struct fm_error *error)
{
    for (size_t i = 0; i < n && *n_runs < FM_DETAILS_RUNS; i++) {
        runs[*n_runs].pick = picks[i];
        enum fm_status status = fm_store_record(store, picks[i].id, &runs[*n_runs].record, error);
        if (status == FM_ERR_USAGE || status == FM_ERR_INPUT) /* deleted since, or damaged */
            continue;
        if (status)
            return status;
        runs[*n_runs].slow_hosts_s = wait_for(&runs[*n_runs].record, slow_hosts);
        (*n_runs)++;
    }
    return FM_OK;
}

enum fm_status fm_details_read(struct fm_store *store, const struct fm_intern *slow_hosts, const struct fm_pick *before,
                               size_t n_before, const struct fm_pick *after, size_t n_after, struct fm_arena *arena,
                               struct fm_details *details, struct fm_error *error)
{
    struct fm_detail_run *runs[2] = {calloc(FM_DETAILS_RUNS, sizeof **runs), calloc(FM_DETAILS_RUNS, sizeof **runs)};
    size_t n[2] = {0};
    bool memory = runs[0] && runs[1];
    enum fm_status status = memory ? read_side(store, slow_hosts, before, n_before, runs[0], &n[0], error) : FM_OK;
    if (!status && memory)
        status = read_side(store, slow_hosts, after, n_after, runs[1], &n[1], error);
    if (!status)
        memory = memory && fm_details_compare(runs[0], n[0], runs[1], n[1], arena, details);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n[side]; i++)
            fm_record_destroy(&runs[side][i].record);
        free(runs[side]);
    }
    return status || memory ? status : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the records of a program");
}
