#include "profile/encode.h"

#include <string.h>

#include "base/intern.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "profile/crc.h"
#include "profile/edges.h"
#include "profile/fields.h"
#include "profile/order.h"
#include "profile/pack.h"

/* The sections are walked twice: first only their strings are collected, then they are written. */
struct writer {
    struct fm_arena scratch;
    const struct fm_profile *profile;
    struct fm_paths paths; /* as many of the profile's as are written */
    struct fm_path_form path_form;
    struct fm_sequence sequence; /* likewise */
    bool large, collecting, failed;
    struct fm_intern strings; /* number = index in the sorted table */
    struct fm_packer pack;
    uint64_t *column;
    size_t column_capacity;
    uint8_t *out; /* the file so far */
    size_t n_out, out_capacity;
};

/* ---- columns ---- */

static uint64_t *room(struct writer *w, size_t n)
{
    uint64_t *column = fm_arena_grow(&w->scratch, w->column, &w->column_capacity, n, sizeof *column);
    if (column)
        w->column = column;
    else
        w->failed = true;
    return column;
}

static void put_number(struct writer *w, uint64_t value)
{
    if (!w->collecting)
        fm_pack_number(&w->pack, value);
}

static const char *text_at(const struct fm_field *field, const void *item)
{
    return *(const char *const *)(const void *)((const char *)item + field->offset);
}

static uint64_t text_number(struct writer *w, const char *text)
{
    return *text ? fm_intern_find(&w->strings, text)->number : 0;
}

static void collect(struct writer *w, const struct fm_field *field, const char *item, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++, item += stride) {
        const char *text = text_at(field, item);
        if (*text && !fm_intern_put(&w->strings, &w->scratch, text, false))
            w->failed = true;
    }
}

static void put_field(struct writer *w, const struct fm_field *field, const char *item, size_t n, size_t stride)
{
    uint64_t *column = room(w, n);
    if (!column)
        return;
    bool zero = w->large && field->large == FM_LARGE_ZERO;
    for (size_t i = 0; i < n; i++, item += stride)
        column[i] = zero                           ? 0
                    : field->kind == FM_FIELD_TEXT ? text_number(w, text_at(field, item))
                                                   : fm_field_get(field, item);
    fm_pack_column(&w->pack, column, n, NULL, w->large && field->large == FM_LARGE_ROUNDED);
}

static void put_fields(struct writer *w, const struct fm_fields *fields, const void *items, size_t n, size_t stride)
{
    for (size_t f = 0; f < fields->n && n; f++) {
        if (!w->collecting)
            put_field(w, &fields->list[f], items, n, stride);
        else if (fields->list[f].kind == FM_FIELD_TEXT)
            collect(w, &fields->list[f], items, n, stride);
    }
}

static const struct fm_rankset *set_at(const void *sets, size_t i, size_t stride)
{
    return (const void *)((const char *)sets + i * stride);
}

/* How many ranges each set has; then for all ranges the distance from the one before, and how far they reach. */
static void put_ranksets(struct writer *w, const void *sets, size_t n, size_t stride)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += set_at(sets, i, stride)->n;
    uint64_t *column = w->collecting ? NULL : room(w, n > total ? n : total);
    if (!column)
        return;
    for (size_t i = 0; i < n; i++)
        column[i] = set_at(sets, i, stride)->n;
    fm_pack_column(&w->pack, column, n, NULL, false);
    for (size_t i = 0, at = 0; i < n; i++) {
        const struct fm_rankset *set = set_at(sets, i, stride);
        for (size_t k = 0; k < set->n; k++)
            column[at++] = k ? set->ranges[k].first - set->ranges[k - 1].last : set->ranges[k].first;
    }
    fm_pack_column(&w->pack, column, total, NULL, false);
    for (size_t i = 0, at = 0; i < n; i++) {
        const struct fm_rankset *set = set_at(sets, i, stride);
        for (size_t k = 0; k < set->n; k++)
            column[at++] = set->ranges[k].last - set->ranges[k].first;
    }
    fm_pack_column(&w->pack, column, total, NULL, false);
}

