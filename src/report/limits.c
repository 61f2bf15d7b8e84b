/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/limits.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/efficiency/computation.h"
#include "base/units.h"
#include "merge/notes.h"

/* ---- values of one run ---- */

static struct fm_limit_value unknown(const char *why)
{
    return (struct fm_limit_value){.unknown = why};
}

static struct fm_limit_value known(double value, double error)
{
    return (struct fm_limit_value){.value = value, .error = error};
}

static struct fm_limit_value factor(const struct fm_checked *checked, double value)
{
    return checked->efficiency.of.run.known ? known(value, 0) : unknown("no MPI calls were measured");
}

static struct fm_limit_value parallel(const struct fm_checked *checked)
{
    return factor(checked, checked->efficiency.of.run.parallel);
}

static struct fm_limit_value load_balance(const struct fm_checked *checked)
{
    return factor(checked, checked->efficiency.of.run.load_balance);
}

static struct fm_limit_value communication(const struct fm_checked *checked)
{
    return factor(checked, checked->efficiency.of.run.communication);
}

static struct fm_limit_value estimate(const struct fm_checked *checked, double value)
{
    return checked->efficiency.of.run.estimated ? known(value, 0) : unknown("the profile does not have enough for it");
}

static struct fm_limit_value serialisation(const struct fm_checked *checked)
{
    return estimate(checked, checked->efficiency.of.run.serialisation);
}

static struct fm_limit_value transfer(const struct fm_checked *checked)
{
    return estimate(checked, checked->efficiency.of.run.transfer);
}

static struct fm_limit_value openmp(const struct fm_checked *checked)
{
    const struct fm_thread_use *threads = &checked->efficiency.threads;
    return threads->known ? known(threads->efficiency, threads->error) : unknown("no samples of the threads of OpenMP");
}

static struct fm_limit_value mpi_fraction(const struct fm_checked *checked)
{
    const struct fm_summary *summary = &checked->report->summary;
    return fm_profile_is_from_outside(checked->report->profile) ? unknown("no MPI calls were measured")
                                                                : known(summary->mpi_fraction, 0);
}

static struct fm_limit_value wall(const struct fm_checked *checked)
{
    return known((double)checked->report->summary.wall_ns / 1e9, 0);
}

static struct fm_limit_value memory(const struct fm_checked *checked)
{
    const struct fm_spread *rss = &checked->report->summary.of.max_rss_bytes;
    return rss->ranks ? known((double)rss->max, 0) : unknown("the memory of the ranks was not measured");
}

static struct fm_limit_value overhead(const struct fm_checked *checked)
{
    const struct fm_summary *summary = &checked->report->summary;
    return known(fm_ratio((double)summary->overhead_ns, (double)summary->wall_sum_ns), 0);
}

static struct fm_limit_value incomplete(const struct fm_checked *checked)
{
    return known((double)checked->report->summary.ended_badly, 0);
}

/* ---- values relative to other runs ---- */

static const double LEAST_NOISE = 0.01; /* of the mean, however close the other runs are to each other */

/* Quantile 0.95 of Student's t distribution, for 1, 2 ... degrees of freedom. */
static double t_quantile(size_t freedom)
{
    static const double t[] = {6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81};
    size_t n = sizeof t / sizeof *t;
    return freedom == 0 ? 0 : freedom <= n ? t[freedom - 1] : freedom <= 30 ? 1.81 : 1.70;
}

/* How much larger a value is than the mean of others, as a fraction of it. The error is that of a further value of the
 * same kind: from the spread of the others or, if there is only one, `noise`. */
static struct fm_limit_value change(double value, const double *others, size_t n, double noise)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += others[i] / (double)n;
    if (!(mean > 0))
        return unknown("the runs it is compared with took no time");
    for (size_t i = 0; i < n; i++)
        squares += (others[i] - mean) * (others[i] - mean);
    double error = noise;
    if (n > 1)
        error = t_quantile(n - 1) * sqrt(squares / (double)(n - 1) * (1 + 1 / (double)n)) / mean;
    return known(value / mean - 1, error > LEAST_NOISE ? error : LEAST_NOISE);
}

static const char *incomparable(const struct fm_checked *checked)
{
    uint32_t ranks = checked->report->profile->job.ranks;
    for (size_t i = 0; i < checked->n_against; i++)
        if (checked->against[i]->job.ranks != ranks)
            return fm_format(&checked->report->arena, "it ran on %u ranks, %s on %u", ranks, checked->against_files[i],
                             checked->against[i]->job.ranks);
    return NULL;
}

