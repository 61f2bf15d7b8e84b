/* Timers of synthetic segments, one thread each. */
#include <stdio.h>

#include "base/decimal.h"
#include "merge/synthetic.h"

enum { EVENTS = 128 };

static void *section(struct fm_segment_header *header, enum fm_segment_section_id id)
{
    return (char *)header + header->sections[id].offset;
}

static void count_in_bin(struct fm_segment_header *header, struct fm_segment_timing *t, uint64_t ns, uint32_t count)
{
    struct fm_segment_bins *bins = section(header, FM_SECTION_TIMER_BINS);
    unsigned decade = fm_decade(ns);
    if (!t->bins[decade])
        t->bins[decade] = (uint16_t)++header->n_timer_bins;
    bins[t->bins[decade] - 1].counts[fm_first_digit(ns, decade)] += count;
}

/* `count` events of the same length; only of the first two the order matters. */
static void add_events(struct fm_segment_header *header, struct fm_segment_timing *t, uint64_t ns, uint32_t count)
{
    if (ns < t->extremes.min_ns || !t->count) {
        t->extremes.min_ns = ns;
        t->extremes.min_event = t->count + 1;
    }
    if (ns > t->extremes.max_ns || !t->count) {
        t->extremes.second_ns = count > 1 ? ns : t->extremes.max_ns;
        t->extremes.second_event = count > 1 ? t->count + 2 : t->extremes.max_event;
        t->extremes.max_ns = ns;
        t->extremes.max_event = t->count + 1;
    } else if (ns > t->extremes.second_ns || t->count == 1) {
        t->extremes.second_ns = ns;
        t->extremes.second_event = t->count + 1;
    }
    t->count += count;
    t->total_ns += ns * count;
    count_in_bin(header, t, ns, count);
}

/* A long first event, then most of them near `ns`, some a little longer and a few much longer. */
static void add_usual(struct fm_segment_header *header, struct fm_segment_timing *t, uint64_t ns, uint64_t *state)
{
    uint32_t late = (uint32_t)fm_random(state, 8), slow = 30 + (uint32_t)fm_random(state, 20);
    ns += fm_random(state, ns / 10 + 1);
    add_events(header, t, 3 * ns, 1);
    add_events(header, t, ns, EVENTS - 1 - slow - late);
    add_events(header, t, ns + ns / 8, slow);
    if (late)
        add_events(header, t, ns + ns / 2, late);
}

static uint64_t usual_ns(uint32_t timer)
{
    return fm_power_of_ten(3 + timer % 5) * (1 + timer * 7 % 9);
}

static void add_ocean(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header,
                      struct fm_segment_timing *t, uint64_t *state)
{
    static const uint64_t percent[] = {100, 115, 140, 230};
    uint64_t place = (rank / 5 + 1) * 0x9e3779b97f4a7c15ull; /* land comes five tasks at a time */
    uint64_t ns = usual_ns(t->timer) * percent[(uint64_t)rank * 4 / job->ranks] / 100;
    add_usual(header, t, fm_random(&place, 8) ? ns : ns / 1000, state);
}

static void add_shapes(struct fm_segment_header *header, struct fm_segment_timing *t, uint64_t *state)
{
    for (int i = 0; i < EVENTS / 4; i++) {
        unsigned decade = (unsigned)fm_random(state, FM_TIMING_DECADES);
        add_events(header, t, fm_power_of_ten(decade) * (1 + fm_random(state, 9)), 1 + (uint32_t)fm_random(state, 7));
    }
}

static bool uses(const struct fm_synthetic *job, uint32_t rank, uint32_t timer)
{
    if (job->timing != FM_TIMING_OCEAN || timer % 10 < 8)
        return true;
    return timer % 10 == 8 ? rank < job->ranks / 4 : rank % 3 == 0;
}

void fm_synthetic_timers(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header,
                         uint64_t *state)
{
    struct fm_segment_timer *timers = section(header, FM_SECTION_TIMERS);
    struct fm_segment_timing *timings = section(header, FM_SECTION_TIMINGS);
    for (uint32_t i = 0; i < job->timers; i++) {
        snprintf(timers[i].name, sizeof timers->name, "part %u of the model", i);
        if (!uses(job, rank, i))
            continue;
        struct fm_segment_timing *t = &timings[header->n_timings++];
        *t = (struct fm_segment_timing){.timer = (uint16_t)i, .slice_shift = 20};
        if (job->timing == FM_TIMING_OCEAN)
            add_ocean(job, rank, header, t, state);
        else if (job->timing == FM_TIMING_SHAPES)
            add_shapes(header, t, state);
        else
            add_usual(header, t, usual_ns(i) << 2 * ((rank + i) % 2), state);
    }
    header->n_timers = job->timers;
}