static const struct fm_histogram *histogram_at(const void *stats, size_t i, size_t stride)
{
    return &((const struct fm_stats *)(const void *)((const char *)stats + i * stride))->histogram;
}

/* How many bins are in use; the distances between them; what they count. */
static void put_histograms(struct writer *w, const void *stats, size_t n, size_t stride)
{
    uint64_t *column = w->collecting ? NULL : room(w, n);
    if (!column)
        return;
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        column[i] = 0;
        for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++)
            column[i] += histogram_at(stats, i, stride)->bins[bin] != 0;
        total += column[i];
    }
    fm_pack_column(&w->pack, column, n, NULL, false);
    column = room(w, total);
    if (!column)
        return;
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0, at = 0; i < n; i++) {
            const uint64_t *bins = histogram_at(stats, i, stride)->bins;
            for (unsigned bin = 0, next = 0; bin < FM_DURATION_BINS; bin++) {
                if (!bins[bin])
                    continue;
                column[at++] = part ? bins[bin] : bin - next;
                next = bin + 1;
            }
        }
        fm_pack_column(&w->pack, column, total, NULL, false);
    }
}

static void put_stats(struct writer *w, const void *stats, size_t n, size_t stride)
{
    put_fields(w, &fm_stats_fields, stats, n, stride);
    put_histograms(w, stats, n, stride);
}

/* ---- sections ---- */

static void put_job(struct writer *w)
{
    const struct fm_job *job = &w->profile->job;
    put_fields(w, &fm_job_fields, job, 1, sizeof *job);
    put_number(w, job->n_argv);
    put_fields(w, &fm_text_fields, job->argv, job->n_argv, sizeof *job->argv);
    put_number(w, job->n_env);
    put_fields(w, &fm_name_value_fields, job->env, job->n_env, sizeof *job->env);
}

static void put_hosts(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    put_number(w, p->n_hosts);
    put_fields(w, &fm_host_fields, p->hosts, p->n_hosts, sizeof *p->hosts);
    if (p->n_hosts)
        put_ranksets(w, &p->hosts->ranks, p->n_hosts, sizeof *p->hosts);
}

static void put_processes(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    put_number(w, p->n_processes);
    put_fields(w, &fm_process_fields, p->processes, p->n_processes, sizeof *p->processes);
}

static void put_routines(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    const struct fm_routine_total *r = p->routines;
    put_number(w, p->n_routines);
    if (!p->n_routines)
        return;
    put_fields(w, &fm_routine_fields, r, p->n_routines, sizeof *r);
    put_stats(w, &r->stats, p->n_routines, sizeof *r);
    put_fields(w, &fm_spread_fields, &r->time_ns, p->n_routines, sizeof *r);
    put_fields(w, &fm_spread_fields, &r->calls, p->n_routines, sizeof *r);
    put_fields(w, &fm_spread_fields, &r->bytes, p->n_routines, sizeof *r);
    put_ranksets(w, &r->ranks, p->n_routines, sizeof *r);
}

/* How many routines have more total time, or the same and an earlier name. */
static size_t heavier(const struct fm_profile *p, size_t of)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_routines; i++)
        n += p->routines[i].stats.total_ns > p->routines[of].stats.total_ns ||
             (p->routines[i].stats.total_ns == p->routines[of].stats.total_ns && i < of);
    return n;
}

static bool has_vector(const struct writer *w, size_t routine)
{
    if (!w->large)
        return true;
    uint64_t all = 0;
    for (size_t i = 0; i < w->profile->n_routines; i++)
        fm_add_saturating(&all, w->profile->routines[i].stats.total_ns);
    return w->profile->routines[routine].stats.total_ns >= all / FM_LARGE_SHARE &&
           heavier(w->profile, routine) < FM_LARGE_VECTORS;
}

