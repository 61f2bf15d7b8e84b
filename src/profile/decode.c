#include <string.h>

#include "profile/check.h"
#include "profile/crc.h"
#include "profile/edges.h"
#include "profile/encode.h"
#include "profile/fields.h"
#include "profile/pack.h"
#include "profile/strings.h"

/* The mirror of encode.c. Whatever goes wrong first is kept in `wrong`; the other readers then do nothing more. */
struct reader {
    struct fm_arena scratch;
    struct fm_profile *profile;
    struct fm_unpacker unpack;
    size_t section_bytes;
    const char *wrong; /* what is wrong with the data */
    bool no_memory;
    const char **strings; /* [0] = "" */
    size_t n_strings;
    uint64_t *column;
    size_t column_capacity;
};

static bool stopped(struct reader *r)
{
    if (r->unpack.failed && !r->wrong)
        r->wrong = "a part of it ends too early";
    return r->wrong || r->no_memory;
}

static void *take(struct reader *r, struct fm_arena *arena, size_t n, size_t item_size)
{
    void *memory = n > SIZE_MAX / 4 / item_size ? NULL : fm_arena_alloc(arena, n * item_size);
    if (!memory)
        r->no_memory = true;
    return memory;
}

/* How many items follow. A byte of the file cannot hold more than about 700 numbers (doc/FORMAT.md), so larger counts
 * are damage; this bounds what a small file can make us allocate. */
static size_t get_count(struct reader *r, size_t columns)
{
    uint64_t n = stopped(r) ? 0 : fm_unpack_number(&r->unpack);
    if (n > (uint64_t)r->section_bytes * 1024 / columns + 1024 && !r->wrong)
        r->wrong = "a count in it is impossible";
    return stopped(r) ? 0 : (size_t)n;
}

static uint64_t *get_column(struct reader *r, size_t n, const uint32_t *before)
{
    if (stopped(r))
        return NULL;
    uint64_t *column = fm_arena_grow(&r->scratch, r->column, &r->column_capacity, n, sizeof *column);
    if (!column) {
        r->no_memory = true;
        return NULL;
    }
    r->column = column;
    fm_unpack_column(&r->unpack, column, n, before);
    return stopped(r) ? NULL : column;
}

static void set_text(struct reader *r, const struct fm_field *field, char *item, uint64_t number)
{
    if (number >= r->n_strings)
        r->wrong = "it names a text that is not there";
    else
        *(const char **)(void *)(item + field->offset) = r->strings[number];
}

static void get_fields(struct reader *r, const struct fm_fields *fields, void *items, size_t n, size_t stride)
{
    for (size_t f = 0; f < fields->n && n; f++) {
        const struct fm_field *field = &fields->list[f];
        const uint64_t *column = get_column(r, n, NULL);
        char *item = items;
        for (size_t i = 0; column && i < n; i++, item += stride) {
            if (field->kind == FM_FIELD_TEXT)
                set_text(r, field, item, column[i]);
            else
                fm_field_set(field, item, column[i]);
        }
    }
}

/* The sum of a column of counts, bounded like any count. */
static size_t total_of(struct reader *r, const uint64_t *column, size_t n, uint64_t most)
{
    uint64_t total = 0, limit = (uint64_t)r->section_bytes * 1024 + 1024;
    for (size_t i = 0; column && i < n; i++) {
        if (column[i] > most || column[i] > limit - total) {
            r->wrong = "a count in it is impossible";
            return 0;
        }
        total += column[i];
    }
    return (size_t)total;
}

static struct fm_rankset *set_at(void *sets, size_t i, size_t stride)
{
    return (void *)((char *)sets + i * stride);
}

static void get_ranksets(struct reader *r, void *sets, size_t n, size_t stride)
{
    const uint64_t *column = get_column(r, n, NULL);
    size_t total = total_of(r, column, n, UINT32_MAX);
    struct fm_range *ranges = take(r, &r->profile->arena, total, sizeof *ranges);
    for (size_t i = 0, at = 0; column && !stopped(r) && i < n; i++) {
        size_t count = (size_t)column[i];
        *set_at(sets, i, stride) = (struct fm_rankset){ranges + at, count, count};
        at += count;
    }
    column = get_column(r, total, NULL);
    for (size_t i = 0; column && i < total; i++)
        ranges[i].first = (uint32_t)column[i];
    column = get_column(r, total, NULL);
    for (size_t i = 0, at = 0; column && i < n; i++) {
        struct fm_rankset *set = set_at(sets, i, stride);
        for (size_t k = 0; k < set->n; k++, at++) {
            if (k)
                set->ranges[k].first += set->ranges[k - 1].last;
            set->ranges[k].last = set->ranges[k].first + (uint32_t)column[at];
        }
    }
}

