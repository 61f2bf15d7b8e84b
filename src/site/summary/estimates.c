/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/calibration/estimate.h"
#include "site/store/classes.h"

enum { DAY_S = 86400, CLASSES = FM_RANKS_CLASSES + 1 }; /* and that of unknown ranks, which comes first */
#define LARGEST 9e18                                    /* of a sum as a 64-bit integer */

/* Sums of a routine over classes of ranks. */
struct routine_sums {
    const char *name;
    enum fm_estimate_kind kind;
    unsigned flags;
    double time_s, latency_s, transfer_s, synchronisation_s, not_estimated_s;
    double calls, call_latencies_s;   /* calls that were estimated, and the latency of the calibration times these */
    double bytes, bytes_bandwidths_s; /* the same: bytes, and these divided by the bandwidth */
};

struct class_sums {
    struct fm_estimated_routine *routines;
    size_t n, capacity;
    double ranks, jobs;
    double hosts; /* mean */
};

struct estimates {
    const struct fm_calibration *calibration;
    struct fm_arena *arena;
    struct class_sums classes[CLASSES];
    struct routine_sums *routines;
    size_t n, capacity;
};

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the estimates");
}

/* ---- from the database ---- */

static enum fm_status read_rows(struct estimates *all, struct fm_query *query, struct fm_error *error)
{
    for (;;) {
        bool more;
        enum fm_status status = fm_query_next(query, &more, error);
        if (status || !more)
            return status;
        int64_t number = fm_column_whole(query, 1) + 1;
        struct class_sums *of = &all->classes[number < 0 || number >= CLASSES ? 0 : number];
        const char *name = fm_column_text(query, 0);
        name = fm_arena_strndup(all->arena, name, strlen(name));
        void *grown = fm_arena_grow(all->arena, of->routines, &of->capacity, of->n + 1, sizeof *of->routines);
        if (!name || !grown)
            return no_memory(error);
        of->routines = grown;
        of->routines[of->n++] = (struct fm_estimated_routine){name, fm_column_real(query, 2),
                                                              fm_column_real(query, 3) / 1e6, fm_column_real(query, 4),
                                                              fm_column_real(query, 5)};
        of->ranks += fm_column_real(query, 6);
        of->jobs += fm_column_real(query, 7);
    }
}

static enum fm_status read_classes(struct estimates *all, struct fm_db *db, const struct fm_scope *scope,
                                   struct fm_error *error)
{
    struct fm_arena texts = {0};
    struct fm_writer sql = {.arena = &texts};
    fm_write(
        &sql,
        "SELECT n.name, s.ranks_class, s.calls, s.time_us, s.bytes, s.comm_calls, s.ranks, s.jobs FROM (SELECT routine_id, ranks_class, SUM(calls) AS calls, SUM(time_us) AS time_us, "
        "SUM(bytes) AS bytes, SUM(comm_calls) AS comm_calls, SUM(ranks) AS ranks, SUM(jobs) AS jobs FROM ");
    enum fm_rollup rollup = fm_scope_rollup(scope, FM_ROLLUP_ROUTINES, "routine_id", "ranks_class");
    fm_scope_write(&sql, scope, rollup);
    fm_write(&sql, " GROUP BY routine_id, ranks_class HAVING SUM(jobs) > 0) s JOIN names n ON n.id = s.routine_id");
    const char *statement = fm_writer_text(&sql);
    struct fm_query *query = NULL;
    enum fm_status status = statement ? fm_query_open(&query, db, statement, error) : no_memory(error);
    if (!status) {
        fm_scope_bind(query, scope, rollup);
        status = read_rows(all, query, error);
    }
    fm_query_close(query);
    fm_arena_destroy(&texts);
    return status;
}

static bool tells_hosts_apart(const struct fm_calibration *calibration)
{
    for (size_t i = 0; i < calibration->n_routines; i++)
        if (calibration->routines[i].place == FM_PLACE_HOSTS)
            return true;
    return false;
}

