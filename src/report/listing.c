/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/listing.h"

#include <string.h>

#include "analyse/balance/core_use.h"
#include "analyse/balance/summary.h"
#include "base/sort.h"
#include "base/units.h"
#include "merge/notes.h"
#include "render/json.h"
#include "render/text.h"
#include "report/report.h"

/* ---- collecting ---- */

static const char *end_text(struct fm_listing *listing, const struct fm_summary *summary)
{
    char how[128];
    if (summary->complete || !summary->n_ends)
        return summary->complete ? "complete" : "incomplete";
    const struct fm_end_group *first = &summary->ends[0];
    const char *ranks = fm_rankset_text(&first->ranks, &listing->arena, 16);
    return fm_format(&listing->arena, "rank%s %s %s%s", fm_rankset_count(&first->ranks) == 1 ? "" : "s",
                     ranks ? ranks : "?", fm_end_text(first->end, first->code, how, sizeof how),
                     summary->n_ends > 1 ? ", ..." : "");
}

static const char *keep(struct fm_listing *listing, const char *text)
{
    const char *kept = fm_arena_strndup(&listing->arena, text, strlen(text));
    return kept ? kept : "";
}

static struct fm_listed item_of(struct fm_listing *listing, const char *file, const struct fm_profile *profile,
                                const struct fm_summary *summary)
{
    struct fm_listed item = {
        .file = keep(listing, file),
        .program = keep(listing, summary->name),
        .user = keep(listing, profile->job.user),
        .job = keep(listing, profile->job.id),
        .mpi = keep(listing, profile->job.mpi),
        .commit = keep(listing, profile->job.commit),
        .ranks = summary->ranks,
        .hosts = profile->n_hosts,
        .started_ns = profile->job.started_real_ns,
        .wall_ns = summary->wall_ns,
        .mpi_fraction = summary->mpi_fraction,
        .factors = fm_factors_of_run(profile),
        .lacks_cores = fm_core_use(profile).lack != FM_CORES_ENOUGH,
        .complete = summary->complete,
        .end = end_text(listing, summary),
    };
    item.factors.known &= summary->n_routines > 0;
    return item;
}

enum fm_status fm_listing_add(struct fm_listing *listing, const char *file, const struct fm_profile *profile,
                              struct fm_error *error)
{
    struct fm_arena scratch = {0};
    struct fm_summary summary;
    struct fm_listed *grown = fm_arena_grow(&listing->arena, listing->items, &listing->capacity, listing->n + 1,
                                            sizeof *grown);
    if (!grown)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to list %zu profiles", listing->n + 1);
    listing->items = grown;
    enum fm_status status = fm_summarise(profile, &scratch, &summary, error);
    if (!status)
        grown[listing->n++] = item_of(listing, file, profile, &summary);
    fm_arena_destroy(&scratch);
    return status;
}

enum fm_status fm_listing_find(struct fm_listing *listing, struct fm_listed *item, const struct fm_profile *profile,
                               struct fm_symbols *symbols, struct fm_error *error)
{
    struct fm_report report;
    const struct fm_findings *found;
    const struct fm_report_options usual = {0};
    item->rule = item->finding = "";
    if (fm_profile_is_from_outside(profile))
        return FM_OK;
    enum fm_status status = fm_report_open(&report, profile, symbols, &usual, error);
    if (status)
        return status;
    status = fm_report_findings(&report, &found, error);
    if (!status && found->n) {
        item->rule = keep(listing, found->items[0].rule);
        item->finding = keep(listing, found->items[0].text);
        item->finding_share = fm_ratio(found->items[0].cost_ns, (double)report.summary.wall_sum_ns);
    }
    fm_report_close(&report);
    return status;
}

bool fm_listing_add_unreadable(struct fm_listing *listing, const char *file, const char *why)
{
    struct fm_unreadable *grown = fm_arena_grow(&listing->arena, listing->unreadable, &listing->unreadable_capacity,
                                                listing->n_unreadable + 1, sizeof *grown);
    if (!grown)
        return false;
    listing->unreadable = grown;
    listing->unreadable[listing->n_unreadable++] = (struct fm_unreadable){keep(listing, file), keep(listing, why)};
    return true;
}

void fm_listing_close(struct fm_listing *listing)
{
    fm_arena_destroy(&listing->arena);
}

/* ---- sorting ---- */

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_file(const void *a, const void *b)
{
    return strcmp(((const struct fm_listed *)a)->file, ((const struct fm_listed *)b)->file);
}

static int by_time(const void *a, const void *b)
{
    return by_number((double)((const struct fm_listed *)b)->started_ns,
                     (double)((const struct fm_listed *)a)->started_ns);
}

static int by_program(const void *a, const void *b)
{
    return strcmp(((const struct fm_listed *)a)->program, ((const struct fm_listed *)b)->program);
}