static void put_per_rank(struct writer *w)
{
    for (size_t i = 0; i < w->profile->n_routines && !w->collecting; i++) {
        const struct fm_routine_total *routine = &w->profile->routines[i];
        bool kept = has_vector(w, i);
        put_number(w, kept ? routine->n_per_rank : 0);
        if (kept)
            put_fields(w, &fm_rank_value_fields, routine->per_rank, routine->n_per_rank, sizeof *routine->per_rank);
    }
}

static void put_events(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    put_number(w, p->n_events);
    if (!p->n_events)
        return;
    put_fields(w, &fm_event_fields, p->events, p->n_events, sizeof *p->events);
    put_stats(w, &p->events->stats, p->n_events, sizeof *p->events);
}

static void put_regions(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    put_number(w, p->n_regions);
    if (!p->n_regions)
        return;
    put_fields(w, &fm_region_fields, p->regions, p->n_regions, sizeof *p->regions);
    put_fields(w, &fm_spread_fields, &p->regions->wall_per_rank, p->n_regions, sizeof *p->regions);
    put_ranksets(w, &p->regions->ranks, p->n_regions, sizeof *p->regions);
}

/* ---- edges ---- */

static int heavier_edge(const void *a, const void *b)
{
    const struct fm_edge *x = a, *y = b;
    int order = fm_compare_number(y->bytes, x->bytes);
    if (!order)
        order = fm_compare_number(y->messages, x->messages);
    return order ? order : fm_edge_compare(x, y);
}

static int edge_order(const void *a, const void *b)
{
    return fm_edge_compare(a, b);
}

/* The edges to be written, at `out`; the others are added to the dropped ones of `kept`. */
static void keep_edges(struct writer *w, const struct fm_edges *edges, struct fm_edge *out, struct fm_edges *kept)
{
    *kept = *edges;
    if (edges->n)
        memcpy(out, edges->items, edges->n * sizeof *out);
    kept->items = out;
    if (!w->large || edges->n <= FM_LARGE_EDGES)
        return;
    if (!fm_sort(out, edges->n, sizeof *out, heavier_edge, &w->scratch))
        w->failed = true;
    for (size_t i = FM_LARGE_EDGES; i < edges->n; i++) {
        fm_add_saturating(&kept->dropped, 1);
        fm_add_saturating(&kept->dropped_messages, out[i].messages);
        fm_add_saturating(&kept->dropped_bytes, out[i].bytes);
        fm_add_saturating(&kept->dropped_ns, out[i].time_ns);
    }
    kept->n = FM_LARGE_EDGES;
    if (!fm_sort(out, kept->n, sizeof *out, edge_order, &w->scratch))
        w->failed = true;
}

static void put_dropped(struct writer *w, const struct fm_edges *edges)
{
    put_number(w, edges->dropped);
    put_number(w, edges->dropped_messages);
    put_number(w, edges->dropped_bytes);
    put_number(w, edges->dropped_ns);
}

static void put_edge_columns(struct writer *w, const struct fm_edge *edges, size_t n_sent, size_t n)
{
    uint32_t *before = fm_arena_alloc(&w->scratch, n * sizeof *before);
    uint64_t *column = room(w, n);
    if (!before || !column) {
        w->failed = true;
        return;
    }
    for (int part = 0; part < FM_EDGE_COLUMNS; part++) {
        fm_edges_before(edges, n_sent, n, part, before);
        for (size_t i = 0; i < n; i++)
            column[i] = fm_edge_get(&edges[i], part);
        fm_pack_column(&w->pack, column, n, before, false);
    }
}

static void put_edges(struct writer *w)
{
    if (w->collecting)
        return;
    const struct fm_profile *p = w->profile;
    struct fm_edge *edges = fm_arena_alloc(&w->scratch, (p->sent.n + p->received.n) * sizeof *edges);
    if (!edges) {
        w->failed = true;
        return;
    }
    struct fm_edges sent, received;
    keep_edges(w, &p->sent, edges, &sent);
    keep_edges(w, &p->received, edges + sent.n, &received);
    put_number(w, sent.n);
    put_number(w, received.n);
    put_dropped(w, &sent);
    put_dropped(w, &received);
    put_edge_columns(w, edges, sent.n, sent.n + received.n);
}

