/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/record/plausible.h"

#include <math.h>

/* What rounding, and the start and the end of ranks, may add to a time or a ratio. */
static const double slack = 1.1, slack_s = 2;

/* Of a thread, as of the next decade: any of the counters, calls; bytes of messages and files. */
static const double events_per_s = 1e11, bytes_per_s = 1e12;

/* Bytes that a process can address. */
static const double address_space = 0x1p57;

/* January 1, 1990: there was no MPI before. */
static const int64_t first_of_all = 631152000;

static bool above(double value, double most)
{
    return value > most; /* not if it is unknown */
}

static bool in_future(const struct fm_record *record, const struct fm_record_limits *limits)
{
    int64_t latest = limits->now + FM_RECORD_AHEAD_S;
    return record->started > latest || record->ended > latest;
}

static bool beyond_capacity(const struct fm_record *record, const struct fm_record_limits *limits)
{
    double cores = limits->processors > 0 ? (double)limits->processors : FM_RECORD_RANKS;
    double ranks = limits->processors > 0 ? cores * FM_RECORD_RANKS_PER_PROCESSOR : FM_RECORD_RANKS;
    return (double)record->hosts > cores || (double)record->ranks > ranks || (double)record->cores > ranks;
}

/* A record that stands for several jobs stands for no more than the site can have run. */
static bool stands_for_too_much(const struct fm_record *record, const struct fm_record_limits *limits)
{
    double since_s = (double)(limits->now - (limits->since > 0 ? limits->since : first_of_all));
    return limits->processors > 0 && above(record->cpu_s * record->sample_weight,
                                           (double)limits->processors * FM_RECORD_RANKS_PER_PROCESSOR * since_s);
}

/* The longest wall time that the job can have had, if it is not the one of the record. */
static double longest_s(const struct fm_record *record, const struct fm_record_limits *limits)
{
    return record->ended >= 0 ? (double)(record->ended - record->started) + FM_RECORD_CLOCK_S
                              : (double)(limits->now - record->started) + FM_RECORD_AHEAD_S;
}

static bool fractions_above_one(const struct fm_record *record)
{
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++)
        if (fm_record_fields[i].kind == FM_RECORD_KIND_FRACTION && i != FM_RECORD_FIELD_sample_weight &&
            above(*fm_record_real(record, &fm_record_fields[i]), slack))
            return true;
    return false;
}

/* A host's ranks can compute for so many times the mean, if all others do not compute at all. */
static bool hosts_too_slow(const struct fm_record *record, double ranks)
{
    for (size_t i = 0; i < record->n_host_list; i++)
        if (above(record->host_list[i].slowness, slack * ranks) || above((double)record->host_list[i].ranks, ranks))
            return true;
    return false;
}

static bool times_too_long(const struct fm_record *record, double ranks, double wall_s, double all_s)
{
    const double times_s[] = {record->mpi_s,    record->program_s,  record->waiting_s, record->io_s,
                              record->no_cpu_s, record->overhead_s, record->counted_s};
    bool too_long = above(record->cpu_s, slack * ranks * (wall_s + slack_s));
    for (size_t i = 0; i < sizeof times_s / sizeof *times_s; i++)
        too_long |= above(times_s[i], all_s);
    for (size_t i = 0; i < record->n_routines; i++)
        too_long |= above(record->routines[i].time_s, all_s);
    for (size_t i = 0; i < record->n_regions; i++)
        too_long |= above(record->regions[i].wall_s, all_s) || above(record->regions[i].mpi_s, all_s);
    for (size_t i = 0; i < record->n_timers; i++)
        too_long |= above(record->timers[i].wall_s, all_s);
    for (size_t i = 0; i < record->n_findings; i++)
        too_long |= above(record->findings[i].cost_s, all_s);
    return too_long;
}

/* all_s: of all threads. */
static bool too_many_events(const struct fm_record *record, double all_s)
{
    const int64_t events[] = {record->instructions, record->fp_instructions,  record->l2_misses,
                              record->cycles,       record->instructions_mpi, record->io_calls};
    bool too_many = above((double)record->read_bytes, all_s * bytes_per_s) ||
                    above((double)record->written_bytes, all_s * bytes_per_s) ||
                    above((double)record->memory_bytes, address_space) ||
                    above((double)record->host_memory_bytes, address_space);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        too_many |= above((double)events[i], all_s * events_per_s);
    for (size_t i = 0; i < record->n_routines; i++)
        too_many |= above((double)record->routines[i].calls, all_s * events_per_s) ||
                    above((double)record->routines[i].bytes, all_s * bytes_per_s);
    for (size_t i = 0; i < record->n_regions; i++)
        too_many |= above((double)record->regions[i].entries, all_s * events_per_s);
    for (size_t i = 0; i < record->n_timers; i++)
        too_many |= above((double)record->timers[i].entries, all_s * events_per_s);
    return too_many;
}

const char *fm_record_implausible(const struct fm_record *record, const struct fm_record_limits *limits)
{
    double ranks = record->ranks > 0 ? (double)record->ranks : 1, longest = longest_s(record, limits);
    if (in_future(record, limits))
        return "in the future";
    if (record->started < limits->since || record->started < first_of_all)
        return "before the first day";
    if (beyond_capacity(record, limits) || stands_for_too_much(record, limits))
        return "beyond capacity";
    double wall_s = isfinite(record->wall_s) ? record->wall_s : longest;
    /* Times of threads are added: in MPI several can be at once. */
    double all_s = fmax(ranks, (double)record->cores) * (wall_s + slack_s) * FM_RECORD_THREADS;
    if (above(record->wall_s, longest) || times_too_long(record, ranks, wall_s, all_s))
        return "impossible times";
    if (too_many_events(record, all_s))
        return "impossible numbers";
    if (fractions_above_one(record) || hosts_too_slow(record, ranks))
        return "impossible ratios";
    return NULL;
}
