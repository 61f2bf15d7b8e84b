/* Groups of tasks by whole histograms, and their sparklines. */
#include "model/timer_cluster.h"

#include "base/units.h"
#include "tap.h"
#include "timer_report/paper.h"
#include "timer_report/timer_spark.h"

/* Events of ms with their number, ended by 0. */
static void add_events(struct fm_profile *p, uint32_t first, uint32_t last, const unsigned *events)
{
    struct fm_timer_task task = {0};
    for (; *events; events += 2) {
        task.counts[fm_decimal_bin((uint64_t)events[0] * MS)] += events[1];
        task.events += events[1];
        task.total_ns += (uint64_t)events[0] * events[1] * MS;
    }
    for (uint32_t rank = first; rank <= last; rank++)
        add_task(p, "t", rank, &task);
}

static const char *clusters(struct fm_profile *p, size_t most)
{
    struct fm_timer_group *groups;
    size_t n;
    struct fm_writer w = {.arena = &p->arena};
    if (!fm_timer_cluster(p->timers, most, &p->arena, &groups, &n))
        exit(1);
    for (size_t i = 0; i < n; i++)
        fm_write(&w, "%s%s", i ? " | " : "", fm_rankset_text(&groups[i].ranks, &p->arena, 0));
    return fm_writer_text(&w);
}

static void is(const char *got, const char *wanted, const char *what)
{
    if (!tap_ok(strcmp(got, wanted) == 0, "%s", what))
        printf("# got %s\n# not %s\n", got, wanted);
}

/* All have most events of 6 ms; half of them have others of 60 ms, which the maximum bin hides. */
static void test_hidden(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_timer_group *groups;
    size_t n;
    for (uint32_t rank = 0; rank < 16; rank += 4) {
        add_events(p, rank, rank + 1, (unsigned[]){6, 100, 0});
        add_events(p, rank + 2, rank + 2, (unsigned[]){6, 60, 60, 40, 0});
        add_events(p, rank + 3, rank + 3, (unsigned[]){6, 62, 60, 38, 0});
    }
    if (!fm_timer_reduce(p->timers, 0, &p->arena, &groups, &n))
        exit(1);
    tap_ok(n == 1, "one group by the maximum bin");
    is(clusters(p, 8), "0-1,4-5,8-9,12-13 | 2-3,6-7,10-11,14-15", "two by their histograms");
    is(clusters(p, 1), "0-15", "no more than asked for");
    is(clusters(p, 8), "0-1,4-5,8-9,12-13 | 2-3,6-7,10-11,14-15", "the timer is as it was");
    fm_timer_cluster(p->timers, 8, &p->arena, &groups, &n);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < groups[i].n_bins; b++)
            sum += groups[i].bins[b].sum;
    tap_ok(sum == p->timers->events.sum, "no event is lost");
    tap_ok(groups[1].bins[1].max == 40 && groups[1].bins[1].max_rank == 2 && groups[1].bins[1].min == 38 &&
               groups[1].bins[1].min_rank == 3,
           "extremes of a joined bin");
    fm_profile_destroy(p);
}

/* 5 and 6 ms are neighbours: by chance now this is the maximum, now that. */
static void test_chance(void)
{
    struct fm_profile *p = fm_profile_create();
    for (uint32_t rank = 0; rank < 12; rank++)
        add_events(p, rank, rank, (unsigned[]){5, 45 + rank, 6, 55 - rank, 0});
    add_events(p, 12, 13, (unsigned[]){9, 100, 0});
    is(clusters(p, 8), "12-13 | 0-11", "what differs by chance is together");
    fm_profile_destroy(p);
}

