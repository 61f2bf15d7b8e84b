/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of runs as text: conclusions first, then the runs, then the contexts by loss. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/units.h"
#include "report/context_text.h"
#include "report/mergeable_text.h"
#include "report/scaling.h"

static const double MIN_HELPERS = 0.01; /* of the time: worth mentioning */
static const double MIN_STARTUP = 0.1;  /* of the run: worth mentioning */
static const double MAX_EXCESS = 1e4;   /* larger values are shown as >999999 */
enum { SENTENCES = 3 };

/* ---- conclusions ---- */

static const char *list_ranks(struct fm_scaling *scaling)
{
    const char *text = "";
    for (size_t i = 0; i < scaling->n; i++)
        text = fm_format(&scaling->arena, "%s%s%u", text, i ? ", " : "", fm_scaling_ranks(scaling, i));
    return text;
}

static bool lacks_cores(const struct fm_scaling *scaling, size_t run)
{
    return scaling->judged->runs[run].lacks_cores;
}

static const char *about_text(struct fm_scaling *scaling, double x, double error)
{
    char share[FM_UNIT_CHARS];
    const char *largest = fm_scaling_run_text(scaling, scaling->other);
    if (!fm_is_clear(x, error, FM_SCALE_NOISE))
        return fm_format(&scaling->arena, "no significant excess time on %s", largest);
    if (x < 0 && lacks_cores(scaling, scaling->base))
        return fm_format(&scaling->arena, "nothing can be said about the run on %s, because the run on %s lacked cores",
                         largest, fm_scaling_run_text(scaling, scaling->base));
    if (x < 0)
        return fm_format(&scaling->arena, "the run on %s scales better than ideal", largest);
    return fm_format(&scaling->arena, "%s of the run on %s is excess time", fm_percent_whole(share, x), largest);
}

/* "miniocean on 2, 16 ranks, strong scaling: 41 % of the run on 16 ranks is excess time; efficiency 0.59 (+- 0.02)" */
static const char *scaling_headline(struct fm_scaling *scaling)
{
    struct fm_excess root = fm_scaling_excess(scaling, 0);
    const char *about = about_text(scaling, root.all, root.all_error);
    const char *error = root.all_error >= 0.005 ? fm_format(&scaling->arena, " (+- %.2f)", root.all_error) : "";
    return fm_format(&scaling->arena, "%s on %s ranks, %s scaling: %s; efficiency %.2f%s.",
                     scaling->runs[scaling->other].report.summary.name, list_ranks(scaling),
                     scaling->options.mode == FM_SCALE_STRONG ? "strong" : "weak", about,
                     fm_scale_efficiency(&scaling->scale, scaling->base, scaling->other), error);
}

/* "miniocean on 4 ranks, A (a.fathom) and B (b.fathom): B takes 12 % less time than A, 3.5 s per process instead of 4.0
 * s." */
static const char *same_headline(struct fm_scaling *scaling)
{
    char share[FM_UNIT_CHARS], a[FM_UNIT_CHARS], b[FM_UNIT_CHARS];
    const struct fm_scaling_run *base = &scaling->runs[scaling->base], *other = &scaling->runs[scaling->other];
    double before = fm_scale_total(&scaling->scale, scaling->base);
    double now = fm_scale_total(&scaling->scale, scaling->other);
    struct fm_excess root = fm_scaling_excess(scaling, 0);
    uint32_t from = fm_scaling_ranks(scaling, scaling->base), to = fm_scaling_ranks(scaling, scaling->other);
    const char *sizes = from == to ? fm_format(&scaling->arena, "%u rank%s", to, to == 1 ? "" : "s")
                                   : fm_format(&scaling->arena, "%u and %u ranks", from, to);
    double change = fm_ratio(now > before ? now - before : before - now, before);
    const char *how = fm_is_clear(root.all, root.all_error, FM_SCALE_NOISE)
                          ? fm_format(&scaling->arena, "B takes %s %s time than A", fm_percent_whole(share, change),
                                      now > before ? "more" : "less")
                          : "no significant difference";
    return fm_format(&scaling->arena, "%s on %s, A (%s) and B (%s): %s, %s per process instead of %s.",
                     other->report.summary.name, sizes, base->file, other->file, how, fm_time_text(b, now),
                     fm_time_text(a, before));
}

