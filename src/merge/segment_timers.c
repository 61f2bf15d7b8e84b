/* SPDX-License-Identifier: BSD-3-Clause */
/* The timers of a segment: the parts of each thread are combined to the timer of the task. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/strings.h"

static struct fm_timer_event longer(struct fm_timer_event a, struct fm_timer_event b)
{
    return !b.event || (a.event && a.ns >= b.ns) ? a : b;
}

static struct fm_timer_event shorter(struct fm_timer_event a, struct fm_timer_event b)
{
    return !b.event || (a.event && a.ns <= b.ns) ? a : b;
}

static void add_extremes(struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    struct fm_timer_event longest = {t->extremes.max_ns, t->extremes.max_event},
                          second = {t->extremes.second_ns, t->extremes.second_event},
                          shortest = {t->extremes.min_ns, t->extremes.min_event}, before = task->longest;
    task->longest = longer(before, longest);
    task->second = longer(task->second, task->longest.ns == before.ns && task->longest.event == before.event
                                            ? longest
                                            : longer(before, second));
    task->shortest = shorter(task->shortest, shortest);
}

static void add_bins(const struct fm_segment_reader *r, struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    size_t blocks = fm_segment_items(&r->view, FM_SECTION_TIMER_BINS);
    for (unsigned decade = 0; decade < FM_DECADES; decade++) {
        struct fm_segment_bins bins = {0};
        if (!t->bins[decade] && !t->coarse[decade])
            continue;
        if (t->bins[decade] && t->bins[decade] <= blocks)
            fm_segment_item(&r->view, FM_SECTION_TIMER_BINS, t->bins[decade] - 1u, &bins, sizeof bins);
        fm_add_saturating(&task->counts[9 * decade + (decade > 0)], t->coarse[decade]);
        for (unsigned digit = decade > 0; digit < 10 && 9 * decade + digit < FM_DECIMAL_BINS; digit++)
            fm_add_saturating(&task->counts[9 * decade + digit], (uint64_t)bins.high[digit] << 32 | bins.counts[digit]);
    }
}

/* Number of ticks from the start of measurement to the middle of the run. */
static uint64_t middle_of(const struct fm_segment_reader *r)
{
    const struct fm_segment_header *h = &r->view.header;
    unsigned __int128 ticks = ((unsigned __int128)(r->wall_ns / 2) << h->clock_shift % 64) / h->clock_mult;
    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* The state at that time: interpolated between two marks, in whole events of the mean duration between the two. */
static struct fm_segment_mark state_at(const struct fm_segment_timing *t, uint64_t ticks, uint64_t end)
{
    uint64_t slice = ticks >> t->slice_shift, from = slice << t->slice_shift;
    struct fm_segment_mark before = {0}, after = {t->count, t->total_ns};
    if (slice > t->n_marks) /* the last event was long before that */
        return after;
    if (slice)
        before = t->marks[slice - 1];
    if (slice < t->n_marks) {
        after = t->marks[slice];
        end = from + (1ull << t->slice_shift);
    }
    if (after.count < before.count || after.total_ns < before.total_ns || end <= from || ticks > end)
        return before;
    uint64_t count = after.count - before.count;
    uint64_t events = (uint64_t)(((unsigned __int128)count * (ticks - from) + (end - from) / 2) / (end - from));
    unsigned __int128 ns = after.total_ns - before.total_ns;
    return (struct fm_segment_mark){before.count + events,
                                    before.total_ns + (count ? (uint64_t)(ns * events / count) : 0)};
}

static void add_halves(const struct fm_segment_reader *r, struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    if (!r->view.header.clock_mult || t->slice_shift > 60 || t->n_marks > FM_TIMER_MARKS)
        return;
    uint64_t middle = middle_of(r), end = middle > UINT64_MAX / 2 ? UINT64_MAX : 2 * middle;
    uint64_t slice_end = t->n_marks + 1ull > UINT64_MAX >> t->slice_shift ? end : (t->n_marks + 1ull) << t->slice_shift;
    struct fm_segment_mark half = state_at(t, middle, end < slice_end ? end : slice_end);
    uint64_t events = half.count < t->count ? half.count : t->count;
    uint64_t ns = half.total_ns < t->total_ns ? half.total_ns : t->total_ns;
    fm_add_saturating(&task->half_events[0], events);
    fm_add_saturating(&task->half_events[1], t->count - events);
    fm_add_saturating(&task->half_ns[0], ns);
    fm_add_saturating(&task->half_ns[1], t->total_ns - ns);
}

static void add_thread(const struct fm_segment_reader *r, struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    fm_add_saturating(&task->events, t->count);
    fm_add_saturating(&task->total_ns, t->total_ns);
    fm_add_saturating(&task->children_ns, t->children_ns);
    fm_spread_add(&task->thread_ns, t->total_ns, r->rank);
    add_extremes(task, t);
    add_bins(r, task, t);
    add_halves(r, task, t);
}

static const char *name_of(struct fm_segment_reader *r, unsigned number)
{
    struct fm_segment_timer timer;
    fm_segment_item(&r->view, FM_SECTION_TIMERS, number, &timer, sizeof timer);
    const char *name = fm_clean_text(&r->view.scratch, timer.name, sizeof timer.name, false);
    return name ? fm_profile_intern(r->profile, name) : NULL;
}

static const char *parent_of(struct fm_segment_reader *r, unsigned parent, size_t n_timers)
{
    return !parent ? "" : parent > n_timers ? FM_SEVERAL_PARENTS : name_of(r, parent - 1);
}

/* A timer and its name. */
struct named_timer {
    const char *name;
    uint32_t number;
};

/* The timers sorted by name, and linked lists of the timings of each: index + 1 of the first one, and of the next one
 * for each. */
struct lists {
    size_t n_timers, n_timings;
    struct named_timer *names;
    uint32_t *first, *next;
    uint64_t coarse_events; /* of all timings */
};

static int compare_names(const void *a, const void *b)
{
    return fm_compare_text(((const struct named_timer *)a)->name, ((const struct named_timer *)b)->name);
}

static bool sort_names(struct fm_segment_reader *r, struct lists *lists)
{
    lists->names = fm_arena_alloc(&r->view.scratch, lists->n_timers * sizeof *lists->names);
    for (uint32_t i = 0; lists->names && i < lists->n_timers; i++) {
        lists->names[i] = (struct named_timer){name_of(r, i), i};
        if (!lists->names[i].name)
            return false;
    }
    return lists->names &&
           fm_sort(lists->names, lists->n_timers, sizeof *lists->names, compare_names, &r->view.scratch);
}

static bool make_lists(struct fm_segment_reader *r, struct lists *lists)
{
    *lists = (struct lists){0};
    lists->n_timers = fm_segment_items(&r->view, FM_SECTION_TIMERS);
    lists->n_timings = fm_segment_items(&r->view, FM_SECTION_TIMINGS);
    lists->first = fm_arena_alloc(&r->view.scratch, lists->n_timers * sizeof *lists->first);
    lists->next = fm_arena_alloc(&r->view.scratch, lists->n_timings * sizeof *lists->next);
    for (size_t i = lists->n_timings; lists->first && lists->next && i-- > 0;) {
        struct fm_segment_timing timing;
        fm_segment_item(&r->view, FM_SECTION_TIMINGS, i, &timing, sizeof timing);
        for (unsigned decade = 0; decade < FM_DECADES; decade++)
            fm_add_saturating(&lists->coarse_events, timing.coarse[decade]);
        if (timing.timer >= lists->n_timers)
            continue;
        lists->next[i] = lists->first[timing.timer];
        lists->first[timing.timer] = (uint32_t)i + 1;
    }
    return lists->first && lists->next && sort_names(r, lists);
}

/* Corrects its times for the error of the clock. */
static void correct_times(const struct fm_segment_reader *r, struct fm_segment_timing *t)
{
    t->total_ns = fm_segment_reader_ns(r, t->total_ns);
    t->children_ns = fm_segment_reader_ns(r, t->children_ns);
    fm_segment_reader_extremes(r, &t->extremes);
    for (unsigned i = 0; i < FM_TIMER_MARKS; i++)
        t->marks[i].total_ns = fm_segment_reader_ns(r, t->marks[i].total_ns);
}

/* Adds up the data of all threads for a timer, and its misuses. Returns false if out of memory. */
static bool read_timings(struct fm_segment_reader *r, const struct lists *lists, unsigned number,
                         struct fm_timer_task *task, unsigned *parent, struct fm_timer *misused)
{
    for (uint32_t i = lists->first[number]; i; i = lists->next[i - 1]) {
        struct fm_segment_timing timing;
        fm_segment_item(&r->view, FM_SECTION_TIMINGS, i - 1, &timing, sizeof timing);
        correct_times(r, &timing);
        if (!fm_read_running(r, &timing, misused))
            return false;
        if (!timing.count)
            continue;
        *parent = task->events && timing.parent != *parent ? FM_TIMER_SEVERAL : timing.parent;
        add_thread(r, task, &timing);
    }
    return fm_read_misuses(r, number, misused);
}

static uint64_t cost_of(uint64_t events, uint64_t each_ps)
{
    unsigned __int128 cost = (unsigned __int128)events * each_ps / 1000;
    return cost > FM_LONGEST_NS ? FM_LONGEST_NS : (uint64_t)cost;
}

/* Appends a timer and increments *n if it has events or misuses. */
static bool read_timer(struct fm_segment_reader *r, const struct lists *lists, const struct named_timer *named,
                       struct fm_timer *timers, size_t *n)
{
    struct fm_timer_task task = {0};
    unsigned parent = 0;
    struct fm_timer *timer = &timers[*n], misused = {.name = named->name, .parent = ""};
    if (!read_timings(r, lists, named->number, &task, &parent, &misused))
        return false;
    task.overhead_ns = cost_of(task.events, r->view.header.timer_cost_ps);
    task.overhead_inside_ns = cost_of(task.events, r->view.header.timer_inside_ps);
    const char *in = parent_of(r, parent, lists->n_timers);
    *timer = misused;
    if (task.events && (!in || !fm_timer_of_task(timer, &r->profile->arena, misused.name, in, r->rank, &task)))
        return false;
    timer->misuses = misused.misuses;
    timer->n_misuses = misused.n_misuses;
    timer->misuses_capacity = misused.misuses_capacity;
    *n += task.events || misused.n_misuses;
    return true;
}

static bool note_misuses(struct fm_segment_reader *r)
{
    uint64_t amount = 0;
    struct fm_range range;
    struct fm_rankset ranks = fm_segment_reader_ranks(r, &range);
    for (size_t i = 0; i < r->profile->n_timers; i++)
        for (size_t k = 0; k < r->profile->timers[i].n_misuses; k++)
            if (r->profile->timers[i].misuses[k].kind != FM_MISUSE_RUNNING)
                fm_add_saturating(&amount, r->profile->timers[i].misuses[k].count);
    return !amount || fm_profile_note(r->profile, FM_NOTE_TIMER_MISUSES, "", amount, &ranks);
}

/* Events without a block of bins are in the first bin of their power of ten. */
static bool note_coarse(struct fm_segment_reader *r, uint64_t amount)
{
    struct fm_range range;
    struct fm_rankset ranks = fm_segment_reader_ranks(r, &range);
    return !amount || fm_profile_note(r->profile, FM_NOTE_COARSE_TIMER_EVENTS, "", amount, &ranks);
}

enum fm_status fm_read_timers(struct fm_segment_reader *r)
{
    struct lists lists;
    size_t n = 0;
    if (r->rank == FM_NO_RANK)
        return FM_OK;
    if (!make_lists(r, &lists))
        return fm_segment_reader_no_memory(r);
    struct fm_timer *timers = fm_arena_alloc(&r->profile->arena, lists.n_timers * sizeof *timers);
    struct fm_timer none = {.name = FM_NO_TIMER, .parent = ""};
    bool done = timers && fm_read_no_handles(r, &none);
    for (unsigned i = 0; i < lists.n_timers && done; i++)
        done = read_timer(r, &lists, &lists.names[i], timers, &n);
    done = done && fm_take_timers(r->profile, timers, n) &&
           (!none.n_misuses || fm_merge_timers(r->profile, &none, 1)) && note_misuses(r) &&
           note_coarse(r, lists.coarse_events);
    return done ? FM_OK : fm_segment_reader_no_memory(r);
}