static struct fm_histogram *histogram_at(void *stats, size_t i, size_t stride)
{
    return &((struct fm_stats *)(void *)((char *)stats + i * stride))->histogram;
}

static void get_histograms(struct reader *r, void *stats, size_t n, size_t stride)
{
    const uint64_t *column = get_column(r, n, NULL);
    size_t total = total_of(r, column, n, FM_DURATION_BINS);
    uint8_t *used = take(r, &r->scratch, n, 1), *bins = take(r, &r->scratch, total, 1);
    if (stopped(r))
        return;
    for (size_t i = 0; i < n; i++)
        used[i] = (uint8_t)column[i];
    column = get_column(r, total, NULL);
    for (size_t i = 0, at = 0; column && i < n; i++) {
        uint64_t next = 0;
        for (unsigned k = 0; k < used[i]; k++, at++) {
            next += column[at] < FM_DURATION_BINS ? column[at] : FM_DURATION_BINS;
            if (next >= FM_DURATION_BINS) {
                r->wrong = "a histogram has too many bins";
                return;
            }
            bins[at] = (uint8_t)next++;
        }
    }
    column = get_column(r, total, NULL);
    for (size_t i = 0, at = 0; column && i < n; i++)
        for (unsigned k = 0; k < used[i]; k++, at++)
            histogram_at(stats, i, stride)->bins[bins[at]] = column[at];
}

static void get_stats(struct reader *r, void *stats, size_t n, size_t stride)
{
    get_fields(r, &fm_stats_fields, stats, n, stride);
    get_histograms(r, stats, n, stride);
}

/* ---- sections ---- */

static void get_strings(struct reader *r)
{
    size_t n = get_count(r, 2);
    uint64_t *prefixes = take(r, &r->scratch, n, sizeof *prefixes);
    const char **strings = take(r, &r->scratch, n + 1, sizeof *strings);
    const uint64_t *column = get_column(r, n, NULL);
    if (stopped(r))
        return;
    memcpy(prefixes, column, n * sizeof *prefixes);
    column = get_column(r, n, NULL);
    size_t total = total_of(r, column, n, UINT32_MAX), longest = 0, whole = 0;
    for (size_t i = 0, last = 0; column && i < n && !r->wrong; i++) {
        if (prefixes[i] > last || !column[i] || whole > FM_MAX_TEXT)
            r->wrong = "its texts are not in order";
        last = (size_t)(prefixes[i] + column[i]);
        whole += last + 1;
        longest = last > longest ? last : longest;
    }
    char *suffixes = take(r, &r->scratch, total, 1), *text = take(r, &r->scratch, longest + 1, 1);
    if (stopped(r))
        return;
    fm_unpack_text(&r->unpack, suffixes, total);
    strings[0] = "";
    for (size_t i = 0; i < n && !stopped(r); i++) {
        memcpy(text + prefixes[i], suffixes, column[i]);
        text[prefixes[i] + column[i]] = 0;
        suffixes += column[i];
        strings[i + 1] = fm_profile_intern(r->profile, text);
        if (!strings[i + 1])
            r->no_memory = true;
        else if (strlen(text) != prefixes[i] + column[i] || strcmp(strings[i], strings[i + 1]) >= 0)
            r->wrong = "its texts are not in order";
    }
    r->strings = strings;
    r->n_strings = n + 1;
}

static void get_job(struct reader *r)
{
    struct fm_job *job = &r->profile->job;
    get_fields(r, &fm_job_fields, job, 1, sizeof *job);
    size_t n = get_count(r, 1);
    job->argv = take(r, &r->profile->arena, n, sizeof *job->argv);
    get_fields(r, &fm_text_fields, job->argv, n, sizeof *job->argv);
    job->n_argv = n;
    n = get_count(r, 2);
    job->env = take(r, &r->profile->arena, n, sizeof *job->env);
    get_fields(r, &fm_name_value_fields, job->env, n, sizeof *job->env);
    job->n_env = n;
}

