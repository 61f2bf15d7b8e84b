/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/writer.h"
#include "site/store/rollup.h"
#include "site/summary/scope.h"

enum { DAY_S = 86400 };

const struct fm_reference_kind fm_reference_kinds[FM_REFERENCE_FIGURES] = {
    [FM_REFERENCE_MPI] = {"mpi_fraction", "share of MPI", false, true},
    [FM_REFERENCE_PARALLEL] = {"parallel", "parallel efficiency", true, true},
    [FM_REFERENCE_INSTRUCTIONS] = {"instruction_rate", "instructions per second", true, false},
    [FM_REFERENCE_FP] = {"fp_rate", "floating-point instructions per second", true, false},
    [FM_REFERENCE_L2_MISSES] = {"l2_miss_rate", "level-2 cache misses per second", false, false},
};

/* Of what figures are made. */
struct sums {
    double cpu_us, mpi_us, program_us, wasted_us, counted_us, instructions, fp_instructions, l2_misses;
};
#define SUMS                                                                                                 \
    "SUM(cpu_us), SUM(mpi_us), SUM(program_us), SUM(wasted_us), SUM(counted_us), SUM(instructions), SUM(fp_" \
    "instructions), SUM(l2_misses)"

/* A user, or a program of a user. */
struct owner {
    const char *user, *program; /* program: NULL for all of the user's */
    struct sums sums;
};

struct owners {
    struct owner *items;
    size_t n, capacity;
};

struct distribution {
    struct fm_weighted *values; /* sorted */
    size_t n;
};

struct program_runs {
    struct distribution distributions[FM_REFERENCE_FIGURES];
    struct fm_intern users; /* with the figures that are known of them, as bits */
    size_t n, n_users[FM_REFERENCE_FIGURES];
};

struct fm_references {
    struct fm_db *db;
    int64_t from, until;
    struct fm_arena arena, runs_arena;
    struct owners users, programs;                           /* by user; by user and program */
    bool has_programs;                                       /* they have been read: only when one is asked for */
    struct distribution distributions[FM_REFERENCE_FIGURES]; /* of users */
    struct fm_intern known;                                  /* programs, with the number of their runs + 1 */
    struct program_runs *runs;                               /* FM_REFERENCE_PROGRAMS */
};

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for reference values");
}

/* ---- figures ---- */

/* Sums cannot tell "none" from "unknown": 0 of what every program does is unknown. */
static double ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : NAN;
}

static void figures_of_sums(const struct sums *sums, double values[FM_REFERENCE_FIGURES])
{
    values[FM_REFERENCE_MPI] = sums->cpu_us > 0 ? sums->mpi_us / sums->cpu_us : NAN;
    values[FM_REFERENCE_PARALLEL] = sums->program_us > 0 && sums->cpu_us > 0
                                        ? fmax(0, 1 - sums->wasted_us / sums->cpu_us)
                                        : NAN;
    double counted_s = sums->counted_us / 1e6;
    values[FM_REFERENCE_INSTRUCTIONS] = ratio(sums->instructions, counted_s);
    values[FM_REFERENCE_FP] = ratio(sums->fp_instructions, counted_s);
    values[FM_REFERENCE_L2_MISSES] = ratio(sums->l2_misses, counted_s);
}

void fm_reference_values_of_job(const struct fm_record *record, double values[FM_REFERENCE_FIGURES])
{
    values[FM_REFERENCE_MPI] = fm_site_job_mpi_fraction(record);
    values[FM_REFERENCE_PARALLEL] = record->parallel;
    values[FM_REFERENCE_INSTRUCTIONS] = ratio((double)record->instructions, record->counted_s);
    values[FM_REFERENCE_FP] = ratio((double)record->fp_instructions, record->counted_s);
    values[FM_REFERENCE_L2_MISSES] = ratio((double)record->l2_misses, record->counted_s);
}

/* ---- distributions ---- */

static int by_value(const void *a, const void *b)
{
    double x = ((const struct fm_weighted *)a)->value, y = ((const struct fm_weighted *)b)->value;
    return (x > y) - (x < y);
}

void fm_weighted_sort(struct fm_weighted *values, size_t n)
{
    if (n)
        qsort(values, n, sizeof *values, by_value);
}

