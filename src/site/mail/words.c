/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "site/store/classes.h"

enum { DAY_S = 86400, HOUR_S = 3600, LEAST_COMPARED = 10 };

/* Figures in the worst tenth are critical, and findings that cost more than a twentieth. */
#define WORST_PERCENT 10
#define AS_USUAL 0.02 /* so close to the median, nobody is among the worst: where all values are alike */
#define CRITICAL_COST 0.05

const char *const fm_words_figure_names[FM_REFERENCE_FIGURES] = {
    [FM_REFERENCE_MPI] = "share of MPI",          [FM_REFERENCE_PARALLEL] = "parallel efficiency",
    [FM_REFERENCE_INSTRUCTIONS] = "instructions", [FM_REFERENCE_FP] = "floating point",
    [FM_REFERENCE_L2_MISSES] = "level-2 misses",
};

const char *fm_words_count(struct fm_page *page, double number)
{
    char text[FM_UNIT_CHARS];
    return fm_page_print(page, "%s", fm_count_text(text, fm_rounded(number)));
}

const char *fm_words_hours(struct fm_page *page, double seconds)
{
    char text[FM_UNIT_CHARS];
    double hours = seconds / HOUR_S;
    if (isnan(hours))
        return "";
    if (hours > 0 && hours < 0.005)
        return "<0.01";
    unsigned decimals = hours >= 99.95 ? 0 : hours >= 0.995 ? 1 : 2;
    return fm_page_print(page, "%s", fm_decimal_text(text, hours, hours > 0 ? decimals : 0));
}

const char *fm_words_wasted(struct fm_page *page, double seconds)
{
    return isnan(seconds) ? "unknown" : fm_words_hours(page, seconds);
}

const char *fm_words_percent(struct fm_page *page, double fraction)
{
    char text[FM_UNIT_CHARS];
    return isnan(fraction) ? "" : fm_page_print(page, "%s", fm_percent_whole(text, fraction));
}

const char *fm_words_change(struct fm_page *page, double now, double before)
{
    if (!(before > 0) || isnan(now))
        return "";
    double percent = 100 * (now / before - 1);
    if (fabs(percent) < 0.5)
        return "same";
    return percent > 999 ? "x 10 or more" : fm_page_print(page, "%+.0f %%", percent);
}

const char *fm_words_points(struct fm_page *page, double now, double before)
{
    double points = 100 * (now - before);
    if (isnan(points) || fabs(points) < 0.5)
        return isnan(points) ? "" : "same";
    return fm_page_print(page, "%+.0f point%s", points, fabs(points) < 1.5 ? "" : "s");
}

const char *fm_words_figure(struct fm_page *page, int figure, double value)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;
    if (isnan(value))
        return "";
    if (fm_reference_kinds[figure].fraction)
        return fm_words_percent(page, value);
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    return fm_page_print(page, "%.*f %s/s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}

const char *fm_words_better(struct fm_page *page, int figure, double percentile, const char *whom)
{
    if (isnan(percentile))
        return "";
    double better = fm_reference_kinds[figure].high_is_better ? percentile : 100 - percentile;
    return fm_page_print(page, "%.0f %% of %s", better, whom);
}

const char *fm_words_name(struct fm_page *page, const char *name, size_t columns)
{
    struct fm_writer text = {.arena = page->arena};
    fm_write(&text, "%s", "");
    fm_write_cut(&text, name, columns);
    const char *written = fm_writer_text(&text);
    page->failed = page->failed || !written;
    return !written ? "" : *written ? written : "(no name)";
}

const char *fm_words_place(struct fm_page *page, const char *file, int64_t line, const char *function)
{
    if (*file && line > 0)
        return fm_page_print(page, "%s:%" PRId64, fm_words_name(page, file, 40), line);
    return *file ? fm_words_name(page, file, 40) : *function ? fm_words_name(page, function, 40) : "";
}

const char *fm_words_date(struct fm_page *page, int64_t day)
{
    char text[FM_UNIT_CHARS];
    time_t seconds = (time_t)(day * DAY_S);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof text, "%Y-%m-%d", &tm))
        return "";
    return fm_page_print(page, "%s", text);
}

const char *fm_words_when(struct fm_page *page, const struct fm_mail_period *period, const struct fm_mail_texts *texts,
                          bool with_days)
{
    const char *days = strchr(period->title, '(');
    int name = days ? (int)(days - period->title) - 1 : (int)strlen(period->title);
    return fm_page_print(page, "%c%.*s%s%s%s%s", toupper((unsigned char)period->title[0]), name - 1, period->title + 1,
                         *texts->machine ? " on " : "", texts->machine, with_days && days ? " " : "",
                         with_days && days ? days : "");
}

bool fm_mail_is_critical(int figure, const struct fm_reference *reference)
{
    if (figure == FM_REFERENCE_MPI && reference->value > FM_CRITICAL_MPI)
        return true;
    double better = fm_reference_kinds[figure].high_is_better ? reference->percentile : 100 - reference->percentile;
    bool unusual = fabs(reference->value - reference->median) > AS_USUAL * fabs(reference->median);
    return reference->n >= LEAST_COMPARED && better <= WORST_PERCENT && unusual;
}