static void get_hosts(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_host_fields.n);
    p->hosts = take(r, &p->arena, n, sizeof *p->hosts);
    if (stopped(r) || !n)
        return;
    p->n_hosts = p->hosts_capacity = n;
    get_fields(r, &fm_host_fields, p->hosts, n, sizeof *p->hosts);
    get_ranksets(r, &p->hosts->ranks, n, sizeof *p->hosts);
}

static void get_processes(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_process_fields.n);
    p->processes = take(r, &p->arena, n, sizeof *p->processes);
    if (stopped(r) || !n)
        return;
    p->n_processes = p->processes_capacity = n;
    get_fields(r, &fm_process_fields, p->processes, n, sizeof *p->processes);
}

static void get_routines(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_routine_fields.n + fm_stats_fields.n + 3 * fm_spread_fields.n);
    struct fm_routine_total *routines = take(r, &p->arena, n, sizeof *routines);
    if (stopped(r) || !n)
        return;
    p->routines = routines;
    p->n_routines = p->routines_capacity = n;
    get_fields(r, &fm_routine_fields, routines, n, sizeof *routines);
    get_stats(r, &routines->stats, n, sizeof *routines);
    get_fields(r, &fm_spread_fields, &routines->time_ns, n, sizeof *routines);
    get_fields(r, &fm_spread_fields, &routines->calls, n, sizeof *routines);
    get_fields(r, &fm_spread_fields, &routines->bytes, n, sizeof *routines);
    get_ranksets(r, &routines->ranks, n, sizeof *routines);
}

static void get_per_rank(struct reader *r)
{
    struct fm_profile *p = r->profile;
    for (size_t i = 0; i < p->n_routines && !stopped(r); i++) {
        struct fm_routine_total *routine = &p->routines[i];
        size_t n = get_count(r, fm_rank_value_fields.n);
        routine->per_rank = take(r, &p->arena, n, sizeof *routine->per_rank);
        if (stopped(r))
            return;
        routine->n_per_rank = routine->per_rank_capacity = n;
        get_fields(r, &fm_rank_value_fields, routine->per_rank, n, sizeof *routine->per_rank);
    }
}

static void get_events(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_event_fields.n + fm_stats_fields.n);
    p->events = take(r, &p->arena, n, sizeof *p->events);
    if (stopped(r) || !n)
        return;
    p->n_events = p->events_capacity = n;
    get_fields(r, &fm_event_fields, p->events, n, sizeof *p->events);
    get_stats(r, &p->events->stats, n, sizeof *p->events);
}

static void get_regions(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_region_fields.n + fm_spread_fields.n);
    p->regions = take(r, &p->arena, n, sizeof *p->regions);
    if (stopped(r) || !n)
        return;
    p->n_regions = p->regions_capacity = n;
    get_fields(r, &fm_region_fields, p->regions, n, sizeof *p->regions);
    get_fields(r, &fm_spread_fields, &p->regions->wall_per_rank, n, sizeof *p->regions);
    get_ranksets(r, &p->regions->ranks, n, sizeof *p->regions);
}

static void get_dropped(struct reader *r, struct fm_edges *edges)
{
    edges->dropped = fm_unpack_number(&r->unpack);
    edges->dropped_messages = fm_unpack_number(&r->unpack);
    edges->dropped_bytes = fm_unpack_number(&r->unpack);
    edges->dropped_ns = fm_unpack_number(&r->unpack);
}

static void get_edges(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n_sent = get_count(r, FM_EDGE_COLUMNS), n = n_sent + get_count(r, FM_EDGE_COLUMNS);
    struct fm_edge *edges = take(r, &p->arena, n, sizeof *edges);
    uint32_t *before = take(r, &r->scratch, n, sizeof *before);
    if (n > UINT32_MAX)
        r->wrong = "a count in it is impossible";
    if (stopped(r))
        return;
    get_dropped(r, &p->sent);
    get_dropped(r, &p->received);
    for (int part = 0; part < FM_EDGE_COLUMNS; part++) {
        if (part == FM_EDGE_MESSAGES && !fm_edges_sorted(edges, n_sent))
            r->wrong = "its edges are not in order";
        if (stopped(r))
            return;
        fm_edges_before(edges, n_sent, n, part, before);
        const uint64_t *column = get_column(r, n, before);
        for (size_t i = 0; column && i < n; i++)
            fm_edge_set(&edges[i], part, column[i]);
    }
    p->sent.items = edges;
    p->sent.n = p->sent.capacity = n_sent;
    p->received.items = edges + n_sent;
    p->received.n = p->received.capacity = n - n_sent;
}

