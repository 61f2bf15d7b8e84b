/* The timers of a segment: each thread's part of a timer, put together as the task's. */
#include <string.h>

#include "base/saturate.h"
#include "profile/order.h"
#include "profile/strings.h"
#include "reduce/notes.h"
#include "reduce/parts.h"
#include "reduce/reading.h"

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
    struct fm_timer_event longest = {t->max_ns, t->max_event}, second = {t->second_ns, t->second_event},
                          shortest = {t->min_ns, t->min_event}, before = task->longest;
    task->longest = longer(before, longest);
    task->second = longer(task->second, task->longest.ns == before.ns && task->longest.event == before.event
                                            ? longest
                                            : longer(before, second));
    task->shortest = shorter(task->shortest, shortest);
}

static void add_bins(const struct fm_reading *r, struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    size_t blocks = fm_segment_items(&r->view, FM_SECTION_TIMER_BINS);
    for (unsigned decade = 0; decade < FM_DECADES; decade++) {
        struct fm_segment_bins bins = {0};
        if (t->bins[decade] && t->bins[decade] <= blocks)
            fm_segment_item(&r->view, FM_SECTION_TIMER_BINS, t->bins[decade] - 1u, &bins);
        bins.counts[decade > 0] += t->coarse[decade];
        for (unsigned digit = decade > 0; digit < 10 && 9 * decade + digit < FM_DECIMAL_BINS; digit++)
            fm_add_saturating(&task->counts[9 * decade + digit], bins.counts[digit]);
    }
}

/* A slice that lies across the middle is divided in proportion. */
static void add_halves(const struct fm_reading *r, struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    const struct fm_segment_header *h = &r->view.header;
    if (!h->clock_mult || t->slice_shift > 60)
        return;
    unsigned __int128 middle = ((unsigned __int128)(r->wall_ns / 2) << h->clock_shift % 64) / h->clock_mult;
    unsigned __int128 width = (unsigned __int128)1 << t->slice_shift;
    for (unsigned i = 0; i < FM_TIMER_SLICES; i++) {
        unsigned __int128 from = i * width, first = middle <= from ? 0 : middle - from < width ? middle - from : width;
        uint64_t events = (uint64_t)(t->slice_events[i] * first / width);
        uint64_t ns = (uint64_t)(t->slice_ns[i] * (first << 3 >> t->slice_shift) >> 3);
        fm_add_saturating(&task->half_events[0], events);
        fm_add_saturating(&task->half_events[1], t->slice_events[i] - events);
        fm_add_saturating(&task->half_ns[0], ns);
        fm_add_saturating(&task->half_ns[1], t->slice_ns[i] - ns);
    }
}

static void add_thread(const struct fm_reading *r, struct fm_timer_task *task, const struct fm_segment_timing *t)
{
    fm_add_saturating(&task->events, t->count);
    fm_add_saturating(&task->total_ns, t->total_ns);
    fm_add_saturating(&task->children_ns, t->children_ns);
    fm_spread_add(&task->thread_ns, t->total_ns, r->rank);
    add_extremes(task, t);
    add_bins(r, task, t);
    add_halves(r, task, t);
}

static const char *name_of(struct fm_reading *r, unsigned number)
{
    struct fm_segment_timer timer;
    fm_segment_item(&r->view, FM_SECTION_TIMERS, number, &timer);
    const char *name = fm_clean_text(&r->view.scratch, timer.name, sizeof timer.name, false);
    return name ? fm_profile_intern(r->profile, name) : NULL;
}

static const char *parent_of(struct fm_reading *r, unsigned parent, size_t n_timers)
{
    return !parent ? "" : parent > n_timers ? "*" : name_of(r, parent - 1);
}

static enum fm_status read_timer(struct fm_reading *r, unsigned number, size_t n_timers, size_t n_timings)
{
    struct fm_timer_task task = {0};
    struct fm_timer timer;
    unsigned parent = 0;
    bool seen = false;
    for (size_t i = 0; i < n_timings; i++) {
        struct fm_segment_timing timing;
        fm_segment_item(&r->view, FM_SECTION_TIMINGS, i, &timing);
        if (timing.timer != number || !timing.count)
            continue;
        parent = seen && timing.parent != parent ? FM_TIMER_SEVERAL : timing.parent;
        seen = true;
        add_thread(r, &task, &timing);
    }
    if (!seen)
        return FM_OK;
    unsigned __int128 cost = (unsigned __int128)task.events * r->view.header.timer_cost_ps / 1000;
    task.overhead_ns = cost > FM_LONGEST_NS ? FM_LONGEST_NS : (uint64_t)cost;
    const char *name = name_of(r, number), *in = parent_of(r, parent, n_timers);
    if (!name || !in || !fm_timer_of_task(&timer, &r->profile->arena, name, in, r->rank, &task) ||
        !fm_merge_timers(r->profile, &timer, 1))
        return fm_reading_no_memory(r);
    return FM_OK;
}

static enum fm_status note_misuse(struct fm_reading *r, size_t n_timers)
{
    static const char *const texts[FM_TIMER_MISUSES] = {
        [FM_MISUSE_NOT_STARTED] = "stops of timers that were not running",
        [FM_MISUSE_STARTED_TWICE] = "starts of timers that were running",
        [FM_MISUSE_OTHER_HANDLE] = "handles of timers that belong to another name",
        [FM_MISUSE_OTHER_THREAD] = "stops of timers that another thread had started",
        [FM_MISUSE_NEVER_STOPPED] = "starts of timers that were never stopped",
    };
    uint64_t amounts[FM_TIMER_MISUSES] = {0};
    struct fm_range range;
    struct fm_rankset ranks = fm_reading_ranks(r, &range);
    for (size_t i = 0; i < n_timers; i++) {
        struct fm_segment_timer timer;
        fm_segment_item(&r->view, FM_SECTION_TIMERS, i, &timer);
        for (int kind = 0; kind < FM_TIMER_MISUSES; kind++)
            amounts[kind] += timer.misuse[kind];
    }
    for (int kind = 0; kind < FM_TIMER_MISUSES; kind++)
        if (amounts[kind] && !fm_profile_note(r->profile, texts[kind], amounts[kind], &ranks))
            return fm_reading_no_memory(r);
    return FM_OK;
}

enum fm_status fm_read_timers(struct fm_reading *r)
{
    size_t n_timers = fm_segment_items(&r->view, FM_SECTION_TIMERS);
    size_t n_timings = fm_segment_items(&r->view, FM_SECTION_TIMINGS);
    enum fm_status status = FM_OK;
    if (r->rank == FM_NO_RANK)
        return FM_OK;
    for (unsigned i = 0; i < n_timers && status == FM_OK; i++)
        status = read_timer(r, i, n_timers, n_timings);
    return status ? status : note_misuse(r, n_timers);
}