struct fm_reference fm_weighted_reference(const struct fm_weighted *sorted, size_t n, double value)
{
    struct fm_reference found = {value, n, n, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double weight = 0, sum = 0, below = 0, equal = 0;
    for (size_t i = 0; i < n; i++) {
        weight += sorted[i].weight;
        sum += sorted[i].weight * sorted[i].value;
        below += sorted[i].value < value ? sorted[i].weight : 0;
        equal += sorted[i].value == value ? sorted[i].weight : 0;
    }
    if (!(weight > 0))
        return found;
    const double shares[] = {0.25, 0.5, 0.75};
    double *const quantiles[] = {&found.p25, &found.median, &found.p75};
    double upto = 0;
    for (size_t i = 0, k = 0; i < n && k < 3; i++) {
        upto += sorted[i].weight;
        while (k < 3 && upto >= shares[k] * weight)
            *quantiles[k++] = sorted[i].value;
    }
    found.min = sorted[0].value;
    found.max = sorted[n - 1].value;
    found.avg = sum / weight;
    found.percentile = isnan(value) ? NAN : 100 * (below + equal / 2) / weight;
    return found;
}

static void add_value(struct distribution *distribution, double value, double weight)
{
    if (isfinite(value) && weight > 0)
        distribution->values[distribution->n++] = (struct fm_weighted){value, weight};
}

static bool make_distributions(struct distribution distributions[FM_REFERENCE_FIGURES], size_t n,
                               struct fm_arena *arena)
{
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++) {
        distributions[k] = (struct distribution){fm_arena_alloc(arena, n * sizeof(struct fm_weighted)), 0};
        if (!distributions[k].values)
            return false;
    }
    return true;
}

static void place(const struct distribution distributions[FM_REFERENCE_FIGURES], size_t of,
                  const double values[FM_REFERENCE_FIGURES], struct fm_reference found[FM_REFERENCE_FIGURES])
{
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++) {
        found[k] = fm_weighted_reference(distributions[k].values, distributions[k].n, values[k]);
        found[k].of = of;
    }
}

/* ---- users ---- */

static int by_name(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    int order = strcmp(x->user, y->user);
    return order || !x->program || !y->program ? order : strcmp(x->program, y->program);
}

static const struct owner *find(const struct owners *owners, const char *user, const char *program)
{
    const struct owner key = {.user = user, .program = program};
    return owners->n ? bsearch(&key, owners->items, owners->n, sizeof *owners->items, by_name) : NULL;
}

static enum fm_status add_owner(struct fm_references *references, struct owners *owners, const struct fm_query *query,
                                struct fm_error *error)
{
    const char *user = fm_column_text(query, 0), *program = fm_column_text(query, 1);
    if (owners->n == owners->capacity) {
        struct owner *grown = fm_arena_grow(&references->arena, owners->items, &owners->capacity, owners->n + 1,
                                            sizeof *grown);
        if (!grown)
            return no_memory(error);
        owners->items = grown;
    }
    struct owner *owner = &owners->items[owners->n++];
    owner->user = fm_arena_strndup(&references->arena, user, strlen(user));
    owner->program = fm_arena_strndup(&references->arena, program, strlen(program));
    if (!owner->user || !owner->program)
        return no_memory(error);
    owner->sums = (struct sums){
        .cpu_us = fm_column_real(query, 2),
        .mpi_us = fm_column_real(query, 3),
        .program_us = fm_column_real(query, 4),
        .wasted_us = fm_column_real(query, 5),
        .counted_us = fm_column_real(query, 6),
        .instructions = fm_column_real(query, 7),
        .fp_instructions = fm_column_real(query, 8),
        .l2_misses = fm_column_real(query, 9),
    };
    return FM_OK;
}

/* In the order of their names. */
static enum fm_status read_owners(struct fm_references *references, struct owners *owners, struct fm_error *error)
{
    bool programs = owners == &references->programs;
    enum fm_rollup rollup = programs ? FM_ROLLUP_PROGRAMS : FM_ROLLUP_USERS;
    const struct fm_scope scope = {.from = references->from, .until = references->until};
    struct fm_arena texts = {0};
    struct fm_writer sql = {.arena = &texts};
    fm_write(&sql, programs ? "SELECT u.name, p.name, s.* FROM (SELECT " SUMS ", user_id, program_id FROM "
                            : "SELECT u.name, '', s.* FROM (SELECT " SUMS ", user_id FROM ");
    fm_scope_write(&sql, &scope, rollup);
    fm_write(&sql, programs ? " GROUP BY user_id, program_id HAVING SUM(jobs) > 0) s JOIN names u ON u.id = s.user_id "
                              "JOIN names p ON p.id = s.program_id"
                            : " GROUP BY user_id HAVING SUM(jobs) > 0) s JOIN names u ON u.id = s.user_id");
    const char *statement = fm_writer_text(&sql);
    struct fm_query *query = NULL;
    enum fm_status status = statement ? fm_query_open(&query, references->db, statement, error) : no_memory(error);
    if (!status)
        fm_scope_bind(query, &scope, rollup);
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (!status && row)
            status = add_owner(references, owners, query, error);
    }
    fm_query_close(query);
    fm_arena_destroy(&texts);
    if (owners->n)
        qsort(owners->items, owners->n, sizeof *owners->items, by_name);
    return status;
}