/* Nested lists: their numbers of items, and room for all items in one list, of which each outer item gets its part.
 * n_fields: of an item, each a column. */
static void *get_lists(struct reader *r, const struct fm_nested *nested, size_t n_fields, void *outer, size_t n,
                       size_t stride, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < n && !stopped(r); i++)
        *total += *(size_t *)(void *)((char *)outer + i * stride + nested->n) = get_count(r, n_fields);
    if (*total > r->section_bytes * 1024 + 1024 && !r->wrong)
        r->wrong = "a count in it is impossible";
    char *items = stopped(r) ? NULL : take(r, &r->profile->arena, *total, nested->item_size), *at = items;
    for (size_t i = 0; items && i < n; i++) {
        char *item = (char *)outer + i * stride;
        *(void **)(void *)(item + nested->items) = at;
        at += *(const size_t *)(const void *)(item + nested->n) * nested->item_size;
    }
    return items;
}

static void get_snapshots(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_snapshot_fields.n), total;
    p->snapshots = take(r, &p->arena, n, sizeof *p->snapshots);
    if (stopped(r) || !n)
        return;
    get_fields(r, &fm_snapshot_fields, p->snapshots, n, sizeof *p->snapshots);
    struct fm_snapshot_routine *routines = get_lists(r, &fm_snapshot_routines, fm_snapshot_routine_fields.n,
                                                     p->snapshots, n, sizeof *p->snapshots, &total);
    if (stopped(r))
        return;
    get_fields(r, &fm_snapshot_routine_fields, routines, total, sizeof *routines);
    p->n_snapshots = p->snapshots_capacity = n;
}

static void get_timers(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_timer_fields.n), n_groups, n_bins;
    p->timers = take(r, &p->arena, n, sizeof *p->timers);
    if (stopped(r) || !n)
        return;
    get_fields(r, &fm_timer_fields, p->timers, n, sizeof *p->timers);
    get_fields(r, &fm_spread_fields, &p->timers->events, n, sizeof *p->timers);
    get_fields(r, &fm_spread_fields, &p->timers->total_ns, n, sizeof *p->timers);
    get_fields(r, &fm_spread_fields, &p->timers->thread_ns, n, sizeof *p->timers);
    get_ranksets(r, &p->timers->ranks, n, sizeof *p->timers);
    struct fm_timer_group *groups = get_lists(r, &fm_timer_groups, fm_timer_group_fields.n, p->timers, n,
                                              sizeof *p->timers, &n_groups);
    if (stopped(r))
        return;
    for (size_t i = 0; i < n; i++)
        p->timers[i].groups_capacity = p->timers[i].n_groups;
    if (n_groups) {
        get_fields(r, &fm_timer_group_fields, groups, n_groups, sizeof *groups);
        get_ranksets(r, &groups->ranks, n_groups, sizeof *groups);
        struct fm_timer_bin *bins = get_lists(r, &fm_timer_group_bins, fm_timer_bin_fields.n, groups, n_groups,
                                              sizeof *groups, &n_bins);
        if (stopped(r))
            return;
        get_fields(r, &fm_timer_bin_fields, bins, n_bins, sizeof *bins);
    }
    p->n_timers = p->timers_capacity = n;
}

static void get_timer_misuses(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t total;
    struct fm_misuse *misuses = get_lists(r, &fm_timer_misuses, fm_misuse_fields.n, p->timers, p->n_timers,
                                          sizeof *p->timers, &total);
    if (stopped(r) || !total)
        return;
    for (size_t i = 0; i < p->n_timers; i++)
        p->timers[i].misuses_capacity = p->timers[i].n_misuses;
    get_fields(r, &fm_misuse_fields, misuses, total, sizeof *misuses);
    get_ranksets(r, &misuses->ranks, total, sizeof *misuses);
}

static void get_grid(struct reader *r)
{
    get_fields(r, &fm_grid_fields, &r->profile->job.cart, 1, sizeof r->profile->job.cart);
}

