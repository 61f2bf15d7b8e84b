/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings: what costs time, with evidence, advice, and what only a trace can tell. */
#include "base/basename.h"
#include "base/units.h"
#include "base/writer.h"
#include "report/findings_text.h"
#include "report/report_calls.h"

/* ---- text ---- */

static const char *evidence_text(struct fm_report *report, const struct fm_finding *finding)
{
    const char *text = "";
    char value[FM_UNIT_CHARS];
    for (size_t i = 0; i < finding->n_evidence; i++) {
        const char *name = fm_evidence_name(&finding->evidence[i], &report->arena);
        text = fm_format(&report->arena, "%s%s%s %s", text, i ? ", " : "", name ? name : "?",
                         fm_evidence_text(value, &finding->evidence[i]));
    }
    return text;
}

/* "serial-stage: 12 % of the time, 3.4 s over all ranks (estimated)" */
static const char *heading(struct fm_report *report, const struct fm_finding *finding)
{
    char cost[FM_UNIT_CHARS];
    if (finding->cost_ns <= 0)
        return finding->rule;
    return fm_format(&report->arena, "%s: %s of the time, %s over all ranks%s", finding->rule,
                     fm_finding_share_text(report, finding), fm_time_text(cost, finding->cost_ns),
                     finding->measured ? "" : " (estimated)");
}

static void print_part(FILE *out, const char *name, const char *text)
{
    if (text[0])
        fm_print_hanging(out, name, text);
}

static void print_finding(struct fm_report *report, FILE *out, const struct fm_finding *finding)
{
    fm_print_folded(out, heading(report, finding), 2);
    print_part(out, "  what      ", fm_format(&report->arena, "%s.", finding->text));
    if (finding->ranks.n)
        print_part(out, "  where     ", fm_ranks_text(report, &finding->ranks, 60));
    print_part(out, "  evidence  ", evidence_text(report, finding));
    print_part(out, "  advice    ", finding->advice);
    print_part(out, "  trace     ", finding->trace);
}

enum fm_status fm_view_findings_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_findings *found;
    enum fm_status status = fm_report_findings(report, &found, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    if (!found->n)
        fputs("No findings.\n", out);
    for (size_t i = 0; i < found->n; i++) {
        fputs(i ? "\n" : "", out);
        print_finding(report, out, &found->items[i]);
    }
    bool places = fm_report_sampled(report) || report->summary.measured < 2;
    fputs(found->lacked_cores || !places ? "\n" : "", out);
    if (found->lacked_cores)
        fm_print_sentence(out, "The ranks had no cores of their own, so rules about waiting were not applied.");
    if (!places)
        fm_print_sentence(out, "There are no call paths, so where ranks work is unknown: %s.",
                          fm_unsampled_text(report));
    return FM_OK;
}

/* ---- CSV ---- */

static const struct fm_column columns[] = {
    {NULL, "rule", FM_COLUMN_TEXT},      {NULL, "cost_s", FM_COLUMN_TIME}, {NULL, "cost_fraction", FM_COLUMN_PERCENT},
    {NULL, "measured", FM_COLUMN_COUNT}, {NULL, "ranks", FM_COLUMN_TEXT},  {NULL, "function", FM_COLUMN_TEXT},
    {NULL, "file", FM_COLUMN_TEXT},      {NULL, "line", FM_COLUMN_RANK},   {NULL, "text", FM_COLUMN_TEXT},
    {NULL, "evidence", FM_COLUMN_TEXT},  {NULL, "advice", FM_COLUMN_TEXT}, {NULL, "trace", FM_COLUMN_TEXT},
};

/* "work_max_s=1.5;work_avg_s=1" */
static const char *evidence_csv(struct fm_report *report, const struct fm_finding *finding)
{
    const char *text = "";
    for (size_t i = 0; i < finding->n_evidence; i++)
        text = fm_format(&report->arena, "%s%s%s=%.9g", text, i ? ";" : "", finding->evidence[i].name,
                         finding->evidence[i].value);
    return text;
}

enum fm_status fm_view_findings_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_findings *found;
    struct fm_table table;
    enum fm_status status = fm_report_findings(report, &found, error);
    if (status)
        return status;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < found->n; i++) {
        const struct fm_finding *finding = &found->items[i];
        const char *ranks = fm_rankset_text(&finding->ranks, &report->arena, 0);
        fm_cell_text(&table, finding->rule);
        fm_cell_number(&table, finding->cost_ns);
        fm_cell_number(&table, fm_ratio(finding->cost_ns, (double)report->summary.wall_sum_ns));
        fm_cell_whole(&table, finding->measured);
        fm_cell_text(&table, ranks ? ranks : "");
        fm_cell_text(&table, finding->place.function);
        fm_cell_text(&table, fm_basename(finding->place.path));
        fm_cell_whole_or_none(&table, finding->place.line, finding->place.line != 0);
        fm_cell_text(&table, finding->text);
        fm_cell_text(&table, evidence_csv(report, finding));
        fm_cell_text(&table, finding->advice);
        fm_cell_text(&table, finding->trace);
    }
    fm_table_csv(&table, out);
    return FM_OK;
}