/* ---- snapshots, timers and notes ---- */

/* The numbers of items of nested lists, and all their items in one list; NULL: no memory. */
static const void *put_lists(struct writer *w, const struct fm_nested *nested, const void *outer, size_t n,
                             size_t stride, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        size_t count = *(const size_t *)(const void *)((const char *)outer + i * stride + nested->n);
        put_number(w, count);
        *total += count;
    }
    char *all = fm_arena_alloc(&w->scratch, *total * nested->item_size), *at = all;
    if (!all) {
        w->failed = true;
        *total = 0;
    }
    for (size_t i = 0; all && i < n; i++) {
        const char *item = (const char *)outer + i * stride;
        size_t bytes = *(const size_t *)(const void *)(item + nested->n) * nested->item_size;
        if (bytes)
            memcpy(at, *(const void *const *)(const void *)(item + nested->items), bytes);
        at += bytes;
    }
    return all;
}

static void put_snapshots(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t total;
    put_number(w, p->n_snapshots);
    put_fields(w, &fm_snapshot_fields, p->snapshots, p->n_snapshots, sizeof *p->snapshots);
    const struct fm_snapshot_routine *routines = put_lists(w, &fm_snapshot_routines, p->snapshots, p->n_snapshots,
                                                           sizeof *p->snapshots, &total);
    put_fields(w, &fm_snapshot_routine_fields, routines, total, sizeof *routines);
}

static void put_timers(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t n_groups, n_bins;
    put_number(w, p->n_timers);
    if (!p->n_timers)
        return;
    put_fields(w, &fm_timer_fields, p->timers, p->n_timers, sizeof *p->timers);
    put_fields(w, &fm_spread_fields, &p->timers->events, p->n_timers, sizeof *p->timers);
    put_fields(w, &fm_spread_fields, &p->timers->total_ns, p->n_timers, sizeof *p->timers);
    put_fields(w, &fm_spread_fields, &p->timers->thread_ns, p->n_timers, sizeof *p->timers);
    put_ranksets(w, &p->timers->ranks, p->n_timers, sizeof *p->timers);
    const struct fm_timer_group *groups = put_lists(w, &fm_timer_groups, p->timers, p->n_timers, sizeof *p->timers,
                                                    &n_groups);
    if (!n_groups)
        return;
    put_fields(w, &fm_timer_group_fields, groups, n_groups, sizeof *groups);
    put_ranksets(w, &groups->ranks, n_groups, sizeof *groups);
    const struct fm_timer_bin *bins = put_lists(w, &fm_timer_group_bins, groups, n_groups, sizeof *groups, &n_bins);
    put_fields(w, &fm_timer_bin_fields, bins, n_bins, sizeof *bins);
}

static void put_timer_misuses(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t total;
    const struct fm_misuse *misuses = put_lists(w, &fm_timer_misuses, p->timers, p->n_timers, sizeof *p->timers,
                                                &total);
    put_fields(w, &fm_misuse_fields, misuses, total, sizeof *misuses);
    if (total)
        put_ranksets(w, &misuses->ranks, total, sizeof *misuses);
}

static void put_grid(struct writer *w)
{
    put_fields(w, &fm_grid_fields, &w->profile->job.cart, 1, sizeof w->profile->job.cart);
}

/* The form is made once, before the strings are collected. */
static void make_paths(struct writer *w, bool exact)
{
    if (!fm_paths_fold(&w->profile->paths, exact ? SIZE_MAX : FM_PATHS_IN_FILE, &w->scratch, &w->paths) ||
        !fm_sequence_thin(&w->paths.sequence, exact ? SIZE_MAX : FM_SEQUENCE_IN_FILE, &w->scratch, &w->sequence) ||
        (w->large && !fm_paths_fewer_shares(&w->paths, FM_LARGE_VECTORS, &w->scratch)) ||
        !fm_path_form_make(&w->paths, &w->scratch, &w->path_form))
        w->failed = true;
}