const char *fm_scaling_headline(struct fm_scaling *scaling)
{
    return scaling->options.mode == FM_SCALE_SAME ? same_headline(scaling) : scaling_headline(scaling);
}

/* "   34.5 %  pcg.f90:157  call mpi_allreduce(..." */
static void print_line(struct fm_scaling *scaling, const struct fm_scaling_line *line, FILE *out)
{
    char share[FM_UNIT_CHARS];
    struct fm_symbols *symbols = fm_scaling_run_of(scaling, scaling->judged, line->node)->symbols;
    const char *source = symbols ? fm_symbols_source(symbols, line->id->path, line->id->line) : NULL;
    double size = line->excess < 0 ? -line->excess : line->excess;
    fprintf(out, "   %5s %%  ",
            fm_format(&scaling->arena, "%s%s", line->excess < 0 ? "-" : "", fm_percent_text(share, size)));
    fm_print_cut(out,
                 fm_format(&scaling->arena, "%s:%u  %s", fm_basename(line->id->path), line->id->line,
                           source ? source : line->id->name),
                 fm_output_columns(out) - 12);
    fputc('\n', out);
}

const char *fm_scaling_verdict_text(struct fm_scaling *scaling, const struct fm_verdict *verdict)
{
    const char *name = scaling->judged->nodes[verdict->node].context->id.name;
    const char *text = fm_verdict_text(scaling->judged, verdict, &scaling->arena), *question = "";
    if (verdict->cause == FM_CAUSE_MPI && verdict->excess.own > 0)
        question = fm_mergeable_question(&scaling->runs[scaling->other].report, name + (name[0] == 'P'));
    return fm_format(&scaling->arena, "%s%s%s", text ? text : "", *question ? " " : "", question);
}

static void print_verdict(struct fm_scaling *scaling, size_t number, const struct fm_verdict *verdict, FILE *out)
{
    struct fm_scaling_line lines[FM_SCALING_LINES];
    size_t n = fm_scaling_lines(scaling, verdict, lines);
    fm_print_folded(out, fm_format(&scaling->arena, "%zu. %s", number, fm_scaling_verdict_text(scaling, verdict)), 3);
    for (size_t k = 0; k < n; k++)
        print_line(scaling, &lines[k], out);
}

/* The largest losses; of two versions the largest changes, losses or gains. */
static void print_verdicts(struct fm_scaling *scaling, FILE *out)
{
    const struct fm_verdicts *of = &scaling->verdicts;
    size_t losses = 0, gains = 0, n_gains = scaling->options.mode == FM_SCALE_SAME ? of->n_gains : 0;
    for (size_t number = 1; number <= SENTENCES && (losses < of->n || gains < n_gains); number++) {
        bool loss = gains == n_gains ||
                    (losses < of->n && of->items[losses].excess.own >= -of->gains[gains].excess.own);
        print_verdict(scaling, number, loss ? &of->items[losses] : &of->gains[gains], out);
        losses += loss;
        gains += !loss;
    }
}

/* "Only in A: MPI_Allreduce at pcg.f90:157 (2.6 s), MPI_Allreduce at pcg.f90:158 (1.9 s)." */
static void print_only_in(struct fm_scaling *scaling, size_t run, FILE *out)
{
    char time[FM_UNIT_CHARS];
    uint32_t nodes[FM_SCALING_LINES];
    size_t n = fm_scaling_only_in(scaling, run, nodes, FM_SCALING_LINES);
    const char *text = fm_format(&scaling->arena, "Only in %s:", fm_scaling_run_text(scaling, run));
    for (size_t i = 0; i < n; i++) {
        const struct fm_context_id *id = &scaling->judged->nodes[nodes[i]].context->id;
        double ns = (double)fm_scale_cost(scaling->judged, nodes[i], run)->all_ns / fm_scaling_ranks(scaling, run);
        text = fm_format(&scaling->arena, "%s %s", text, id->name);
        if (id->line)
            text = fm_format(&scaling->arena, "%s at %s:%u", text, fm_basename(id->path), id->line);
        text = fm_format(&scaling->arena, "%s (%s)%s", text, fm_time_text(time, ns), i + 1 < n ? "," : ".");
    }
    if (n)
        fm_print_folded(out, text, 2);
}

