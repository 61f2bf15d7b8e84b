/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories as a document: runs of one program on one number of ranks in the order of time, the series of each figure,
 * and where a series changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/history/change.h"
#include "base/commit.h"
#include "base/sort.h"
#include "base/units.h"
#include "render/json.h"
#include "report/history.h"
#include "report/json_parts.h"
#include "report/report_json.h"

static const double LEAST_CHANGE = 0.01, LEAST_OF_RUN = 0.005; /* of the figure, and of the wall time of the run */
enum { MAX_CHANGES = 8 };

static const char *const kinds[] = {"run", "factor", "region", "timer", "routine"}; /* enum fm_history_kind */

static int by_program_and_time(const void *a, const void *b)
{
    const struct fm_history_run *x = a, *y = b;
    int order = strcmp(x->program, y->program);
    if (!order)
        order = (x->ranks > y->ranks) - (x->ranks < y->ranks);
    if (!order)
        order = (x->started_ns > y->started_ns) - (x->started_ns < y->started_ns);
    return order ? order : strcmp(x->file, y->file);
}

/* Runs of one history. */
struct runs {
    struct fm_history *history;
    const struct fm_history_run *items;
    size_t n;
};

/* The value of a run with this kind and name; NAN if it has none. */
static double value_of(const struct fm_history_run *run, const struct fm_history_value *like)
{
    const struct fm_history_value *found = run->n_values ? bsearch(like, run->values, run->n_values,
                                                                   sizeof *run->values, fm_history_compare)
                                                         : NULL;
    return found ? found->value : NAN;
}

/* "commit 3f2a91c7d0, 2026-11-03 14:10" if the program was another one before; a change with the same commit or build has
 * another reason, which is worth a word. */
static const char *when_text(struct fm_history *history, const struct fm_history_run *before,
                             const struct fm_history_run *run)
{
    char date[FM_UNIT_CHARS], commit[FM_COMMIT_SHORT];
    fm_date_text(date, run->started_ns);
    const char *when = date[0] ? fm_format(&history->arena, "%.16s", date) : run->file;
    bool rebuilt = strcmp(run->build_id, before->build_id) != 0;
    fm_commit_short(commit, run->commit);
    if (run->commit[0] && strcmp(run->commit, before->commit) != 0)
        return fm_format(&history->arena, "commit %s, %s", commit, when);
    if (rebuilt)
        return fm_format(&history->arena, "%s, the first run of another build%s%s", when,
                         run->commit[0] ? " of the same commit " : "", commit);
    return run->commit[0] ? fm_format(&history->arena, "%s, with the same commit %s", when, commit) : when;
}

/* "MPI_Allreduce is 25 % longer since commit 3f2a91c7d0, 2026-11-03 14:10 (99 % certain)" */
static const char *change_text(const struct runs *runs, const struct fm_history_value *of,
                               const struct fm_history_run *before, const struct fm_history_run *run,
                               const struct fm_change *change)
{
    struct fm_history *history = runs->history;
    char amount[FM_UNIT_CHARS], certain[FM_UNIT_CHARS];
    bool factor = of->kind == FM_HISTORY_FACTOR, more = change->after > change->before;
    fm_percent_whole(amount, factor ? fabs(change->after - change->before)
                                    : fabs(change->after - change->before) / change->before);
    const char *what = factor
                           ? fm_format(&history->arena, "%s is %s %s", of->name, amount, more ? "higher" : "lower")
                           : fm_format(&history->arena, "%s is %s %s", of->name, amount, more ? "longer" : "shorter");
    return fm_format(&history->arena, "%s since %s (%s certain)", what, when_text(history, before, run),
                     fm_percent_whole(certain, change->certainty));
}

/* Not what takes next to no time of the run. */
static bool matters(const struct runs *runs, const struct fm_history_value *of, const struct fm_change *change)
{
    const struct fm_history_value wall = {.kind = FM_HISTORY_RUN, .name = "wall time"};
    return of->kind == FM_HISTORY_FACTOR ||
           fabs(change->after - change->before) >= LEAST_OF_RUN * value_of(&runs->items[runs->n - 1], &wall);
}