/* Merged from both ends. */
static void test_order(void)
{
    struct fm_profile *up = fm_profile_create(), *down = fm_profile_create();
    unsigned events[64][9] = {{0}};
    uint32_t random = 1;
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 8; k++)
            events[i][k] = 1 + (random = random * 1103515245 + 12345) / 65536 % (k % 2 ? 50 : 3000);
    for (uint32_t i = 0; i < 64; i++) {
        add_events(up, i, i, events[i]);
        add_events(down, 63 - i, 63 - i, events[63 - i]);
    }
    is(clusters(down, 5), clusters(up, 5), "the order of merging does not matter");
    size_t bars = 0;
    for (const char *c = clusters(up, 5); *c; c++)
        bars += *c == '|';
    tap_ok(bars == 4, "five groups of many");
    fm_profile_destroy(up);
    fm_profile_destroy(down);
}

/* Shapes are coarse then, and may be any number. */
static void test_coarse(void)
{
    struct fm_profile *p = fm_profile_create();
    uint32_t rank = 0;
    for (unsigned decade = 1; decade < 10; decade++) {
        for (unsigned digit = 1; digit < 10; digit++) {
            for (unsigned below = 0; below < decade; below++) { /* from this width on, most events are below a tick */
                struct fm_timer_task task = {.events = 280};
                task.counts[9 * decade + digit] = 100;
                for (unsigned k = 1; k < 10; k++)
                    task.counts[9 * below + k] += 20;
                add_task(p, "t", rank++, &task);
            }
        }
    }
    struct fm_timer_group *groups;
    size_t n = 0, tasks = 0;
    tap_ok(p->timers->coarse && p->timers->n_groups > FM_TIMER_SHAPES, "a timer of %zu groups", p->timers->n_groups);
    tap_ok(fm_timer_cluster(p->timers, 4, &p->arena, &groups, &n) && n >= 1 && n <= 4, "is clustered too");
    for (size_t i = 0; i < n; i++)
        tasks += fm_rankset_count(&groups[i].ranks);
    tap_ok(tasks == rank, "all tasks are there");
    fm_profile_destroy(p);
}

static const char *spark(struct fm_profile *p, bool ascii, bool axis)
{
    struct fm_writer w = {.arena = &p->arena};
    struct fm_timer_axis of = fm_timer_axis_of(p->timers->groups, p->timers->n_groups);
    fm_write(&w, "|");
    if (axis)
        fm_write_axis(&w, &of);
    else
        fm_write_spark(&w, &p->timers->groups[0], &of, ascii);
    fm_write(&w, "|");
    return fm_writer_text(&w);
}

static void test_sparks(void)
{
    char text[FM_UNIT_CHARS];
    struct fm_profile *p = fm_profile_create();
    add_events(p, 0, 0, (unsigned[]){5, 1, 6, 100, 7, 50, 20, 1, 0});
    is(spark(p, false, true), "|2 ms     70 ms|", "the ends of the axis");
    is(spark(p, false, false), "|   ▁█▄   ▁    |", "a sparkline");
    is(spark(p, true, false), "|   .@=   .    |", "in ASCII");
    struct fm_profile *wide = fm_profile_create();
    add_events(wide, 0, 0, (unsigned[]){6, 100, 1000000, 1, 0});
    wide->timers->groups[0].bins[0].bin = 0;
    is(spark(wide, true, true), "|0 ns            2000 s|", "an axis of many bins");
    is(spark(wide, true, false), "|@                    .|", "several bins share a column");
    fm_profile_destroy(wide);
    is(fm_timer_bin_text(text, 7), "7 ns", "a bin of one");
    is(fm_timer_bin_text(text, fm_decimal_bin(300ull * MS)), "300-400 ms", "a bin in ms");
    is(fm_timer_bin_text(text, fm_decimal_bin(999)), "900-1000 ns", "up to the next unit");
    is(fm_timer_bin_text(text, fm_decimal_bin(2500ull * MS)), "2-3 s", "a bin in s");
    is(fm_timer_bin_text(text, FM_DECIMAL_BINS - 1), "10000000000-18446744074 s", "the last bin");
    fm_profile_destroy(p);
}

int main(void)
{
    test_hidden();
    test_chance();
    test_order();
    test_coarse();
    test_sparks();
    return tap_done();
}