static void get_path_counts(struct reader *r, struct fm_paths *paths)
{
    struct fm_path_counts counts = {0};
    get_fields(r, &fm_path_count_fields, &counts, 1, sizeof counts);
    paths->samples = counts.samples;
    paths->partial = counts.partial;
    paths->lost = counts.lost;
    paths->folded_ns = counts.folded_ns;
    paths->period_ns[0] = counts.period_ns[0];
    paths->period_ns[1] = counts.period_ns[1];
}

static void get_path_nodes(struct reader *r, struct fm_paths *paths)
{
    struct fm_path_form form = {.n_places = get_count(r, fm_path_place_fields.n)};
    form.places = take(r, &r->scratch, form.n_places, sizeof *form.places);
    if (stopped(r))
        return;
    get_fields(r, &fm_path_place_fields, form.places, form.n_places, sizeof *form.places);
    form.n = get_count(r, fm_path_record_fields.n);
    form.steps = take(r, &r->scratch, form.n, sizeof *form.steps);
    if (stopped(r))
        return;
    get_fields(r, &fm_path_record_fields, form.steps, form.n, sizeof *form.steps);
    if (stopped(r))
        return;
    form.n_figures = fm_path_form_count(&form, &r->wrong);
    form.figures = take(r, &r->scratch, form.n_figures, sizeof *form.figures);
    struct fm_path *nodes = take(r, &r->profile->arena, form.n, sizeof *nodes);
    if (stopped(r))
        return;
    get_fields(r, &fm_path_figure_fields, form.figures, form.n_figures, sizeof *form.figures);
    if (!stopped(r) && !fm_path_form_read(&form, &r->scratch, nodes))
        r->no_memory = true;
    paths->nodes = nodes;
    paths->n = paths->capacity = form.n;
}

static void get_paths(struct reader *r)
{
    struct fm_paths *paths = &r->profile->paths;
    get_path_counts(r, paths);
    get_path_nodes(r, paths);
    size_t n = get_count(r, fm_path_share_fields.n);
    struct fm_path_share *shares = take(r, &r->profile->arena, n, sizeof *shares);
    if (stopped(r))
        return;
    get_fields(r, &fm_path_share_fields, shares, n, sizeof *shares);
    paths->shares = shares;
    paths->n_shares = paths->shares_capacity = n;
}

static void get_sequence(struct reader *r)
{
    struct fm_sequence *s = &r->profile->paths.sequence;
    get_fields(r, &fm_sequence_fields, s, 1, sizeof *s);
    size_t n = get_count(r, 1);
    if (!stopped(r) && (n > FM_SEQUENCE_ROWS || s->n_cells > FM_SEQUENCE_CELLS))
        r->wrong = "its sequence is impossible";
    s->rows = take(r, &r->profile->arena, n, sizeof *s->rows);
    if (stopped(r))
        return;
    get_fields(r, &fm_sequence_row_fields, s->rows, n, sizeof *s->rows);
    const uint64_t *column = n ? get_column(r, n * s->n_cells, NULL) : NULL;
    for (size_t row = 0, at = 0; column && row < n; row++) {
        uint32_t *cells = take(r, &r->profile->arena, FM_SEQUENCE_CELLS, sizeof *cells);
        for (uint32_t i = 0; cells && i < s->n_cells; i++, at++)
            cells[i] = column[at] < UINT32_MAX ? (uint32_t)column[at] : UINT32_MAX;
        s->rows[row].cells = cells;
    }
    s->n = s->capacity = n;
}

static void get_notes(struct reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = get_count(r, fm_note_fields.n);
    p->notes = take(r, &p->arena, n, sizeof *p->notes);
    if (stopped(r) || !n)
        return;
    p->n_notes = p->notes_capacity = n;
    get_fields(r, &fm_note_fields, p->notes, n, sizeof *p->notes);
    get_ranksets(r, &p->notes->ranks, n, sizeof *p->notes);
}

/* ---- the file ---- */