/* ---- the sum ---- */

/* Tenths of a percent, so that what is printed adds up. */
static long tenths(double part)
{
    double size = part < MAX_EXCESS && part > -MAX_EXCESS ? part : 0;
    return lround(1000 * size);
}

static const char *add_part(struct fm_scaling *scaling, const char *text, const char *name, long value)
{
    return value ? fm_format(&scaling->arena, "%s %s %s%ld.%ld,", text, name, value < 0 ? "-" : "", labs(value) / 10,
                             labs(value) % 10)
                 : text;
}

/* "Parts, in % of the run on 16 ranks: MPI_Wait 40.1, MPI_Allreduce 5.2, flux -15.0, elsewhere -3.1, in all 27.2." */
static void print_sum(struct fm_scaling *scaling, FILE *out)
{
    const struct fm_verdicts *of = &scaling->verdicts;
    long whole = tenths(of->whole.all), startup = tenths(of->startup.own), rest = whole - startup;
    bool same = scaling->options.mode == FM_SCALE_SAME;
    const char *text = fm_format(&scaling->arena, "Parts, in %% of the %s%s:", same ? "time of " : "run on ",
                                 fm_scaling_run_text(scaling, same ? scaling->base : scaling->other));
    for (size_t i = 0; i < of->n + of->n_gains; i++) {
        const struct fm_verdict *verdict = i < of->n ? &of->items[i] : &of->gains[i - of->n];
        long value = tenths(verdict->excess.own);
        text = add_part(scaling, text, scaling->judged->nodes[verdict->node].context->id.name, value);
        rest -= value;
    }
    text = add_part(scaling, text, "starting and ending MPI", startup);
    text = add_part(scaling, text, "elsewhere", rest);
    fm_print_folded(out,
                    fm_format(&scaling->arena, "%s in all %s%ld.%ld.", text, whole < 0 ? "-" : "", labs(whole) / 10,
                              labs(whole) % 10),
                    2);
}

/* Starting MPI takes a fixed time, which matters in short runs only. */
static void print_startup(struct fm_scaling *scaling, FILE *out)
{
    char share[FM_UNIT_CHARS];
    const struct fm_verdicts *of = &scaling->verdicts;
    bool changed = fm_is_clear(of->startup.own, of->startup.own_error, FM_SCALE_NOISE);
    if (of->startup_share < MIN_STARTUP && !changed)
        return;
    fm_print_folded(out,
                    fm_format(&scaling->arena,
                              "Starting and ending MPI takes %s of the run %s%s, however long the program computes: a "
                              "longer run shows more of the program.",
                              fm_percent_whole(share, of->startup_share),
                              scaling->options.mode == FM_SCALE_SAME ? "" : "on ",
                              fm_scaling_run_text(scaling, scaling->other)),
                    2);
}

static void print_answer(struct fm_scaling *scaling, FILE *out)
{
    bool same = scaling->options.mode == FM_SCALE_SAME;
    fm_run_notes_print_doubts(&scaling->notes, &scaling->arena, out);
    fm_print_folded(out, fm_scaling_headline(scaling), 2);
    fm_run_notes_print(&scaling->notes, &scaling->arena, out);
    if (same) {
        print_only_in(scaling, scaling->base, out);
        print_only_in(scaling, scaling->other, out);
    }
    print_verdicts(scaling, out);
    if (scaling->verdicts.n + scaling->verdicts.n_gains)
        print_sum(scaling, out);
    print_startup(scaling, out);
}

/* ---- contexts ---- */

static const char *headings[] = {
    [FM_SCALING_CALLS] = "call path",
    [FM_SCALING_CALLERS] = "function and its callers",
    [FM_SCALING_FLAT] = "load module, file, function, line",
    [FM_SCALING_MPI] = "MPI routines by region and call site",
    [FM_SCALING_TIMERS] = "timers",
};

/* Signed, in percent; with ~ if not significant. */
static const char *excess_text(struct fm_scaling *scaling, double x, double error)
{
    char share[FM_UNIT_CHARS];
    double size = x < 0 ? -x : x;
    if (size < 0.0005)
        return "0";
    return fm_format(&scaling->arena, "%s%s%s", fm_is_certain(x, error) ? "" : "~", x < 0 ? "-" : "",
                     size < MAX_EXCESS ? fm_percent_text(share, size) : ">999999");
}

