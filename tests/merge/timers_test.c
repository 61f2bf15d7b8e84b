/* Timers of many tasks: from segments, in any order, through messages, to groups that are bounded in number. */
#include <stdlib.h>
#include <string.h>

#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "model/check.h"
#include "tap.h"

enum { TIMERS = 10 };

static const char *const kinds[] = {"plain", "ocean", "shapes", "ranges"};
static uint32_t n_tasks;

static struct fm_profile *timers_of(enum fm_synthetic_timing kind, uint32_t rank)
{
    const struct fm_synthetic job = {
        .ranks = n_tasks, .ranks_per_host = 64, .seed = 7, .timers = TIMERS, .timing = kind};
    struct fm_profile *p = NULL;
    void *segment = aligned_alloc(64, fm_synthetic_bytes(&job));
    fm_synthetic_segment(&job, rank, segment);
    if (fm_timers_from_segment(segment, fm_synthetic_bytes(&job), "synthetic", rank, 0, &p, NULL))
        p = fm_profile_create();
    free(segment);
    return p;
}

static void add(struct fm_profile *all, struct fm_profile *part)
{
    fm_merge_timers(all, part->timers, part->n_timers);
    fm_profile_destroy(part);
}

/* One after the other, from a random one on, in steps that meet all. */
static struct fm_profile *in_a_row(enum fm_synthetic_timing kind, uint64_t *state)
{
    const uint32_t steps[] = {1, 7, 11, 13, 217, n_tasks - 1};
    struct fm_profile *all = fm_profile_create();
    uint32_t first = (uint32_t)fm_random(state, n_tasks), step = steps[fm_random(state, sizeof steps / sizeof *steps)];
    for (uint32_t i = 0; i < n_tasks; i++)
        add(all, timers_of(kind, (first + i * step) % n_tasks));
    return all;
}

/* Many, whose shapes may be coarse, are added to a few, whose shapes are not. */
static struct fm_profile *many_to_few(enum fm_synthetic_timing kind)
{
    struct fm_profile *few = fm_profile_create(), *many = fm_profile_create();
    for (uint32_t rank = 0; rank < n_tasks; rank++)
        add(rank < 5 ? few : many, timers_of(kind, rank));
    add(few, many);
    return few;
}

static struct fm_profile *through_a_message(struct fm_profile *p)
{
    struct fm_arena arena = {0};
    struct fm_profile *copy = NULL;
    const void *bytes;
    size_t size;
    if (fm_profile_encode_exact(p, &arena, &bytes, &size, NULL) ||
        fm_profile_decode(bytes, size, "a message", &copy, NULL))
        copy = fm_profile_create();
    fm_arena_destroy(&arena);
    fm_profile_destroy(p);
    return copy;
}

/* As the tasks of a communicator do it. */
static struct fm_profile *by_the_tree(enum fm_synthetic_timing kind, uint32_t rank)
{
    struct fm_profile *p = timers_of(kind, rank);
    for (uint32_t child = 2 * rank + 1; child <= 2 * rank + 2 && child < n_tasks; child++)
        p = fm_join_timers(p, through_a_message(by_the_tree(kind, child)));
    return p;
}

/* Notes of tasks do not go with their timers. */
static bool same(struct fm_profile *a, struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *of_a = NULL, *of_b = NULL;
    size_t n_a = 0, n_b = 1;
    a->n_notes = b->n_notes = 0;
    fm_profile_encode_exact(a, &arena, &of_a, &n_a, NULL);
    fm_profile_encode_exact(b, &arena, &of_b, &n_b, NULL);
    bool equal = n_a == n_b && !memcmp(of_a, of_b, n_a);
    fm_arena_destroy(&arena);
    return equal;
}

/* Each task is in one group, and each event in one bin. */
static bool complete(const struct fm_timer *timer)
{
    uint64_t tasks = 0, events = 0;
    for (size_t i = 0; i < timer->n_groups; i++) {
        tasks += fm_rankset_count(&timer->groups[i].ranks);
        for (size_t k = 0; k < timer->groups[i].n_bins; k++)
            if (timer->groups[i].bins[k].bin < FM_DECIMAL_BINS)
                events += timer->groups[i].bins[k].sum;
    }
    return tasks == fm_rankset_count(&timer->ranks) && tasks == timer->events.ranks && events == timer->events.sum;
}