static void (*const sections[])(struct reader *) = {
    [FM_FILE_STRINGS] = get_strings,
    [FM_FILE_JOB] = get_job,
    [FM_FILE_HOSTS] = get_hosts,
    [FM_FILE_PROCESSES] = get_processes,
    [FM_FILE_ROUTINES] = get_routines,
    [FM_FILE_PER_RANK] = get_per_rank,
    [FM_FILE_EVENTS] = get_events,
    [FM_FILE_REGIONS] = get_regions,
    [FM_FILE_EDGES] = get_edges,
    [FM_FILE_SNAPSHOTS] = get_snapshots,
    [FM_FILE_NOTES] = get_notes,
    [FM_FILE_TIMERS] = get_timers,
    [FM_FILE_TIMER_MISUSES] = get_timer_misuses,
    [FM_FILE_GRID] = get_grid,
    [FM_FILE_PATHS] = get_paths,
    [FM_FILE_SEQUENCE] = get_sequence,
};
enum { FM_SECTIONS_END = sizeof sections / sizeof *sections };

static uint64_t get_fixed(const uint8_t *bytes, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static uint64_t get_varint(struct reader *r, const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (*at == end)
            break;
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    r->wrong = "a part of it ends too early";
    return 0;
}

/* Sections come in rising order, each at most once; unknown ones are from a later Fathom and are skipped. */
static void get_sections(struct reader *r, const uint8_t *at, const uint8_t *end)
{
    uint64_t last = 0;
    while (at < end && !stopped(r)) {
        uint64_t id = get_varint(r, &at, end), size = get_varint(r, &at, end);
        if (!r->wrong && (id <= last || size > (uint64_t)(end - at)))
            r->wrong = "its parts are not in order";
        if (stopped(r))
            return;
        if (id < FM_SECTIONS_END) {
            r->section_bytes = (size_t)size;
            fm_unpack_begin(&r->unpack, at, (size_t)size);
            sections[id](r);
        }
        last = id;
        at += size;
    }
}

static enum fm_status check_frame(const uint8_t *bytes, size_t size, const char *origin, struct fm_error *error)
{
    if (size < 8 || memcmp(bytes, FM_PROFILE_MAGIC, 8))
        return fm_fail(error, FM_ERR_INPUT, "%s is not a Fathom profile", origin);
    if (size < FM_FILE_HEAD + FM_FILE_TAIL)
        return fm_fail(error, FM_ERR_INPUT, "%s is cut short: copy it again from where it was written", origin);
    unsigned version = (unsigned)get_fixed(bytes + 8, 4);
    if (version > FM_PROFILE_VERSION)
        return fm_fail(error, FM_ERR_INPUT,
                       "%s was written by a newer Fathom (format %u; this one reads up to %d): update Fathom", origin,
                       version, FM_PROFILE_VERSION);
    uint64_t whole = get_fixed(bytes + 12, 8);
    if (size < whole)
        return fm_fail(error, FM_ERR_INPUT,
                       "%s is cut short (%zu of %llu bytes): copy it again from where it was written", origin, size,
                       (unsigned long long)whole);
    if (!version || size > whole || get_fixed(bytes + size - 8, 8) != fm_crc64(bytes, size - 8))
        return fm_fail(error, FM_ERR_INPUT,
                       "%s is damaged (its checksum does not match): copy it again from where it was written", origin);
    return FM_OK;
}

enum fm_status fm_profile_decode(const void *bytes, size_t size, const char *origin, struct fm_profile **profile,
                                 struct fm_error *error)
{
    enum fm_status status = check_frame(bytes, size, origin, error);
    if (status)
        return status;
    static const char *const no_strings[] = {""};
    struct reader r = {.profile = fm_profile_create(), .strings = (const char **)no_strings, .n_strings = 1};
    if (!r.profile)
        return fm_fail(error, FM_ERR_MEMORY, "no memory left to read %s", origin);
    get_sections(&r, (const uint8_t *)bytes + FM_FILE_HEAD, (const uint8_t *)bytes + size - FM_FILE_TAIL);
    if (!stopped(&r))
        r.wrong = fm_profile_check(r.profile);
    if (r.no_memory)
        status = fm_fail(error, FM_ERR_MEMORY, "no memory left to read %s", origin);
    else if (r.wrong)
        status = fm_fail(error, FM_ERR_INPUT, "%s is damaged (%s): copy it again from where it was written", origin,
                         r.wrong);
    fm_arena_destroy(&r.scratch);
    if (status)
        fm_profile_destroy(r.profile);
    else
        *profile = r.profile;
    return status;
}