static void put_paths(struct writer *w)
{
    const struct fm_path_form *form = &w->path_form;
    const struct fm_paths *paths = &w->paths;
    const struct fm_path_counts counts = {
        paths->samples, paths->partial, paths->lost, paths->folded_ns, {paths->period_ns[0], paths->period_ns[1]}};
    put_fields(w, &fm_path_count_fields, &counts, 1, sizeof counts);
    put_number(w, form->n_places);
    put_fields(w, &fm_path_place_fields, form->places, form->n_places, sizeof *form->places);
    put_number(w, form->n);
    put_fields(w, &fm_path_record_fields, form->steps, form->n, sizeof *form->steps);
    put_fields(w, &fm_path_figure_fields, form->figures, form->n_figures, sizeof *form->figures);
    put_number(w, paths->n_shares);
    put_fields(w, &fm_path_share_fields, paths->shares, paths->n_shares, sizeof *paths->shares);
}

/* The cells of all rows are one column. */
static void put_sequence(struct writer *w)
{
    const struct fm_sequence *s = &w->sequence;
    put_fields(w, &fm_sequence_fields, s, 1, sizeof *s);
    put_number(w, s->n);
    put_fields(w, &fm_sequence_row_fields, s->rows, s->n, sizeof *s->rows);
    uint64_t *column = w->collecting || !s->n ? NULL : room(w, s->n * s->n_cells);
    if (!column)
        return;
    for (size_t row = 0, at = 0; row < s->n; row++)
        for (uint32_t i = 0; i < s->n_cells; i++)
            column[at++] = s->rows[row].cells[i];
    fm_pack_column(&w->pack, column, s->n * s->n_cells, NULL, false);
}

static void put_notes(struct writer *w)
{
    const struct fm_profile *p = w->profile;
    put_number(w, p->n_notes);
    put_fields(w, &fm_note_fields, p->notes, p->n_notes, sizeof *p->notes);
    if (p->n_notes)
        put_ranksets(w, &p->notes->ranks, p->n_notes, sizeof *p->notes);
}

/* ---- strings ---- */

static int text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t shared_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* Sorted, so that equal profiles have equal tables; numbered from 1, 0 is the empty string. */
static const char **sorted_strings(struct writer *w)
{
    const char **texts = fm_arena_alloc(&w->scratch, w->strings.n * sizeof *texts);
    if (!texts)
        return NULL;
    size_t n = 0;
    for (size_t i = 0; i < w->strings.capacity; i++)
        if (w->strings.slots[i].text)
            texts[n++] = w->strings.slots[i].text;
    if (!fm_sort(texts, n, sizeof *texts, text_order, &w->scratch))
        return NULL;
    for (size_t i = 0; i < n; i++)
        fm_intern_find(&w->strings, texts[i])->number = (uint32_t)i + 1;
    return texts;
}

static void put_strings(struct writer *w)
{
    size_t n = w->strings.n, length = 0;
    const char **texts = sorted_strings(w);
    uint64_t *prefixes = fm_arena_alloc(&w->scratch, n * sizeof *prefixes);
    uint64_t *lengths = fm_arena_alloc(&w->scratch, n * sizeof *lengths);
    if (!texts || !prefixes || !lengths) {
        w->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        prefixes[i] = i ? shared_prefix(texts[i - 1], texts[i]) : 0;
        lengths[i] = strlen(texts[i]) - prefixes[i];
        length += lengths[i];
    }
    char *suffixes = fm_arena_alloc(&w->scratch, length);
    if (!suffixes) {
        w->failed = true;
        return;
    }
    length = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(suffixes + length, texts[i] + prefixes[i], lengths[i]);
        length += lengths[i];
    }
    put_number(w, n);
    fm_pack_column(&w->pack, prefixes, n, NULL, false);
    fm_pack_column(&w->pack, lengths, n, NULL, false);
    fm_pack_text(&w->pack, suffixes, length);
}

/* ---- the file ---- */