/* ---- parts of mails ---- */

void fm_mail_bar(struct fm_page *page, const struct fm_mail_sums *sums)
{
    /* Time in MPI by the clock contains time without a CPU. */
    double left_s = fmax(sums->cpu_s - sums->program_s - sums->io_s - sums->no_cpu_s, 0);
    double mpi_s = fmin(sums->mpi_s, left_s), known = sums->program_s + mpi_s + sums->io_s + sums->no_cpu_s;
    if (!(sums->program_s > 0) || !(sums->cpu_s > 0) || known > 1.02 * sums->cpu_s)
        return;
    double of = fmax(known, sums->cpu_s), waiting_s = fmin(sums->waiting_s, mpi_s);
    const struct fm_page_part parts[] = {
        {"program", sums->program_s / of, "#0072b2"},
        {"waiting in MPI", waiting_s / of, "#e69f00"},
        {waiting_s > 0 ? "rest of MPI" : "MPI", (mpi_s - waiting_s) / of, "#56b4e9"},
        {"file I/O", sums->io_s / of, "#009e73"},
        {"without a CPU", sums->no_cpu_s / of, "#cc79a7"},
        {"not told apart", (of - known) / of, "#8a96a3"},
    };
    struct fm_page_part shown[sizeof parts / sizeof *parts];
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].fraction >= 0.005)
            shown[n++] = parts[i];
    fm_page_bar(page, shown, n);
}

void fm_mail_insight(struct fm_page *page, const struct fm_insight *insight, double cpu_s, bool with_user)
{
    bool slower = strcmp(insight->kind, fm_insight_words[FM_INSIGHT_SLOWER]) == 0, costs = insight->cost_s > 0;
    bool user = with_user && insight->user;
    const char *more = fm_page_print(page, "%s%s%s%s%s%s", costs ? "cost " : "",
                                     costs ? fm_words_hours(page, insight->cost_s) : "",
                                     costs ? " core-hours so far" : "", costs && user ? "; " : "", user ? "user " : "",
                                     user ? fm_words_name(page, insight->user, 40) : "");
    fm_page_message(page, slower || insight->cost_s > CRITICAL_COST * cpu_s, insight->sentence, *more ? more : NULL);
}

void fm_mail_changes(struct fm_page *page, const struct fm_mail_people *people, const struct fm_mail_sums *now,
                     const struct fm_mail_sums *before)
{
    const char *name = people->period.before_name;
    if (!before || !(before->jobs > 0)) {
        fm_page_add(page, FM_PAGE_TEXT, fm_page_print(page, "There were no jobs in the %s.", name));
        return;
    }
    const struct fm_page_column columns[] = {
        {"", FM_PAGE_TEXTS}, {"now", 0}, {name, 0}, {"change", 0}, {0},
    };
    const struct {
        const char *name;
        double now, before;
        int kind; /* 0: number, 1: hours, 2: fraction */
    } rows[] = {
        {"jobs", now->jobs, before->jobs, 0},
        {"core-hours", now->cpu_s, before->cpu_s, 1},
        {"wasted core-hours", fm_mail_wasted_s(now), fm_mail_wasted_s(before), 1},
        {"share of MPI", fm_mail_mpi_fraction(now), fm_mail_mpi_fraction(before), 2},
        {"parallel efficiency", fm_mail_efficiency(now), fm_mail_efficiency(before), 2},
    };
    const char *(*const words[])(struct fm_page *, double) = {fm_words_count, fm_words_hours, fm_words_percent};
    fm_page_table(page, columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fm_page_row(page, &(struct fm_page_row){.cells = {rows[i].name, words[rows[i].kind](page, rows[i].now),
                                                          words[rows[i].kind](page, rows[i].before),
                                                          (rows[i].kind == 2 ? fm_words_points : fm_words_change)(
                                                              page, rows[i].now, rows[i].before)}});
}

void fm_mail_end(struct fm_page *page, const struct fm_mail_texts *texts, const char *jobs, bool staff)
{
    if (jobs)
        fm_page_link(page, staff ? "All jobs of this time in the browser" : "Your jobs of this time in the browser",
                     jobs);
    fm_page_add(page, FM_PAGE_NOTE,
                "Core-hours are the wall time of jobs, summed over ranks; wasted is what of it was lost to a parallel "
                "efficiency below 100 %. Rates are per rank, outside MPI. A line with ! has more than 15 % MPI, costs "
                "more than 5 % of the time, or is in the worst tenth.");
    if (*texts->footer)
        fm_page_add(page, FM_PAGE_NOTE, texts->footer);
    if (*texts->unsubscribe && !staff) {
        bool write = strncmp(texts->unsubscribe, "mailto:", 7) == 0;
        const char *where = texts->unsubscribe + (write ? 7 : 0);
        fm_page_add(page, FM_PAGE_NOTE,
                    fm_page_print(page, "No more of these mails: %s%.*s", write ? "write to " : "",
                                  (int)(write ? strcspn(where, "?") : strlen(where)), where));
    }
}