static int by_ranks(const void *a, const void *b)
{
    return by_number(((const struct fm_listed *)a)->ranks, ((const struct fm_listed *)b)->ranks);
}

static int by_wall(const void *a, const void *b)
{
    return by_number((double)((const struct fm_listed *)b)->wall_ns, (double)((const struct fm_listed *)a)->wall_ns);
}

static double efficiency_or_more(const struct fm_listed *item)
{
    return item->factors.known ? item->factors.parallel : 2;
}

static int by_efficiency(const void *a, const void *b)
{
    return by_number(efficiency_or_more(a), efficiency_or_more(b));
}

static int by_user(const void *a, const void *b)
{
    return strcmp(((const struct fm_listed *)a)->user, ((const struct fm_listed *)b)->user);
}

/* Equal ones by file: sorting is stable. */
bool fm_listing_sort(struct fm_listing *listing, enum fm_listing_order order)
{
    static fm_compare *const orders[] = {
        [FM_LISTING_BY_TIME] = by_time, [FM_LISTING_BY_PROGRAM] = by_program,       [FM_LISTING_BY_RANKS] = by_ranks,
        [FM_LISTING_BY_WALL] = by_wall, [FM_LISTING_BY_EFFICIENCY] = by_efficiency, [FM_LISTING_BY_USER] = by_user,
        [FM_LISTING_BY_FILE] = by_file,
    };
    return fm_sort(listing->items, listing->n, sizeof *listing->items, by_file, &listing->arena) &&
           fm_sort(listing->items, listing->n, sizeof *listing->items, orders[order], &listing->arena);
}

/* ---- text and CSV ---- */

enum { FINDING_COLUMN = 11 };
static const struct fm_column columns[] = {
    {"program", "program", FM_COLUMN_TEXT},
    {"ranks", "ranks", FM_COLUMN_RANK},
    {"started (UTC)", NULL, FM_COLUMN_BAR},
    {NULL, "started", FM_COLUMN_TEXT},
    {"wall", "wall_s", FM_COLUMN_TIME},
    {"% efficiency", "parallel", FM_COLUMN_PERCENT},
    {NULL, "load_balance", FM_COLUMN_PERCENT},
    {NULL, "communication", FM_COLUMN_PERCENT},
    {NULL, "mpi_fraction", FM_COLUMN_PERCENT},
    {"", NULL, FM_COLUMN_BAR}, /* '*': ranks lacked cores */
    {NULL, "lacks_cores", FM_COLUMN_RANK},
    [FINDING_COLUMN] = {"first finding", NULL, FM_COLUMN_BAR}, /* "imbalance 12 %" */
    {NULL, "finding", FM_COLUMN_TEXT},
    {NULL, "finding_fraction", FM_COLUMN_PERCENT},
    {NULL, "finding_text", FM_COLUMN_TEXT},
    {"user", "user", FM_COLUMN_TEXT},
    {"ended", "end", FM_COLUMN_SOURCE},
    {NULL, "complete", FM_COLUMN_RANK},
    {NULL, "job", FM_COLUMN_TEXT},
    {NULL, "mpi", FM_COLUMN_TEXT},
    {NULL, "commit", FM_COLUMN_TEXT},
    {"file", "file", FM_COLUMN_KEY},
};
/* Hidden in this order on a narrow terminal: user, started, finding. */
static const size_t spared[] = {15, 2, FINDING_COLUMN};

size_t fm_listing_rows(const struct fm_listing *listing, size_t rows)
{
    return rows && rows < listing->n ? rows : listing->n;
}

static void finding_cells(struct fm_listing *listing, struct fm_table *table, const struct fm_listed *item)
{
    char share[FM_UNIT_CHARS];
    const char *rule = item->rule ? item->rule : "", *text = item->finding ? item->finding : "";
    bool costs = item->finding_share > 0;
    fm_cell_text(table, fm_format(&listing->arena, "%s%s%s", rule, costs ? " " : "",
                                  costs ? fm_percent_whole(share, item->finding_share) : ""));
    fm_cell_text(table, rule);
    fm_cell_number_or_none(table, item->finding_share, costs);
    fm_cell_text(table, text);
}

static bool any_finding(const struct fm_listing *listing, size_t rows)
{
    for (size_t i = 0; i < fm_listing_rows(listing, rows); i++)
        if (listing->items[i].rule && *listing->items[i].rule)
            return true;
    return false;
}

/* The text has a column for findings if there are any. */
static const struct fm_column *columns_of(struct fm_listing *listing, size_t rows)
{
    struct fm_column *shown = fm_arena_alloc(&listing->arena, sizeof columns);
    if (!shown || any_finding(listing, rows))
        return columns;
    memcpy(shown, columns, sizeof columns);
    shown[FINDING_COLUMN].heading = NULL;
    return shown;
}