/* Mean numbers of hosts, weighted with the time of the jobs. */
static enum fm_status read_hosts(struct estimates *all, struct fm_db *db, const struct fm_scope *scope,
                                 struct fm_error *error)
{
    double hosts[CLASSES] = {0}, times[CLASSES] = {0};
    char sql[320];
    snprintf(sql, sizeof sql,
             "SELECT ranks, hosts, cpu_s FROM jobs WHERE ended >= $1 AND ended < $2 AND hosts > 0 AND cpu_s > 0%s "
             "ORDER BY ended DESC, id DESC LIMIT %d",
             scope->user ? " AND user_name = $3" : "", FM_ESTIMATED_JOBS);
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    fm_query_whole(query, 1, scope->from * DAY_S);
    fm_query_whole(query, 2, scope->until * DAY_S);
    if (scope->user)
        fm_query_text(query, 3, scope->user);
    for (bool more = true; !status && more;) {
        status = fm_query_next(query, &more, error);
        if (status || !more)
            break;
        int number = fm_ranks_class(fm_column_whole(query, 0)) + 1;
        hosts[number] += fm_column_real(query, 1) * fm_column_real(query, 2);
        times[number] += fm_column_real(query, 2);
    }
    fm_query_close(query);
    for (int i = 0; i < CLASSES; i++)
        all->classes[i].hosts = times[i] > 0 ? hosts[i] / times[i] : 1;
    return status;
}

/* ---- estimating ---- */

static struct routine_sums *sums_of(struct estimates *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->routines[i].name, name) == 0)
            return &all->routines[i];
    void *grown = fm_arena_grow(all->arena, all->routines, &all->capacity, all->n + 1, sizeof *all->routines);
    if (!grown)
        return NULL;
    all->routines = grown;
    all->routines[all->n] = (struct routine_sums){.name = name};
    return &all->routines[all->n++];
}

static int64_t whole_or_unknown(double number)
{
    return number > 0 ? (int64_t)fmin(number, LARGEST) : -1;
}

static void add(struct routine_sums *sums, const struct fm_estimate *estimate, const struct fm_estimated_routine *of)
{
    sums->time_s += of->time_s;
    sums->flags |= estimate->flags;
    if (estimate->kind > sums->kind || estimate->kind == FM_ESTIMATE_SPLIT)
        sums->kind = estimate->kind;
    if (estimate->kind == FM_ESTIMATE_UNKNOWN) {
        sums->not_estimated_s += of->time_s;
        return;
    }
    sums->latency_s += estimate->latency_s;
    sums->transfer_s += estimate->transfer_s;
    sums->synchronisation_s += estimate->synchronisation_s;
    if (estimate->kind == FM_ESTIMATE_SPLIT) {
        sums->calls += of->calls;
        sums->call_latencies_s += of->calls * estimate->call_latency_s;
    }
    if (estimate->bandwidth_bytes_per_s > 0) {
        double bytes = of->bytes > 0 ? of->bytes : 1;
        sums->bytes += bytes;
        sums->bytes_bandwidths_s += bytes / estimate->bandwidth_bytes_per_s;
    }
}

static enum fm_status estimate_class(struct estimates *all, const struct class_sums *of, struct fm_error *error)
{
    struct fm_estimate_input *inputs = calloc(of->n + 1, sizeof *inputs);
    struct fm_estimate *estimates = calloc(of->n + 1, sizeof *estimates);
    bool failed = !inputs || !estimates;
    struct fm_estimate_job job = {.ranks = of->jobs > 0 ? (uint32_t)fmin(of->ranks / of->jobs + 0.5, UINT32_MAX) : 1,
                                  .hosts = of->hosts > 1 ? (uint32_t)fmin(of->hosts + 0.5, UINT32_MAX) : 1,
                                  .between = NAN};
    for (size_t i = 0; !failed && i < of->n; i++)
        inputs[i] = (struct fm_estimate_input){.routine = of->routines[i].name,
                                               .calls = (int64_t)fmin(of->routines[i].calls, LARGEST),
                                               .bytes = whole_or_unknown(of->routines[i].bytes),
                                               .comm_calls = whole_or_unknown(of->routines[i].comm_calls),
                                               .time_s = of->routines[i].time_s};
    if (!failed)
        fm_estimate(all->calibration, &job, inputs, of->n, estimates);
    for (size_t i = 0; !failed && i < of->n; i++) {
        struct routine_sums *sums = sums_of(all, of->routines[i].name);
        failed = !sums;
        if (sums)
            add(sums, &estimates[i], &of->routines[i]);
    }
    free(inputs);
    free(estimates);
    return failed ? no_memory(error) : FM_OK;
}