/* The cost of a context in a run: over all processes under strong scaling, where the sum should stay constant;
 * otherwise the average of a process. */
static void cost_cell(struct fm_scaling *scaling, struct fm_table *table, uint32_t node, size_t run)
{
    uint64_t ns = fm_scale_cost(&scaling->scale, node, run)->all_ns;
    bool sum = scaling->options.mode == FM_SCALE_STRONG;
    if (scaling->scale.nodes[node].runs & 1u << run)
        fm_cell_number(table, (double)ns / (sum ? 1 : fm_scaling_ranks(scaling, run)));
    else
        fm_cell_text(table, "-");
}

/* The growth of the cost of a context with the number of ranks; "" if not requested or unknown. */
static const char *trend_text(const struct fm_scaling *scaling, uint32_t node)
{
    struct fm_trend trend;
    bool known = scaling->options.project && fm_trend_fit(&scaling->scale, node, false, &trend);
    return known ? fm_trend_text(trend.form) : "";
}

static const char *mark_of(const struct fm_scaling *scaling, uint32_t node, bool hot)
{
    uint32_t runs = scaling->scale.nodes[node].runs;
    bool before = runs & 1u << scaling->base, after = runs & 1u << scaling->other;
    if (before == after)
        return hot ? "*" : "";
    return after ? hot ? "*+" : "+" : "-";
}

static void add_row(struct fm_scaling *scaling, struct fm_table *table, const struct fm_scaling_row *row,
                    size_t columns)
{
    struct fm_excess excess = fm_scaling_excess(scaling, row->node);
    size_t drawn = strlen(row->drawing);
    bool own = fm_scale_cost(&scaling->scale, row->node, scaling->base)->own_ns ||
               fm_scale_cost(&scaling->scale, row->node, scaling->other)->own_ns;
    fm_cell_text(table, mark_of(scaling, row->node, row->hot));
    fm_cell_text(table, excess_text(scaling, excess.all, excess.all_error));
    fm_cell_text(table, own ? excess_text(scaling, excess.own, excess.own_error) : "");
    cost_cell(scaling, table, row->node, scaling->base);
    cost_cell(scaling, table, row->node, scaling->other);
    fm_cell_text(table, trend_text(scaling, row->node));
    fm_cell_text(table, fm_format(&scaling->arena, "%s%s", row->drawing,
                                  fm_scaling_label(scaling, row->node, drawn < columns ? columns - drawn : 0)));
}

struct seen {
    bool hot, only_now, only_before, uncertain;
    struct fm_context_marks marks;
};

static struct seen scan_rows(struct fm_scaling *scaling, const struct fm_scaling_rows *rows)
{
    struct seen seen = {0};
    for (size_t i = 0; i < rows->n; i++) {
        const char *mark = mark_of(scaling, rows->items[i].node, rows->items[i].hot);
        struct fm_excess excess = fm_scaling_excess(scaling, rows->items[i].node);
        const char *all = excess_text(scaling, excess.all, excess.all_error);
        const char *own = excess_text(scaling, excess.own, excess.own_error);
        seen.hot |= mark[0] == '*';
        seen.only_now |= strchr(mark, '+') != NULL;
        seen.only_before |= mark[0] == '-';
        seen.uncertain |= all[0] == '~' || own[0] == '~';
        fm_context_marks_add(&seen.marks, scaling->scale.nodes[rows->items[i].node].context);
    }
    return seen;
}