static bool place_users(struct fm_references *references)
{
    const struct owners *users = &references->users;
    if (!make_distributions(references->distributions, users->n, &references->arena))
        return false;
    for (size_t i = 0; i < users->n; i++) {
        double values[FM_REFERENCE_FIGURES];
        figures_of_sums(&users->items[i].sums, values);
        for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
            add_value(&references->distributions[k], values[k], 1);
    }
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
        fm_weighted_sort(references->distributions[k].values, references->distributions[k].n);
    return true;
}

enum fm_status fm_references_open(struct fm_references **references, struct fm_db *db, int64_t from, int64_t until,
                                  struct fm_error *error)
{
    *references = NULL;
    struct fm_references *made = calloc(1, sizeof *made);
    if (!made)
        return no_memory(error);
    made->db = db;
    made->from = from;
    made->until = until;
    enum fm_status status = read_owners(made, &made->users, error);
    if (!status && !place_users(made))
        status = no_memory(error);
    if (status) {
        fm_references_close(made);
        return status;
    }
    *references = made;
    return FM_OK;
}

void fm_references_close(struct fm_references *references)
{
    if (!references)
        return;
    fm_arena_destroy(&references->arena);
    fm_arena_destroy(&references->runs_arena);
    free(references);
}

static void unknown(double values[FM_REFERENCE_FIGURES])
{
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
        values[k] = NAN;
}

bool fm_reference_is_private(const struct fm_reference *reference)
{
    return reference->others > 0 && reference->others < FM_REFERENCE_LEAST_OTHERS;
}

void fm_reference_hide(struct fm_reference *reference)
{
    reference->min = reference->p25 = reference->median = reference->p75 = reference->max = NAN;
    reference->avg = reference->percentile = NAN;
}

void fm_references_among_users(const struct fm_references *references, const char *asker,
                               const double values[FM_REFERENCE_FIGURES],
                               struct fm_reference found[FM_REFERENCE_FIGURES])
{
    const struct owner *own = asker ? find(&references->users, asker, NULL) : NULL;
    double own_values[FM_REFERENCE_FIGURES];
    unknown(own_values);
    if (own)
        figures_of_sums(&own->sums, own_values);
    place(references->distributions, references->users.n, values, found);
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
        found[k].others = found[k].n - (isfinite(own_values[k]) ? 1 : 0);
}

bool fm_references_user(const struct fm_references *references, const char *user,
                        struct fm_reference found[FM_REFERENCE_FIGURES])
{
    double values[FM_REFERENCE_FIGURES];
    unknown(values);
    const struct owner *owner = find(&references->users, user, NULL);
    if (owner)
        figures_of_sums(&owner->sums, values);
    fm_references_among_users(references, user, values, found);
    return owner;
}

/* ---- runs ---- */

/* Bits of the figures that are known. */
static bool count_user(struct fm_references *references, struct program_runs *runs, const char *user, uint32_t figures)
{
    struct fm_intern_slot *slot = fm_intern_find(&runs->users, user);
    uint32_t before = slot ? slot->number : 0;
    if (!slot)
        slot = fm_intern_put(&runs->users, &references->runs_arena, user, true);
    if (!slot)
        return false;
    slot->number = before | figures;
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
        runs->n_users[k] += (figures & ~before) >> k & 1;
    return true;
}

static enum fm_status read_runs(struct fm_references *references, const char *program, struct program_runs *runs,
                                struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(
        &query, references->db,
        "SELECT weight, mpi_fraction, parallel, counted_s, instructions, fp_instructions, l2_misses, user_name FROM jobs "
        "WHERE program = $1 AND ended >= $2 AND ended < $3 ORDER BY ended DESC LIMIT $4",
        error);
    if (status)
        return status;
    fm_query_text(query, 1, program);
    fm_query_whole(query, 2, references->from * DAY_S);
    fm_query_whole(query, 3, references->until * DAY_S);
    fm_query_whole(query, 4, FM_REFERENCE_RUNS);
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (status || !row)
            break;
        double weight = fm_column_real(query, 0), counted_s = fm_column_real(query, 3);
        const double values[FM_REFERENCE_FIGURES] = {
            [FM_REFERENCE_MPI] = fm_column_real(query, 1),
            [FM_REFERENCE_PARALLEL] = fm_column_real(query, 2),
            [FM_REFERENCE_INSTRUCTIONS] = ratio(fm_column_real(query, 4), counted_s),
            [FM_REFERENCE_FP] = ratio(fm_column_real(query, 5), counted_s),
            [FM_REFERENCE_L2_MISSES] = ratio(fm_column_real(query, 6), counted_s),
        };
        uint32_t figures = 0;
        for (size_t k = 0; k < FM_REFERENCE_FIGURES && runs->n < FM_REFERENCE_RUNS; k++) {
            add_value(&runs->distributions[k], values[k], weight);
            figures |= isfinite(values[k]) ? 1u << k : 0;
        }
        runs->n++;
        if (!count_user(references, runs, fm_column_text(query, 7), figures))
            status = no_memory(error);
    }
    fm_query_close(query);
    return status;
}