/* What a degree promises of the groups. */
static bool coarse_enough(const struct fm_timer *timer)
{
    bool good = true;
    for (size_t i = 0; i < timer->n_groups; i++) {
        const union fm_timer_shape *shape = &timer->groups[i].shape;
        good = good && (timer->coarse < 1 || (!shape->second_bin && !shape->share)) &&
               (timer->coarse < 2 || !i || shape->max_bin[0] > timer->groups[i - 1].shape.max_bin[0]);
    }
    return good;
}

static bool groups_in(const struct fm_profile *p, uint32_t degree, size_t most)
{
    bool good = p->n_timers == TIMERS;
    for (size_t i = 0; i < p->n_timers; i++) {
        const struct fm_timer *timer = &p->timers[i];
        good = good && timer->coarse == degree && timer->n_groups <= most && complete(timer) && coarse_enough(timer);
    }
    return good;
}

/* The report in each tick shows every task once. */
static bool reported(const struct fm_profile *p)
{
    struct fm_arena arena = {0};
    bool good = true;
    for (unsigned exponent = 0; exponent < FM_TIMER_TICKS; exponent++) {
        for (size_t i = 0; i < p->n_timers; i++) {
            struct fm_timer_group *groups = NULL;
            size_t n = 0;
            uint64_t tasks = 0;
            good = good && fm_timer_reduce(&p->timers[i], exponent, &arena, &groups, &n);
            for (size_t k = 0; good && k < n; k++)
                tasks += fm_rankset_count(&groups[k].ranks);
            good = good && tasks == fm_rankset_count(&p->timers[i].ranks);
        }
    }
    fm_arena_destroy(&arena);
    return good;
}

static void test_kind(enum fm_synthetic_timing kind, uint32_t tasks, uint32_t degree, size_t most)
{
    n_tasks = tasks;
    uint64_t state = 12345;
    struct fm_profile *all = by_the_tree(kind, 0);
    int equal = 0;
    for (int i = 0; i < 4; i++) {
        struct fm_profile *other = i ? in_a_row(kind, &state) : many_to_few(kind);
        equal += same(all, other);
        fm_profile_destroy(other);
    }
    const char *wrong = fm_profile_check(all);
    tap_ok(!wrong && equal == 4, "%s, %u tasks: in any order and through messages the same (%d of 4)", kinds[kind],
           tasks, equal);
    tap_ok(groups_in(all, degree, most), "%s: all tasks and events are in at most %zu groups, of degree %u",
           kinds[kind], most, degree);
    tap_ok(reported(all), "%s: every task is in one histogram, in any tick", kinds[kind]);
    fm_profile_destroy(all);
}

/* A damaged segment: two timers have one name, and a third is a part of nothing. */
static void test_doubles(void)
{
    const struct fm_synthetic job = {
        .ranks = 1, .ranks_per_host = 1, .seed = 7, .timers = 3, .timing = FM_TIMING_OCEAN};
    struct fm_profile *p = NULL;
    struct fm_segment_header *header = aligned_alloc(64, fm_synthetic_bytes(&job));
    fm_synthetic_segment(&job, 0, header);
    struct fm_segment_timer *timers = (void *)((char *)header + header->sections[FM_SECTION_TIMERS].offset);
    struct fm_segment_timing *timings = (void *)((char *)header + header->sections[FM_SECTION_TIMINGS].offset);
    uint64_t events = timings[0].count + timings[1].count;
    timers[1] = timers[0];
    timings[2].timer = 99;
    bool read = !fm_timers_from_segment(header, fm_synthetic_bytes(&job), "synthetic", 0, 0, &p, NULL);
    tap_ok(read && p->n_timers == 1 && p->timers[0].events.sum == events && !fm_profile_check(p),
           "timers of the same name become one, a part of none is left out");
    fm_profile_destroy(p);
    free(header);
}

int main(void)
{
    test_kind(FM_TIMING_PLAIN, 300, 0, FM_TIMER_SHAPES);
    test_kind(FM_TIMING_OCEAN, 300, 0, FM_TIMER_SHAPES);
    test_kind(FM_TIMING_RANGES, 300, 0, FM_TIMER_SHAPES);
    test_kind(FM_TIMING_SHAPES, 100, 1, FM_TIMER_COARSE_SHAPES);
    test_kind(FM_TIMING_SHAPES, 300, 2, FM_DECIMAL_BINS);
    test_doubles();
    return tap_done();
}