static void print_foot(struct fm_scaling *scaling, const struct fm_scaling_rows *rows, FILE *out)
{
    char count[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    const char *base = fm_scaling_run_text(scaling, scaling->base);
    const char *other = fm_scaling_run_text(scaling, scaling->other);
    bool same = scaling->options.mode == FM_SCALE_SAME;
    struct seen seen = scan_rows(scaling, rows);
    if (rows->left_out)
        fm_print_sentence(out, "+ %s more, each below %s%s (--all shows them, --percent P those above P %%)",
                          fm_count_text(count, rows->left_out), fm_percent_fine(share, rows->limit),
                          same ? "" : " of excess time");
    const char *text =
        same ? "% change: time that B takes more (or, if negative, less) than A, in % of the time of A, with "
               "everything called; "
               "% own: without. Times: average of a rank."
             : fm_format(&scaling->arena,
                         "%% excess: time on %s beyond ideal scaling from %s, in %% of the run on %s, with "
                         "everything called; %% own: without. 0 is ideal. Times: %s.",
                         other, base, other,
                         scaling->options.mode == FM_SCALE_STRONG ? "sums over ranks, ideally equal"
                                                                  : "average of a rank, ideally equal");
    if (seen.hot)
        text = fm_format(&scaling->arena, "%s *: path of the largest loss.", text);
    if (seen.only_now)
        text = fm_format(&scaling->arena, "%s +: only %s%s.", text, same ? "in " : "on ", other);
    if (seen.only_before)
        text = fm_format(&scaling->arena, "%s -: only %s%s.", text, same ? "in " : "on ", base);
    if (seen.uncertain)
        text = fm_format(&scaling->arena, "%s ~: not significant.", text);
    if (trend_text(scaling, 0)[0])
        text = fm_format(&scaling->arena, "%s trend: time as a function of p ranks.", text);
    const char *marks = fm_context_marks_text(&scaling->runs[scaling->other].report, &seen.marks);
    if (marks[0]) /* after its "; " */
        text = fm_format(&scaling->arena, "%s %s.", text, marks + 2);
    const struct fm_scaling_run *run = &scaling->runs[scaling->other];
    double helpers = fm_ratio((double)run->report.helpers_ns,
                              run->profile->paths.n ? (double)run->profile->paths.nodes[0].all.sum_ns : 0);
    if (helpers >= MIN_HELPERS)
        text = fm_format(&scaling->arena,
                         "%s Excludes internal threads of the MPI library (%s of the samples; --inside-mpi).", text,
                         fm_percent_whole(share, helpers));
    fm_print_folded(out, text, 0);
}

static enum fm_status print_contexts(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    const struct fm_column columns[] = {
        {"", NULL, FM_COLUMN_BAR},
        {scaling->options.mode == FM_SCALE_SAME ? "% change" : "% excess", NULL, FM_COLUMN_PERCENT},
        {"% own", NULL, FM_COLUMN_PERCENT},
        {fm_scaling_run_text(scaling, scaling->base), NULL, FM_COLUMN_TIME},
        {fm_scaling_run_text(scaling, scaling->other), NULL, FM_COLUMN_TIME},
        {trend_text(scaling, 0)[0] ? "trend" : NULL, NULL, FM_COLUMN_BAR},
        {headings[scaling->options.view], NULL, FM_COLUMN_TEXT},
    };
    struct fm_scaling_rows rows;
    struct fm_table table;
    enum fm_status status = fm_scaling_rows(scaling, &rows, error);
    if (status)
        return status;
    fm_table_start(&table, &scaling->arena, columns, sizeof columns / sizeof *columns);
    add_row(scaling, &table, &(struct fm_scaling_row){0, "", false}, fm_label_columns(out));
    for (size_t i = 0; i < rows.n; i++)
        add_row(scaling, &table, &rows.items[i], fm_label_columns(out));
    fm_table_print(&table, out);
    print_foot(scaling, &rows, out);
    return FM_OK;
}

enum fm_status fm_scaling_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    if (scaling->options.view == FM_SCALING_SPLIT)
        return fm_scaling_split_text(scaling, out, error);
    print_answer(scaling, out);
    fputc('\n', out);
    if (scaling->options.mode != FM_SCALE_SAME && !scaling->options.focus) {
        fm_scaling_print_runs(scaling, out);
        fputc('\n', out);
    }
    if (scaling->options.view == FM_SCALING_EFFICIENCY)
        return fm_scaling_factors_text(scaling, out);
    if (scaling->options.mode != FM_SCALE_SAME && !scaling->options.focus) {
        fm_scaling_print_factors(scaling, out);
        fputc('\n', out);
    }
    return scaling->options.view == FM_SCALING_COSTS ? fm_scaling_costs_text(scaling, out, error)
                                                     : print_contexts(scaling, out, error);
}