/* ---- tables ---- */

static const struct fm_column routine_columns[] = {
    {"routine", "name", FM_COLUMN_KEY},
    {"time", "time_s", FM_COLUMN_TIME},
    {"latency/call", "call_latency_s", FM_COLUMN_TIME},
    {"bandwidth", "bandwidth_bytes_per_s", FM_COLUMN_RATE},
    {"latency", "latency_s", FM_COLUMN_TIME},
    {"transfer", "transfer_s", FM_COLUMN_TIME},
    {"synchronisation", "synchronisation_s", FM_COLUMN_TIME},
    {"% of time", "synchronisation_fraction", FM_COLUMN_PERCENT},
    {"estimate", "flags", FM_COLUMN_TEXT},
};

static int compare_times(const void *a, const void *b)
{
    const struct routine_sums *x = a, *y = b;
    return x->time_s != y->time_s ? (x->time_s < y->time_s ? 1 : -1) : strcmp(x->name, y->name);
}

static bool add_routine(struct fm_sheet *sheet, const struct routine_sums *sums, struct fm_arena *arena)
{
    char flags[FM_ESTIMATE_FLAGS_CHARS];
    struct fm_sheet_value *row;
    if (!fm_sheet_row(sheet, arena, &row))
        return false;
    fm_estimate_flags_text(sums->flags, flags);
    row[0].text = sums->name;
    row[1].number = sums->time_s * 1e9;
    row[8].text = sums->kind == FM_ESTIMATE_UNKNOWN ? "not calibrated"
                  : sums->kind == FM_ESTIMATE_LOCAL ? "not communicating"
                                                    : fm_arena_strndup(arena, flags, strlen(flags));
    if (sums->kind != FM_ESTIMATE_UNKNOWN)
        row[4].number = sums->latency_s * 1e9;
    if (sums->kind == FM_ESTIMATE_SPLIT) {
        row[2].number = sums->calls > 0 ? 1e9 * sums->call_latencies_s / sums->calls : NAN;
        row[3].number = sums->bytes_bandwidths_s > 0 ? sums->bytes / sums->bytes_bandwidths_s : NAN;
        row[5].number = sums->transfer_s * 1e9;
        row[6].number = sums->synchronisation_s * 1e9;
        row[7].number = sums->time_s > 0 ? sums->synchronisation_s / sums->time_s : NAN;
    }
    return row[8].text != NULL;
}

static bool fill_routines(struct fm_sheet *sheet, const struct estimates *all)
{
    fm_sheet_start(sheet, FM_ESTIMATES_KEY, "Latency, transfer and synchronisation of MPI routines (estimated)",
                   routine_columns, sizeof routine_columns / sizeof *routine_columns);
    if (all->n)
        qsort(all->routines, all->n, sizeof *all->routines, compare_times);
    for (size_t i = 0; i < all->n; i++)
        if (!add_routine(sheet, &all->routines[i], all->arena))
            return false;
    return true;
}

static const struct fm_column group_columns[] = {
    {"group", "group", FM_COLUMN_KEY},
    {"time", "time_s", FM_COLUMN_TIME},
    {"% of MPI", "mpi_fraction", FM_COLUMN_PERCENT},
    {"latency", "latency_s", FM_COLUMN_TIME},
    {"transfer", "transfer_s", FM_COLUMN_TIME},
    {"synchronisation", "synchronisation_s", FM_COLUMN_TIME},
    {"% of time", "synchronisation_fraction", FM_COLUMN_PERCENT},
    {"not estimated", "not_estimated_s", FM_COLUMN_TIME},
};

