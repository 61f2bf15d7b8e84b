#include "analyse/calls/rank_extremes.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "format/encode.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "tap.h"

/* A job whose calls lead to lines that were sampled at several addresses. Without symbols all addresses of a load
 * module that one call leads to are one line. */
enum { MOST_CALLS = 4, MOST_ADDRESSES = 60 };
struct job {
    uint32_t ranks;
    size_t calls, addresses;
    uint64_t *ns; /* by rank, call and address */
};

static uint64_t *at(const struct job *job, uint32_t rank, size_t call, size_t address)
{
    return &job->ns[(rank * job->calls + call) * job->addresses + address];
}

static struct job new_job(uint32_t ranks, size_t calls, size_t addresses)
{
    return (struct job){ranks, calls, addresses, calloc(ranks * calls * addresses, sizeof(uint64_t))};
}

static const char *const callers[MOST_CALLS] = {"a", "b", "c", "d"}; /* load modules */

static struct fm_profile *of_rank(const struct job *job, uint32_t rank)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_call_paths paths = {0};
    paths.nodes = fm_arena_alloc(&p->arena, (1 + job->calls * (1 + job->addresses)) * sizeof *paths.nodes);
    paths.nodes[paths.n++] = (struct fm_path_node){0, FM_PATH_ROOT, {"", "", 0}, "", {0}, {0}};
    for (size_t call = 0; call < job->calls; call++) {
        uint32_t parent = (uint32_t)paths.n;
        for (size_t i = 0; i < job->addresses; i++) {
            uint64_t ns = *at(job, rank, call, i);
            if (ns && parent == paths.n)
                paths.nodes[paths.n++] = (struct fm_path_node){0,  FM_PATH_CALL, {callers[call], "", 1000},
                                                               "", {0},          {0}};
            if (ns)
                paths.nodes[paths.n++] = (struct fm_path_node){
                    parent, FM_PATH_LEAF, {"n", "", 1 + i}, "", fm_path_cost_of(ns, rank), {0}};
        }
    }
    p->job.ranks = job->ranks;
    if (paths.n > 1) {
        fm_call_paths_inclusive(&paths, rank);
        fm_call_paths_make_shares(&paths, &p->arena, &p->arena, rank);
        fm_merge_paths(p, &paths, &p->arena);
    }
    p->processes = fm_arena_grow(&p->arena, NULL, &p->processes_capacity, 1, sizeof *p->processes);
    p->processes[0] = (struct fm_process){.rank = rank, .host = FM_NO_RANK, .inside = ""};
    p->n_processes = 1;
    return p;
}

static struct fm_profile *of_all(const struct job *job)
{
    struct fm_profile *p = of_rank(job, 0);
    for (uint32_t rank = 1; rank < job->ranks; rank++) {
        struct fm_profile *other = of_rank(job, rank);
        fm_profile_merge(p, other, NULL);
        fm_profile_destroy(other);
    }
    return p;
}

static struct fm_profile *through_file(const struct fm_profile *p)
{
    struct fm_arena arena = {0};
    struct fm_profile *again = NULL;
    const void *bytes;
    size_t size;
    if (!fm_profile_encode(p, &arena, &bytes, &size, NULL))
        fm_profile_decode(bytes, size, "it", &again, NULL);
    fm_arena_destroy(&arena);
    return again;
}

struct truth {
    uint64_t min, max, sum;
    uint32_t min_rank, max_rank;
};

static struct truth truth_of(const struct job *job, size_t call)
{
    struct truth truth = {.min = UINT64_MAX};
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        uint64_t ns = 0;
        for (size_t i = 0; i < job->addresses; i++)
            ns += *at(job, rank, call, i);
        truth.sum += ns;
        if (ns < truth.min) {
            truth.min = ns;
            truth.min_rank = rank;
        }
        if (ns > truth.max) {
            truth.max = ns;
            truth.max_rank = rank;
        }
    }
    return truth;
}

/* The line with this time in all. */
static const struct fm_context *line(const struct fm_calltree *calls, uint64_t sum_ns)
{
    for (const struct fm_context *c = calls->root; c; c = fm_context_after(calls->root, c))
        if (c->id.kind == FM_CONTEXT_STATEMENT && c->all.of.sum_ns == sum_ns)
            return c;
    return NULL;
}

static struct fm_context_cost cost_of(const struct fm_profile *p, const struct truth *truth)
{
    struct fm_arena arena = {0};
    struct fm_calltree calls;
    struct fm_context_cost cost = {.no_least = true, .no_most = true};
    if (!fm_calltree_make(p, NULL, &arena, &calls, NULL)) {
        fm_calltree_extremes(&calls);
        const struct fm_context *found = line(&calls, truth->sum);
        if (found)
            cost = found->all;
    }
    fm_arena_destroy(&arena);
    return cost;
}

static bool near(uint64_t a, uint64_t b, uint64_t difference)
{
    return (a > b ? a - b : b - a) <= difference;
}

/* ---- ranks that did the same ---- */