static void fill(struct fm_listing *listing, struct fm_table *table, size_t rows)
{
    char date[FM_UNIT_CHARS];
    fm_table_start(table, &listing->arena, columns_of(listing, rows), sizeof columns / sizeof *columns);
    fm_table_spare(table, spared, sizeof spared / sizeof *spared);
    for (size_t i = 0; i < fm_listing_rows(listing, rows); i++) {
        const struct fm_listed *item = &listing->items[i];
        fm_cell_text(table, item->program);
        fm_cell_whole(table, item->ranks);
        fm_cell_text(table, fm_format(&listing->arena, "%.16s", fm_date_text(date, item->started_ns)));
        fm_cell_text(table, fm_format(&listing->arena, "%s", fm_date_iso(date, item->started_ns)));
        fm_cell_whole(table, item->wall_ns);
        fm_cell_number_or_none(table, item->factors.parallel, item->factors.known);
        fm_cell_number_or_none(table, item->factors.load_balance, item->factors.known);
        fm_cell_number_or_none(table, item->factors.communication, item->factors.known);
        fm_cell_number(table, item->mpi_fraction);
        fm_cell_text(table, item->lacks_cores && item->factors.known ? "*" : "");
        fm_cell_whole(table, item->lacks_cores);
        finding_cells(listing, table, item);
        fm_cell_text(table, item->user);
        fm_cell_text(table, item->end);
        fm_cell_whole(table, item->complete);
        fm_cell_text(table, item->job);
        fm_cell_text(table, item->mpi);
        fm_cell_text(table, item->commit);
        fm_cell_text(table, item->file);
    }
}

void fm_listing_text(struct fm_listing *listing, size_t rows, FILE *out)
{
    struct fm_table table;
    char count[FM_UNIT_CHARS];
    size_t shown = fm_listing_rows(listing, rows);
    bool marked = false;
    if (!listing->n) {
        fputs(listing->n_unreadable ? "" : "No profiles.\n", out);
        return;
    }
    fill(listing, &table, rows);
    fm_table_print(&table, out);
    for (size_t i = 0; i < shown; i++)
        marked |= listing->items[i].lacks_cores && listing->items[i].factors.known;
    if (marked)
        fm_print_sentence(out, "*: ranks had no cores of their own; the efficiency includes waiting for a core.");
    if (shown < listing->n)
        fprintf(out, "+ %s more\n", fm_count_text(count, listing->n - shown));
}

void fm_listing_csv(struct fm_listing *listing, size_t rows, FILE *out)
{
    struct fm_table table;
    fill(listing, &table, rows);
    fm_table_csv(&table, out);
}

/* ---- JSON ---- */

static void text_or_null(struct fm_json *json, const char *key, const char *text)
{
    if (text && *text)
        fm_json_text(json, key, text);
    else
        fm_json_null(json, key);
}

void fm_listed_json(struct fm_json *json, const struct fm_listed *item)
{
    char date[FM_UNIT_CHARS];
    fm_json_text(json, "file", item->file);
    fm_json_text(json, "program", item->program);
    fm_json_text(json, "job", item->job);
    fm_json_text(json, "user", item->user);
    fm_json_whole(json, "ranks", item->ranks);
    fm_json_whole(json, "hosts", item->hosts);
    text_or_null(json, "started", fm_date_iso(date, item->started_ns));
    fm_json_seconds(json, "wall_s", item->wall_ns);
    fm_json_text(json, "mpi", item->mpi);
    text_or_null(json, "commit", item->commit);
    fm_json_number(json, "mpi_fraction", item->mpi_fraction);
    fm_json_number_or_null(json, "parallel", item->factors.known, item->factors.parallel);
    fm_json_number_or_null(json, "load_balance", item->factors.known, item->factors.load_balance);
    fm_json_number_or_null(json, "communication", item->factors.known, item->factors.communication);
    fm_json_bool(json, "lacks_cores", item->lacks_cores);
    fm_json_bool(json, "complete", item->complete);
    fm_json_text(json, "end", item->end);
    text_or_null(json, "finding", item->rule);
    fm_json_number_or_null(json, "finding_fraction", item->finding_share > 0, item->finding_share);
    text_or_null(json, "finding_text", item->finding);
}

void fm_listing_json(struct fm_listing *listing, size_t rows, FILE *out)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", 1);
    fm_json_array(&json, "profiles", FM_JSON_LINES);
    for (size_t i = 0; i < fm_listing_rows(listing, rows); i++) {
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_listed_json(&json, &listing->items[i]);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_array(&json, "unreadable", FM_JSON_LINES);
    for (size_t i = 0; i < listing->n_unreadable; i++) {
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_text(&json, "file", listing->unreadable[i].file);
        fm_json_text(&json, "why", listing->unreadable[i].why);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_end(&json);
}