static struct fm_limit_value compare(const struct fm_checked *checked, double value, double noise,
                                     double (*of)(const struct fm_profile *profile))
{
    const char *why = incomparable(checked);
    double *others = fm_arena_alloc(&checked->report->arena, checked->n_against * sizeof *others);
    if (why || !others)
        return unknown(why ? why : "not enough memory");
    for (size_t i = 0; i < checked->n_against; i++) {
        others[i] = of(checked->against[i]);
        if (!(others[i] > 0))
            return unknown(fm_format(&checked->report->arena, "it is unknown in %s", checked->against_files[i]));
    }
    return change(value, others, checked->n_against, noise);
}

static double wall_of(const struct fm_profile *profile)
{
    return (double)fm_profile_wall_ns(profile);
}

static struct fm_limit_value slower(const struct fm_checked *checked)
{
    double ns = (double)checked->report->summary.wall_ns;
    return compare(checked, ns, fm_ratio(fm_uneven_least_ns(ns), ns), wall_of);
}

static double memory_of(const struct fm_profile *profile)
{
    uint64_t most = 0;
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].max_rss_bytes > most)
            most = profile->processes[i].max_rss_bytes;
    return (double)most;
}

static struct fm_limit_value larger(const struct fm_checked *checked)
{
    struct fm_limit_value now = memory(checked);
    return now.unknown ? now : compare(checked, now.value, LEAST_NOISE, memory_of);
}

/* Relative to the first of the other runs. */
static struct fm_computation scaling_of(const struct fm_checked *checked)
{
    return fm_computation_scaling(checked->against[0], checked->report->profile, true);
}

static struct fm_limit_value computation(const struct fm_checked *checked)
{
    double scaling = scaling_of(checked).scaling;
    return scaling > 0 ? known(scaling, 0) : unknown("no time outside MPI was measured");
}

static struct fm_limit_value from_counters(double scaling)
{
    return scaling > 0 ? known(scaling, 0) : unknown("it needs hardware counters on all ranks of both runs");
}

static struct fm_limit_value instructions(const struct fm_checked *checked)
{
    return from_counters(scaling_of(checked).instructions);
}

static struct fm_limit_value ipc(const struct fm_checked *checked)
{
    return from_counters(scaling_of(checked).ipc);
}

static struct fm_limit_value frequency(const struct fm_checked *checked)
{
    return from_counters(scaling_of(checked).frequency);
}

static struct fm_limit_value global(const struct fm_checked *checked)
{
    struct fm_limit_value value = computation(checked), own = parallel(checked);
    if (value.unknown || own.unknown)
        return value.unknown ? value : own;
    return known(value.value * own.value, 0);
}

const struct fm_limit_kind fm_limit_kinds[] = {
    {"parallel", "parallel efficiency", FM_LIMIT_FRACTION, true, false, parallel},
    {"load_balance", "load balance", FM_LIMIT_FRACTION, true, false, load_balance},
    {"communication", "communication efficiency", FM_LIMIT_FRACTION, true, false, communication},
    {"serialisation", "serialisation efficiency (estimated)", FM_LIMIT_FRACTION, true, false, serialisation},
    {"transfer", "transfer efficiency (estimated)", FM_LIMIT_FRACTION, true, false, transfer},
    {"openmp", "efficiency of OpenMP (sampled)", FM_LIMIT_FRACTION, true, false, openmp},
    {"mpi_fraction", "share of the time in MPI", FM_LIMIT_FRACTION, false, false, mpi_fraction},
    {"wall", "wall time of the job", FM_LIMIT_SECONDS, false, false, wall},
    {"memory", "memory of the largest rank", FM_LIMIT_BYTES, false, false, memory},
    {"overhead", "overhead of Fathom", FM_LIMIT_FRACTION, false, false, overhead},
    {"incomplete", "ranks that did not end normally", FM_LIMIT_NUMBER, false, false, incomplete},
    {"slower", "increase of the wall time", FM_LIMIT_CHANGE, false, true, slower},
    {"larger", "increase of the memory of the largest rank", FM_LIMIT_CHANGE, false, true, larger},
    {"computation", "computation scaling", FM_LIMIT_FRACTION, true, true, computation},
    {"instructions", "instruction scaling", FM_LIMIT_FRACTION, true, true, instructions},
    {"ipc", "IPC scaling", FM_LIMIT_FRACTION, true, true, ipc},
    {"frequency", "frequency scaling", FM_LIMIT_FRACTION, true, true, frequency},
    {"global", "global efficiency, parallel x computation", FM_LIMIT_FRACTION, true, true, global},
    {0},
};

/* ---- parsing ---- */