static void test_equal(uint32_t ranks, unsigned percent)
{
    uint64_t state = ranks;
    struct job job = new_job(ranks, 1, 7);
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (size_t i = 0; i < job.addresses; i++)
            *at(&job, rank, 0, i) = 10000000 * (1 + i) + fm_random(&state, 600000 * (1 + i)) - 300000 * (1 + i);
    struct truth truth = truth_of(&job, 0);
    struct fm_profile *p = of_all(&job), *file = through_file(p);
    struct fm_context_cost exact = cost_of(p, &truth), coarse = cost_of(file, &truth);
    struct fm_path_spread spread = fm_path_spread_of(&exact.of, ranks);
    tap_ok(!exact.estimated && !exact.no_least && !exact.no_most && spread.min_ns == truth.min &&
               spread.min_rank == truth.min_rank && spread.max_ns == truth.max && spread.max_rank == truth.max_rank,
           "%u ranks: least and most of several addresses are exact", ranks);
    spread = fm_path_spread_of(&coarse.of, ranks);
    tap_ok(coarse.estimated && !coarse.no_least && !coarse.no_most &&
               near(spread.min_ns, truth.min, truth.min * percent / 100) &&
               near(spread.max_ns, truth.max, truth.max * percent / 100) && coarse.of.sum_ns == truth.sum &&
               (double)spread.min_ns <= spread.mean_ns && (double)spread.max_ns >= spread.mean_ns,
           "from a file they are known within %u %%: least %llu, mean %.0f, most %llu", percent,
           (unsigned long long)spread.min_ns, spread.mean_ns, (unsigned long long)spread.max_ns);
    for (size_t i = 0; i < job.addresses; i++)
        *at(&job, ranks / 2, 0, i) = 0;
    fm_profile_destroy(file);
    fm_profile_destroy(p);
    p = of_all(&job);
    file = through_file(p);
    truth = truth_of(&job, 0);
    coarse = cost_of(file, &truth);
    spread = fm_path_spread_of(&coarse.of, ranks);
    tap_ok(!coarse.no_least && spread.min_ns == 0 && spread.min_rank == FM_NO_RANK, "%u ranks: one with none has 0",
           ranks);
    fm_profile_destroy(file);
    fm_profile_destroy(p);
    free(job.ns);
}

/* ---- what is not known ---- */

static void test_unknown(void)
{
    struct job job = new_job(8, 1, 2);
    for (uint32_t rank = 0; rank < 8; rank++) {
        *at(&job, rank, 0, 0) = rank % 2 ? 91000000 + rank : 9000000 + rank;
        *at(&job, rank, 0, 1) = rank % 2 ? 9000000 - rank : 91000000 - rank;
    }
    struct truth truth = truth_of(&job, 0);
    struct fm_profile *p = of_all(&job);
    struct fm_context_cost cost = cost_of(p, &truth);
    tap_ok(!cost.no_least && !cost.no_most && !cost.estimated && cost.of.min_ns == truth.min, "it is known by shares");
    p->paths.n_shares = 0;
    cost = cost_of(p, &truth);
    tap_ok(cost.no_least && cost.no_most && cost.of.sum_ns == truth.sum, "without them it is not known");
    fm_profile_destroy(p);
    *at(&job, 5, 0, 0) = 5000000;
    for (uint32_t rank = 0; rank < 8; rank++)
        *at(&job, rank, 0, 1) = 1000 + rank;
    truth = truth_of(&job, 0);
    p = of_all(&job);
    p->paths.n_shares = 0;
    cost = cost_of(p, &truth);
    tap_ok(!cost.no_least && cost.estimated && near(cost.of.min_ns, 5001005, 10),
           "it is when what is not known of the parts does not matter");
    fm_profile_destroy(p);
    free(job.ns);
}

/* Rank 0 has 64 nodes that are heavier than its part of a line that all others tell of. Of each address another rank has
 * still less. */
static void test_untold(uint64_t other_ns)
{
    struct job job = new_job(6, 3, MOST_ADDRESSES);
    for (uint32_t rank = 0; rank < 6; rank++)
        for (size_t i = 0; i < 3; i++)
            *at(&job, rank, 0, i) = rank == i + 1 ? 500 : rank ? 91000000 + 1000 * rank + i : 1000 + i;
    for (size_t i = 0; i < 2 * MOST_ADDRESSES; i++)
        *at(&job, 0, 1 + i / MOST_ADDRESSES, i % MOST_ADDRESSES) = other_ns + i;
    struct truth truth = truth_of(&job, 0);
    struct fm_profile *p = of_all(&job), *file = through_file(p);
    struct fm_context_cost cost = cost_of(file, &truth);
    if (other_ns < 1000000)
        tap_ok(!cost.no_least && cost.estimated && cost.of.min_ns <= 3 * 1100000,
               "a rank that does not tell of it has less than of what it tells of");
    else
        tap_ok(cost.no_least && !cost.no_most, "and how much is not known if that is a lot");
    fm_profile_destroy(file);
    fm_profile_destroy(p);
    free(job.ns);
}

/* ---- any job ---- */