static bool add_group(struct fm_sheet *sheet, const struct estimates *all, int group, double mpi_s)
{
    struct routine_sums sums = {0};
    for (size_t i = 0; i < all->n; i++) {
        const struct routine_sums *of = &all->routines[i];
        if ((int)fm_routine_group(of->name) != group)
            continue;
        sums.time_s += of->time_s;
        sums.latency_s += of->latency_s;
        sums.transfer_s += of->transfer_s;
        sums.synchronisation_s += of->synchronisation_s;
        sums.not_estimated_s += of->not_estimated_s;
    }
    if (!(sums.time_s > 0))
        return true;
    struct fm_sheet_value *row;
    if (!fm_sheet_row(sheet, all->arena, &row))
        return false;
    row[0].text = group == FM_GROUP_NONE ? "other routines" : fm_routine_group_label((enum fm_routine_group)group);
    row[1].number = sums.time_s * 1e9;
    row[2].number = mpi_s > 0 ? sums.time_s / mpi_s : NAN;
    row[3].number = sums.latency_s * 1e9;
    row[4].number = sums.transfer_s * 1e9;
    row[5].number = sums.synchronisation_s * 1e9;
    row[6].number = sums.synchronisation_s / sums.time_s;
    row[7].number = sums.not_estimated_s * 1e9;
    return true;
}

static bool fill_groups(struct fm_sheet *sheet, const struct estimates *all)
{
    double mpi_s = 0;
    for (size_t i = 0; i < all->n; i++)
        mpi_s += all->routines[i].time_s;
    fm_sheet_start(sheet, FM_ESTIMATE_GROUPS_KEY,
                   "Latency, transfer and synchronisation of groups of routines (estimated)", group_columns,
                   sizeof group_columns / sizeof *group_columns);
    for (int group = 0; group < FM_N_ROUTINE_GROUPS; group++)
        if (!add_group(sheet, all, group, mpi_s))
            return false;
    return add_group(sheet, all, FM_GROUP_NONE, mpi_s);
}

static void add_totals(struct fm_totals *totals, const struct estimates *all)
{
    totals->latency_s = totals->transfer_s = totals->synchronisation_s = 0;
    totals->local_s = totals->not_estimated_s = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct routine_sums *of = &all->routines[i];
        *(of->kind == FM_ESTIMATE_LOCAL ? &totals->local_s : &totals->latency_s) += of->latency_s;
        totals->transfer_s += of->transfer_s;
        totals->synchronisation_s += of->synchronisation_s;
        totals->not_estimated_s += of->not_estimated_s;
    }
}

enum fm_status fm_estimates_fill(struct fm_sheet *routines, struct fm_sheet *groups, struct fm_totals *totals,
                                 struct fm_db *db, const struct fm_scope *scope,
                                 const struct fm_calibration *calibration, struct fm_arena *arena,
                                 struct fm_error *error)
{
    struct estimates all = {.calibration = calibration, .arena = arena};
    enum fm_status status = read_classes(&all, db, scope, error);
    if (!status && tells_hosts_apart(calibration))
        status = read_hosts(&all, db, scope, error);
    for (int i = 0; i < CLASSES && !status; i++)
        status = estimate_class(&all, &all.classes[i], error);
    if (status)
        return status;
    add_totals(totals, &all);
    return fill_routines(routines, &all) && fill_groups(groups, &all) ? FM_OK : no_memory(error);
}

enum fm_status fm_estimates_of_job(struct fm_sheet *sheet, const struct fm_estimated_routine *routines, size_t n,
                                   double ranks, double hosts, const struct fm_calibration *calibration,
                                   struct fm_arena *arena, struct fm_error *error)
{
    struct estimates all = {.calibration = calibration, .arena = arena};
    struct class_sums sums = {.n = n, .ranks = ranks, .jobs = 1, .hosts = hosts};
    sums.routines = fm_arena_alloc(arena, (n + 1) * sizeof *sums.routines);
    if (!sums.routines)
        return no_memory(error);
    memcpy(sums.routines, routines, n * sizeof *routines);
    enum fm_status status = estimate_class(&all, &sums, error);
    if (status)
        return status;
    return fill_routines(sheet, &all) ? FM_OK : no_memory(error);
}