static const struct limit_suffix {
    const char *text;
    double factor;
} no_suffixes[] = {{"", 1}, {"%", 0.01}, {0}},
  seconds_suffixes[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {0}},
  bytes_suffixes[] = {{"", 1},         {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
                      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {0}};

static const struct limit_suffix *suffixes_of(enum fm_limit_unit unit)
{
    return unit == FM_LIMIT_SECONDS ? seconds_suffixes : unit == FM_LIMIT_BYTES ? bytes_suffixes : no_suffixes;
}

static const char *example_of(enum fm_limit_unit unit)
{
    static const char *const examples[] = {
        [FM_LIMIT_FRACTION] = "0.8 or 80%",
        [FM_LIMIT_SECONDS] = "90, 90s or 2min",
        [FM_LIMIT_BYTES] = "2GiB or 500MB",
        [FM_LIMIT_CHANGE] = "5% or 0.05",
        [FM_LIMIT_NUMBER] = "0",
    };
    return examples[unit];
}

static enum fm_status unknown_kind(const char *text, int length, struct fm_error *error)
{
    char list[256] = "";
    for (const struct fm_limit_kind *kind = fm_limit_kinds; kind->name; kind++) {
        strncat(list, *list ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, kind->name, sizeof list - strlen(list) - 1);
    }
    return fm_fail(error, FM_ERR_USAGE, "unknown limit '%.*s'; choose from %s", length, text, list);
}

enum fm_status fm_limit_parse(const char *text, struct fm_limit *limit, struct fm_error *error)
{
    size_t length = strcspn(text, "=");
    const struct fm_limit_kind *kind = fm_limit_kinds;
    while (kind->name && (strlen(kind->name) != length || strncmp(kind->name, text, length) != 0))
        kind++;
    if (!kind->name)
        return unknown_kind(text, (int)length, error);
    const char *number = text[length] ? text + length + 1 : "";
    char *end;
    errno = 0;
    double value = strtod(number, &end);
    while (isspace((unsigned char)*end))
        end++;
    const struct limit_suffix *suffix = suffixes_of(kind->unit);
    while (suffix->text && strcmp(suffix->text, end) != 0)
        suffix++;
    bool valid = isdigit((unsigned char)number[0]) || number[0] == '.';
    if (!valid || errno || !suffix->text || !isfinite(value))
        return fm_fail(error, FM_ERR_USAGE, "--limit %s needs a value such as %s, not '%s'", kind->name,
                       example_of(kind->unit), number);
    value *= suffix->factor;
    if (kind->unit == FM_LIMIT_FRACTION && value > 1 && kind->least)
        return fm_fail(error, FM_ERR_USAGE, "--limit %s can be at most 1, or 100%%, not '%s'", kind->name, number);
    *limit = (struct fm_limit){kind, value, text};
    return FM_OK;
}

/* ---- checking ---- */

static const char *value_text(struct fm_arena *arena, enum fm_limit_unit unit, double value)
{
    char buffer[FM_UNIT_CHARS];
    switch (unit) {
    case FM_LIMIT_SECONDS:
        return fm_format(arena, "%s", fm_time_fine(buffer, value * 1e9));
    case FM_LIMIT_BYTES:
        return fm_format(arena, "%s", fm_bytes_text(buffer, value));
    case FM_LIMIT_NUMBER:
        return fm_format(arena, "%s", fm_mean_text(buffer, value));
    default:
        return fm_format(arena, "%.1f %%", 100 * value);
    }
}

struct fm_limit_result fm_limit_check(const struct fm_limit *limit, const struct fm_checked *checked)
{
    const struct fm_limit_kind *kind = limit->kind;
    struct fm_arena *arena = &checked->report->arena;
    struct fm_limit_value found = kind->find(checked);
    if (found.unknown)
        return (struct fm_limit_result){
            false, fm_format(arena, "%s: %s unknown, because %s", kind->name, kind->meaning, found.unknown)};
    bool holds = kind->least ? found.value + found.error >= limit->limit : found.value - found.error <= limit->limit;
    const char *value = value_text(arena, kind->unit, found.value);
    if (found.error > 0)
        value = fm_format(arena, "%s +- %s", value, value_text(arena, kind->unit, found.error));
    if (holds)
        return (struct fm_limit_result){true, fm_format(arena, "%s %s", kind->name, value)};
    return (struct fm_limit_result){false, fm_format(arena, "%s: %s %s, %s the limit of %s", kind->name, kind->meaning,
                                                     value, kind->least ? "below" : "above",
                                                     value_text(arena, kind->unit, limit->limit))};
}