static void put_bytes(struct writer *w, const void *bytes, size_t n)
{
    uint8_t *out = fm_arena_grow(&w->scratch, w->out, &w->out_capacity, w->n_out + n, 1);
    if (!out) {
        w->failed = true;
        return;
    }
    w->out = out;
    if (n)
        memcpy(out + w->n_out, bytes, n);
    w->n_out += n;
}

static void put_fixed(struct writer *w, uint64_t value, size_t bytes)
{
    uint8_t little[8];
    for (size_t i = 0; i < bytes; i++)
        little[i] = (uint8_t)(value >> 8 * i);
    put_bytes(w, little, bytes);
}

static void put_varint(struct writer *w, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value > 127; value >>= 7)
        bytes[n++] = (uint8_t)(value | 128);
    bytes[n++] = (uint8_t)value;
    put_bytes(w, bytes, n);
}

static void (*const sections[])(struct writer *) = {
    [FM_FILE_STRINGS] = put_strings,
    [FM_FILE_JOB] = put_job,
    [FM_FILE_HOSTS] = put_hosts,
    [FM_FILE_PROCESSES] = put_processes,
    [FM_FILE_ROUTINES] = put_routines,
    [FM_FILE_PER_RANK] = put_per_rank,
    [FM_FILE_EVENTS] = put_events,
    [FM_FILE_REGIONS] = put_regions,
    [FM_FILE_EDGES] = put_edges,
    [FM_FILE_SNAPSHOTS] = put_snapshots,
    [FM_FILE_NOTES] = put_notes,
    [FM_FILE_TIMERS] = put_timers,
    [FM_FILE_TIMER_MISUSES] = put_timer_misuses,
    [FM_FILE_GRID] = put_grid,
    [FM_FILE_PATHS] = put_paths,
    [FM_FILE_SEQUENCE] = put_sequence,
};
enum { FM_SECTIONS_END = sizeof sections / sizeof *sections };

static void put_file(struct writer *w)
{
    w->collecting = true;
    for (size_t id = FM_FILE_JOB; id < FM_SECTIONS_END; id++)
        sections[id](w);
    w->collecting = false;
    put_bytes(w, FM_PROFILE_MAGIC, 8);
    put_fixed(w, FM_PROFILE_VERSION, 4);
    put_fixed(w, 0, 8); /* the size, known at the end */
    for (size_t id = FM_FILE_STRINGS; id < FM_SECTIONS_END && !w->failed; id++) {
        fm_pack_begin(&w->pack, &w->scratch);
        sections[id](w);
        fm_pack_end(&w->pack);
        w->failed |= w->pack.failed;
        put_varint(w, id);
        put_varint(w, w->pack.n);
        put_bytes(w, w->pack.bytes, w->pack.n);
    }
    if (w->failed)
        return;
    for (size_t i = 0, size = w->n_out + FM_FILE_TAIL; i < 8; i++)
        w->out[12 + i] = (uint8_t)(size >> 8 * i);
    put_fixed(w, fm_crc64(w->out, w->n_out), 8);
}

static enum fm_status encode(const struct fm_profile *profile, bool large, bool exact, struct fm_arena *arena,
                             const void **bytes, size_t *size, struct fm_error *error)
{
    struct writer w = {.profile = profile, .large = large};
    make_paths(&w, exact);
    if (!w.failed)
        put_file(&w);
    void *result = w.failed ? NULL : fm_arena_alloc(arena, w.n_out);
    if (result) {
        memcpy(result, w.out, w.n_out);
        *bytes = result;
        *size = w.n_out;
    }
    fm_arena_destroy(&w.scratch);
    return result ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "no memory left to encode the profile");
}

enum fm_status fm_profile_encode(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                 size_t *size, struct fm_error *error)
{
    return encode(profile, profile->n_processes > FM_LARGE_RANKS, false, arena, bytes, size, error);
}

enum fm_status fm_profile_encode_exact(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                       size_t *size, struct fm_error *error)
{
    return encode(profile, false, true, arena, bytes, size, error);
}