static void write_changes(const struct runs *runs, struct fm_json *json, const struct fm_history_value *of,
                          const double *known, const size_t *where, size_t n)
{
    struct fm_change changes[MAX_CHANGES];
    size_t n_changes = fm_changes_find(known, n, LEAST_CHANGE, changes, MAX_CHANGES);
    fm_json_array(json, "changes", FM_JSON_INLINE);
    for (size_t i = 0; i < n_changes; i++) {
        if (!matters(runs, of, &changes[i]))
            continue;
        bool worse = (changes[i].after > changes[i].before) != (of->kind == FM_HISTORY_FACTOR);
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "run", where[changes[i].at]);
        fm_json_number(json, "before", changes[i].before);
        fm_json_number(json, "after", changes[i].after);
        fm_json_number(json, "certainty", changes[i].certainty);
        fm_json_bool(json, "worse", worse);
        fm_json_text(json, "text",
                     change_text(runs, of, &runs->items[where[changes[i].at - 1]], &runs->items[where[changes[i].at]],
                                 &changes[i]));
        fm_json_end(json);
    }
    fm_json_end(json);
}

static enum fm_status write_one_series(const struct runs *runs, struct fm_json *json, const struct fm_history_value *of,
                                       struct fm_error *error)
{
    double *known = malloc(runs->n * sizeof *known);
    size_t *where = malloc(runs->n * sizeof *where), n = 0;
    if (known && where) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "kind", kinds[of->kind]);
        fm_json_text(json, "name", of->name);
        fm_json_array(json, "values", FM_JSON_INLINE);
        for (size_t i = 0; i < runs->n; i++) {
            double value = value_of(&runs->items[i], of);
            fm_json_number(json, NULL, value); /* null if it is not there */
            if (!isnan(value) && runs->items[i].complete) {
                known[n] = value;
                where[n++] = i;
            }
        }
        fm_json_end(json);
        write_changes(runs, json, of, known, where, n);
        fm_json_end(json);
    }
    enum fm_status status = known && where ? FM_OK
                                           : fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu runs", runs->n);
    free(known);
    free(where);
    return status;
}

/* Every figure that any run has, in the order in which they first appear. */
static enum fm_status write_series(const struct runs *runs, struct fm_json *json, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    fm_json_array(json, "series", FM_JSON_LINES);
    for (size_t r = 0; r < runs->n; r++)
        for (size_t v = 0; v < runs->items[r].n_values && !status; v++) {
            bool seen = false;
            for (size_t before = r; before > 0 && !seen; before--) /* usually the one before has it */
                seen = !isnan(value_of(&runs->items[before - 1], &runs->items[r].values[v]));
            if (!seen)
                status = write_one_series(runs, json, &runs->items[r].values[v], error);
        }
    fm_json_end(json);
    return status;
}

static void write_run(struct fm_json *json, const struct fm_history_run *run)
{
    char date[FM_UNIT_CHARS];
    fm_json_object(json, NULL, FM_JSON_LINES);
    if (run->id)
        fm_json_text(json, "id", run->id);
    else
        fm_json_null(json, "id");
    fm_json_text(json, "file", run->file);
    fm_json_text(json, "job", run->job);
    fm_json_text_or_null(json, "started", fm_date_iso(date, run->started_ns));
    fm_json_text(json, "build_id", run->build_id);
    fm_json_text_or_null(json, "commit", run->commit);
    fm_json_bool(json, "complete", run->complete);
    fm_json_bool(json, "lacks_cores", run->lacks_cores);
    fm_json_array(json, "findings", FM_JSON_INLINE);
    for (size_t i = 0; i < run->n_findings; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "rule", run->findings[i].rule);
        fm_json_text(json, "text", run->findings[i].text);
        fm_json_number(json, "cost_fraction", run->findings[i].share);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static enum fm_status write_history(const struct runs *runs, struct fm_json *json, struct fm_error *error)
{
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "program", runs->items[0].program);
    fm_json_whole(json, "ranks", runs->items[0].ranks);
    fm_json_array(json, "runs", FM_JSON_LINES);
    for (size_t i = 0; i < runs->n; i++)
        write_run(json, &runs->items[i]);
    fm_json_end(json);
    enum fm_status status = write_series(runs, json, error);
    fm_json_end(json);
    return status;
}

enum fm_status fm_history_json(struct fm_history *history, FILE *out, struct fm_error *error)
{
    struct fm_json json = {.out = out};
    enum fm_status status = FM_OK;
    if (history->n && !fm_sort(history->runs, history->n, sizeof *history->runs, by_program_and_time, &history->arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu runs", history->n);
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    fm_json_array(&json, "histories", FM_JSON_LINES);
    for (size_t from = 0, to; from < history->n && !status; from = to) {
        const struct fm_history_run *first = &history->runs[from];
        for (to = from + 1; to < history->n && strcmp(history->runs[to].program, first->program) == 0 &&
                            history->runs[to].ranks == first->ranks;)
            to++;
        status = write_history(&(struct runs){history, first, to - from}, &json, error);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    return status;
}