/* The values in an array of their own size: most programs have few runs. */
static bool keep_runs(struct fm_references *references, const struct program_runs *from, struct program_runs *to)
{
    *to = *from;
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++) {
        struct distribution *kept = &to->distributions[k];
        kept->values = fm_arena_alloc(&references->runs_arena, kept->n * sizeof *kept->values);
        if (!kept->values)
            return false;
        memcpy(kept->values, from->distributions[k].values, kept->n * sizeof *kept->values);
        fm_weighted_sort(kept->values, kept->n);
    }
    return true;
}

static enum fm_status add_runs(struct fm_references *references, const char *program, struct program_runs *to,
                               struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct program_runs runs = {0};
    enum fm_status status = FM_OK;
    if (!make_distributions(runs.distributions, FM_REFERENCE_RUNS, &arena))
        status = no_memory(error);
    if (!status)
        status = read_runs(references, program, &runs, error);
    if (!status && !keep_runs(references, &runs, to))
        status = no_memory(error);
    fm_arena_destroy(&arena);
    return status;
}

static void forget_runs(struct fm_references *references)
{
    fm_arena_destroy(&references->runs_arena);
    references->known = (struct fm_intern){0};
    references->runs = NULL;
}

static enum fm_status find_runs(struct fm_references *references, const char *program,
                                const struct program_runs **found, struct fm_error *error)
{
    struct fm_intern_slot *slot = fm_intern_find(&references->known, program);
    if (slot) {
        *found = &references->runs[slot->number - 1];
        return FM_OK;
    }
    if (references->known.n >= FM_REFERENCE_PROGRAMS)
        forget_runs(references);
    if (!references->runs)
        references->runs = fm_arena_alloc(&references->runs_arena, FM_REFERENCE_PROGRAMS * sizeof *references->runs);
    if (!references->runs)
        return no_memory(error);
    struct program_runs *runs = &references->runs[references->known.n];
    enum fm_status status = add_runs(references, program, runs, error);
    if (status)
        return status;
    slot = fm_intern_put(&references->known, &references->runs_arena, program, true);
    if (!slot)
        return no_memory(error);
    slot->number = (uint32_t)references->known.n;
    *found = runs;
    return FM_OK;
}

enum fm_status fm_references_among_runs(struct fm_references *references, const char *program, const char *asker,
                                        const double values[FM_REFERENCE_FIGURES],
                                        struct fm_reference found[FM_REFERENCE_FIGURES], struct fm_error *error)
{
    static const struct program_runs none;
    const struct program_runs *runs = &none;
    enum fm_status status = find_runs(references, program, &runs, error);
    if (status)
        return status;
    const struct fm_intern_slot *own = asker ? fm_intern_find(&runs->users, asker) : NULL;
    place(runs->distributions, runs->n, values, found);
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
        found[k].others = runs->n_users[k] - (own ? own->number >> k & 1 : 0);
    return FM_OK;
}

enum fm_status fm_references_program(struct fm_references *references, const char *user, const char *program,
                                     struct fm_reference found[FM_REFERENCE_FIGURES], struct fm_error *error)
{
    double values[FM_REFERENCE_FIGURES];
    unknown(values);
    if (!references->has_programs) {
        enum fm_status status = read_owners(references, &references->programs, error);
        if (status)
            return status;
        references->has_programs = true;
    }
    const struct owner *owner = find(&references->programs, user, program);
    if (owner)
        figures_of_sums(&owner->sums, values);
    return fm_references_among_runs(references, program, user, values, found, error);
}

/* ---- JSON ---- */

void fm_reference_json(struct fm_json *json, const char *key, const struct fm_reference *reference, bool with_value)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"min", reference->min},
        {"p25", reference->p25},
        {"median", reference->median},
        {"p75", reference->p75},
        {"max", reference->max},
        {"avg", reference->avg},
        {"percentile", reference->percentile},
    };
    fm_json_object(json, key, FM_JSON_INLINE);
    if (with_value)
        fm_json_real(json, "value", reference->value);
    fm_json_whole(json, "n", reference->n);
    fm_json_whole(json, "of", reference->of);
    fm_json_whole(json, "others", reference->others);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fm_json_real(json, numbers[i].key, numbers[i].value);
    fm_json_end(json);
}