static uint64_t any_ns(uint64_t *state)
{
    switch (fm_random(state, 8)) {
    case 0:
        return 0;
    case 1:
        return 1 + fm_random(state, 100);
    case 2:
        return 1 + fm_random(state, 1000000000);
    default:
        return 10000000 + fm_random(state, 1000000);
    }
}

static bool holds(const struct fm_context_cost *cost, const struct truth *truth, uint32_t ranks)
{
    struct fm_path_spread spread = fm_path_spread_of(&cost->of, ranks);
    uint64_t mean = truth->sum / ranks;
    if (!cost->estimated)
        return spread.min_ns == truth->min && spread.max_ns == truth->max && !cost->no_least && !cost->no_most;
    return (cost->no_least || near(spread.min_ns, truth->min, mean / 8 + 1)) &&
           (cost->no_most || near(spread.max_ns, truth->max, truth->max / 7 + 1));
}

static void test_any(void)
{
    uint64_t state = 99;
    size_t wrong = 0, exact = 0, known = 0, unknown = 0;
    for (int i = 0; i < 300; i++) {
        struct job job = new_job(3 + (uint32_t)fm_random(&state, 20), 1 + fm_random(&state, MOST_CALLS),
                                 1 + fm_random(&state, MOST_ADDRESSES));
        for (size_t k = 0; k < job.ranks * job.calls * job.addresses; k++)
            job.ns[k] = any_ns(&state);
        struct fm_profile *p = of_all(&job), *file = through_file(p);
        for (size_t call = 0; call < job.calls; call++) {
            struct truth truth = truth_of(&job, call);
            const struct fm_profile *profiles[] = {p, file};
            for (size_t k = 0; k < 2 && truth.sum; k++) {
                struct fm_context_cost cost = cost_of(profiles[k], &truth);
                wrong += !holds(&cost, &truth, job.ranks);
                exact += !cost.estimated;
                known += cost.estimated && !cost.no_least;
                unknown += cost.no_least;
            }
        }
        fm_profile_destroy(file);
        fm_profile_destroy(p);
        free(job.ns);
    }
    tap_ok(!wrong && exact && known && unknown, "what is said of any job is true (%zu exact, %zu known, %zu not)",
           exact, known, unknown);
}

/* ---- by rank ---- */

struct by_rank {
    size_t known, unknown, wrong;
};

/* Compares what is said of the line of each call, and of all of them together, with what the ranks did. */
static void check_by_rank(const struct job *job, const struct fm_profile *p, struct by_rank *seen)
{
    struct fm_arena arena = {0};
    struct fm_calltree calls;
    int64_t ns[32];
    if (fm_calltree_make(p, NULL, &arena, &calls, NULL))
        return;
    struct fm_rank_costs *costs = fm_rank_costs_start(&calls, &arena);
    for (size_t call = 0; call <= job->calls; call++) {
        bool whole = call == job->calls;
        struct truth truth = whole ? (struct truth){0} : truth_of(job, call);
        const struct fm_context *context = whole ? calls.root : line(&calls, truth.sum);
        uint64_t true_ns[32] = {0}, most = 0;
        uint32_t told = 0, n = context ? fm_rank_costs_of(costs, context, whole, ns) : 0;
        for (uint32_t rank = 0; rank < job->ranks; rank++) {
            for (size_t i = 0; i < job->calls * job->addresses; i++)
                if (whole || i / job->addresses == call)
                    true_ns[rank] += job->ns[rank * job->calls * job->addresses + i];
            most = true_ns[rank] > most ? true_ns[rank] : most;
        }
        for (uint32_t rank = 0; n && rank < job->ranks; rank++) {
            told += ns[rank] >= 0;
            seen->wrong += ns[rank] >= 0 && !near((uint64_t)ns[rank], true_ns[rank], most / 7 + 1);
        }
        seen->wrong += told != n;
        seen->known += n;
        seen->unknown += job->ranks - n;
    }
    fm_arena_destroy(&arena);
}

static void test_by_rank(void)
{
    uint64_t state = 7;
    struct by_rank seen = {0};
    for (int i = 0; i < 200; i++) {
        struct job job = new_job(3 + (uint32_t)fm_random(&state, 20), 1 + fm_random(&state, MOST_CALLS),
                                 1 + fm_random(&state, MOST_ADDRESSES));
        for (size_t k = 0; k < job.ranks * job.calls * job.addresses; k++)
            job.ns[k] = any_ns(&state);
        struct fm_profile *p = of_all(&job), *file = through_file(p);
        check_by_rank(&job, p, &seen);
        check_by_rank(&job, file, &seen);
        fm_profile_destroy(file);
        fm_profile_destroy(p);
        free(job.ns);
    }
    tap_ok(!seen.wrong && seen.known && seen.unknown,
           "costs by rank are true where they are known (%zu known, %zu not)", seen.known, seen.unknown);
}

int main(void)
{
    test_equal(8, 4);
    test_equal(64, 4);
    test_equal(5000, 7);
    test_unknown();
    test_untold(900000);
    test_untold(90000000);
    test_any();
    test_by_rank();
    return tap_done();
}
