/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a segment: entries, calls in progress and pending receives become the events, routines and edges of one
 * process. They are sorted by small numbers that represent their strings, so that a hundred thousand segments can be
 * read in seconds. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "generated/routines.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/strings.h"

/* An event being converted: its sort key and its source. */
struct event_key {
    uint64_t names;  /* routine << 32 | region << 16 | size bin, by their order */
    uint64_t place;  /* size of the communicator << 32 | order of the load module */
    uint64_t offset; /* of the call site in its load module */
    uint32_t source; /* entry number; n_entries and above: extra */
    uint16_t routine, region;
    const struct fm_mapped_module *module;
};

struct events {
    struct fm_segment_reader *reader;
    struct fm_arena *scratch;
    struct event_key *items;
    size_t n_items, items_capacity;
    struct fm_entry *extra; /* calls in progress and pending receives */
    size_t n_extra, extra_capacity, n_entries;
    struct fm_edge *sent, *received;
    size_t n_sent, sent_capacity, n_received, received_capacity;
    uint16_t *routine_orders; /* those in use are numbered from 1 */
};

/* ---- collecting ---- */

static enum fm_status add_item(struct events *e, const struct fm_key *key, uint32_t source)
{
    struct fm_segment_reader *r = e->reader;
    if (key->routine >= r->routines.n || key->size_bin >= FM_SIZE_BINS)
        return fm_segment_reader_damage(r, "an event has an invalid key");
    struct event_key *items = fm_arena_grow(e->scratch, e->items, &e->items_capacity, e->n_items + 1, sizeof *items);
    if (!items)
        return fm_segment_reader_no_memory(r);
    e->items = items;
    size_t region = key->site_region & 0xffff;
    if (region >= r->n_paths - 1 && region)
        region = r->n_paths - 1;
    uint64_t address = key->site_region >> 16;
    const struct fm_mapped_module *module = fm_mapped_module_at(&e->reader->modules, address,
                                                                e->n_items ? items[e->n_items - 1].module : NULL);
    bool collective = fm_routine_class_in(&r->routines, key->routine) == FM_CLASS_COLLECTIVE &&
                      key->peer < FM_PEER_OTHER;
    e->routine_orders[key->routine] = 1;
    items[e->n_items++] = (struct event_key){
        .names = (uint64_t)r->path_orders[region] << 16 | key->size_bin,
        .place = (uint64_t)(collective ? key->peer : 0) << 32 | (module ? module->order : 0),
        .offset = module ? address - module->bias : 0,
        .source = source,
        .routine = key->routine,
        .region = (uint16_t)region,
        .module = module,
    };
    return FM_OK;
}

static enum fm_status add_extra(struct events *e, const struct fm_entry *entry)
{
    struct fm_entry *extra = fm_arena_grow(e->scratch, e->extra, &e->extra_capacity, e->n_extra + 1, sizeof *extra);
    if (!extra)
        return fm_segment_reader_no_memory(e->reader);
    e->extra = extra;
    extra[e->n_extra] = *entry;
    return add_item(e, &entry->key, (uint32_t)(e->n_entries + e->n_extra++));
}

/* One call with this duration and without a size. */
static struct fm_entry single_call(uint16_t routine, uint64_t site_region, uint64_t duration)
{
    struct fm_entry entry = {
        .key = {.peer = FM_PEER_NONE, .routine = routine, .size_bin = FM_SIZE_NONE, .site_region = site_region},
        .count = 1,
        .total_ns = duration,
        .extremes.min_ns = duration,
        .extremes.max_ns = duration,
        .extremes.min_event = 1,
        .extremes.max_event = 1,
    };
    entry.histogram[fm_duration_bin(duration)] = 1;
    return entry;
}

static enum fm_status add_calls_in_progress(struct events *e)
{
    struct fm_segment_reader *r = e->reader;
    for (size_t slot = 0; slot < fm_segment_items(&r->view, FM_SECTION_THREADS); slot++) {
        struct fm_segment_thread thread;
        fm_segment_reader_thread(r, slot, &thread);
        if (!thread.call_routine)
            continue;
        if (thread.call_routine > r->routines.n)
            return fm_segment_reader_damage(r, "a call in progress has an invalid key");
        uint64_t start = fm_segment_reader_call_start(r, &thread);
        uint64_t duration = start && start < r->now_ns ? r->now_ns - start : 0;
        if (duration > r->wall_ns)
            duration = r->wall_ns;
        uint64_t site_region = thread.call_site << 16 | (thread.region < UINT16_MAX ? thread.region : UINT16_MAX);
        struct fm_entry entry = single_call((uint16_t)(thread.call_routine - 1), site_region, duration);
        enum fm_status status = add_extra(e, &entry);
        if (status)
            return status;
    }
    return FM_OK;
}

static enum fm_status add_pending(struct events *e)
{
    for (size_t i = 0; i < fm_segment_items(&e->reader->view, FM_SECTION_REQUESTS); i++) {
        struct fm_request request;
        fm_segment_item(&e->reader->view, FM_SECTION_REQUESTS, i, &request, sizeof request);
        if (!request.handle || (request.kind & FM_REQUEST_KIND) != FM_REQUEST_RECEIVE)
            continue;
        struct fm_entry entry = single_call(request.routine, request.site_region,
                                            fm_segment_reader_ns(e->reader, request.duration_ns));
        entry.count_arguments = request.count_argument;
        enum fm_status status = add_extra(e, &entry);
        if (status)
            return status;
    }
    return FM_OK;
}

static enum fm_status collect(struct events *e)
{
    const struct fm_segment_view *view = &e->reader->view;
    e->n_entries = fm_segment_items(view, FM_SECTION_ENTRIES);
    e->routine_orders = fm_arena_alloc(e->scratch, e->reader->routines.n * sizeof *e->routine_orders);
    e->items = fm_arena_grow(e->scratch, NULL, &e->items_capacity, e->n_entries, sizeof *e->items);
    if (!e->items || !e->routine_orders)
        return fm_segment_reader_no_memory(e->reader);
    for (size_t i = 0; i < e->n_entries; i++) {
        struct fm_key key;
        fm_segment_item(view, FM_SECTION_ENTRIES, i, &key, sizeof key); /* the first member of an entry */
        enum fm_status status = add_item(e, &key, (uint32_t)i);
        if (status)
            return status;
    }
    enum fm_status status = add_calls_in_progress(e);
    return status ? status : add_pending(e);
}

/* ---- order ---- */

static int compare_items(const void *a, const void *b)
{
    const struct event_key *x = a, *y = b;
    if (x->names != y->names)
        return fm_compare_number(x->names, y->names);
    return x->place != y->place ? fm_compare_number(x->place, y->place) : fm_compare_number(x->offset, y->offset);
}

static bool sort_items(struct events *e)
{
    if (!fm_order_routines(e->reader, e->routine_orders))
        return false;
    for (size_t i = 0; i < e->n_items; i++)
        e->items[i].names |= (uint64_t)e->routine_orders[e->items[i].routine] << 32;
    return fm_sort(e->items, e->n_items, sizeof *e->items, compare_items, e->scratch);
}

/* ---- edges ---- */

static enum fm_status add_edge(struct events *e, struct fm_edges *edges, struct fm_edge edge, uint32_t peer)
{
    struct fm_segment_reader *r = e->reader;
    if (peer == FM_PEER_NONE || (!edge.messages && !edge.bytes))
        return FM_OK;
    uint32_t world = (uint32_t)r->view.header.world_size;
    if (peer >= world || r->rank == FM_NO_RANK) {
        fm_add_saturating(&edges->dropped, 1);
        fm_add_saturating(&edges->dropped_messages, edge.messages);
        fm_add_saturating(&edges->dropped_bytes, edge.bytes);
        fm_add_saturating(&edges->dropped_ns, edge.time_ns);
        return FM_OK;
    }
    bool is_sent = edges == &r->profile->sent;
    struct fm_edge **list = is_sent ? &e->sent : &e->received;
    size_t *n = is_sent ? &e->n_sent : &e->n_received;
    size_t *capacity = is_sent ? &e->sent_capacity : &e->received_capacity;
    struct fm_edge *larger = fm_arena_grow(e->scratch, *list, capacity, *n + 1, sizeof *larger);
    if (!larger)
        return fm_segment_reader_no_memory(r);
    *list = larger;
    larger[(*n)++] = edge;
    return FM_OK;
}

static enum fm_status add_edges_of(struct events *e, const struct fm_entry *entry, unsigned class, uint32_t peer)
{
    struct fm_profile *profile = e->reader->profile;
    struct fm_edge sent = {e->reader->rank, peer, entry->messages, entry->bytes_sent, entry->total_ns};
    struct fm_edge received = {peer, e->reader->rank, entry->messages, entry->bytes_received, entry->total_ns};
    if (class == FM_CLASS_SEND || class == FM_CLASS_SENDRECV || (class == FM_CLASS_RMA && entry->bytes_sent))
        return add_edge(e, &profile->sent, sent, peer);
    if (class == FM_CLASS_RECEIVE || (class == FM_CLASS_RMA && entry->bytes_received))
        return add_edge(e, &profile->received, received, peer);
    return FM_OK;
}

static int compare_edges(const void *a, const void *b)
{
    return fm_edge_compare(a, b);
}

/* Sorts the edges, adds up equal ones and adds them to the profile. */
static bool finish_edges(struct events *e, struct fm_edges *into, struct fm_edge *edges, size_t n)
{
    if (!fm_sort(edges, n, sizeof *edges, compare_edges, e->scratch))
        return false;
    struct fm_edges summed = {.items = edges};
    for (size_t i = 0; i < n; i++) {
        struct fm_edge *last = summed.n ? &edges[summed.n - 1] : NULL;
        if (!last || fm_edge_compare(last, &edges[i])) {
            edges[summed.n++] = edges[i];
            continue;
        }
        fm_add_saturating(&last->messages, edges[i].messages);
        fm_add_saturating(&last->bytes, edges[i].bytes);
        fm_add_saturating(&last->time_ns, edges[i].time_ns);
    }
    return fm_merge_edges(e->reader->profile, into, &summed);
}

/* ---- events and routines ---- */

static void stats_of(const struct fm_entry *entry, uint32_t rank, struct fm_stats *stats)
{
    *stats = (struct fm_stats){
        .count = entry->count,
        .count_arguments = entry->count_arguments,
        .total_ns = entry->total_ns,
        .min = {entry->extremes.min_ns, entry->extremes.min_event, rank},
        .max = {entry->extremes.max_ns, entry->extremes.max_event, rank},
        .second = {entry->extremes.second_ns, entry->extremes.second_event, rank},
        .bytes = entry->bytes,
        .bytes_sent = entry->bytes_sent,
        .bytes_received = entry->bytes_received,
        .messages = entry->messages,
    };
    if (!entry->extremes.second_event)
        stats->second = (struct fm_extreme){0};
    if (!entry->count)
        stats->min = stats->max = (struct fm_extreme){0};
    for (unsigned i = 0; i < FM_DURATION_BINS; i++)
        stats->histogram.bins[i] = (uint64_t)entry->histogram_high[i] << 32 | entry->histogram[i];
}

static enum fm_status fetch(struct events *e, const struct event_key *item, struct fm_entry *entry)
{
    if (item->source < e->n_entries) {
        fm_segment_item(&e->reader->view, FM_SECTION_ENTRIES, item->source, entry, sizeof *entry);
        entry->total_ns = fm_segment_reader_ns(e->reader, entry->total_ns);
        fm_segment_reader_extremes(e->reader, &entry->extremes);
    } else {
        *entry = e->extra[item->source - e->n_entries];
    }
    if (entry->total_ns > FM_LONGEST_NS || entry->extremes.max_ns > FM_LONGEST_NS ||
        entry->extremes.second_ns > FM_LONGEST_NS ||
        (entry->extremes.min_ns > FM_LONGEST_NS && entry->extremes.min_event))
        return fm_segment_reader_damage(e->reader, "invalid duration of a call");
    return FM_OK;
}

/* The messages of a persistent request have an entry with a count of 0, because its calls are counted elsewhere. */
static bool has_bytes(const struct fm_entry *entry)
{
    return entry->messages || entry->bytes || entry->bytes_sent || entry->bytes_received;
}

/* Adds to the event of `item`: the last one, or a new one. The array has space for all. */
static void add_event(struct events *e, const struct event_key *item, const struct event_key *last,
                      const struct fm_entry *entry)
{
    struct fm_profile *profile = e->reader->profile;
    if (last && !compare_items(last, item)) {
        struct fm_stats stats;
        stats_of(entry, e->reader->rank, &stats);
        fm_stats_merge(&profile->events[profile->n_events - 1].stats, &stats);
        return;
    }
    struct fm_event *event = &profile->events[profile->n_events++];
    event->key = (struct fm_event_key){
        .routine = fm_routine_name_in(&e->reader->routines, item->routine),
        .region = e->reader->paths[item->region],
        .size_bin = item->names & 0xffff,
        .comm_size = (uint32_t)(item->place >> 32),
        .site = {item->module ? item->module->path : "", item->module ? item->module->build_id : "", item->offset},
    };
    stats_of(entry, e->reader->rank, &event->stats);
}

static size_t count_distinct(const struct events *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n_items; i++)
        n += !i || compare_items(&e->items[i - 1], &e->items[i]);
    return n;
}

static enum fm_status make_events(struct events *e)
{
    struct fm_profile *profile = e->reader->profile;
    profile->events_capacity = count_distinct(e);
    profile->events = fm_arena_alloc(&profile->arena, profile->events_capacity * sizeof *profile->events);
    if (!profile->events)
        return fm_segment_reader_no_memory(e->reader);
    const struct event_key *last = NULL;
    for (size_t i = 0; i < e->n_items; i++) {
        const struct event_key *item = &e->items[i];
        unsigned class = fm_routine_class_in(&e->reader->routines, item->routine);
        struct fm_entry entry;
        enum fm_status status = fetch(e, item, &entry);
        bool used = entry.count || has_bytes(&entry);
        if (!status && used)
            status = add_edges_of(e, &entry, class, entry.key.peer);
        if (status)
            return status;
        if (!used)
            continue; /* its key was written, its first event was not */
        add_event(e, item, last, &entry);
        last = item;
    }
    return FM_OK;
}

static bool finish_routine(struct fm_segment_reader *r, struct fm_routine_total *routine)
{
    if (r->rank == FM_NO_RANK)
        return true;
    const struct fm_stats *stats = &routine->stats;
    fm_spread_add(&routine->time_ns, stats->total_ns, r->rank);
    fm_spread_add(&routine->calls, stats->count, r->rank);
    fm_spread_add(&routine->bytes, stats->bytes, r->rank);
    routine->per_rank = fm_arena_alloc(&r->profile->arena, sizeof *routine->per_rank);
    if (!routine->per_rank)
        return false;
    routine->n_per_rank = routine->per_rank_capacity = 1;
    *routine->per_rank = (struct fm_rank_value){r->rank, stats->total_ns, stats->count, stats->bytes};
    return fm_rankset_add(&routine->ranks, &r->profile->arena, r->rank, r->rank);
}

/* The events of a routine are consecutive. */
static bool make_routines(struct fm_segment_reader *r)
{
    struct fm_profile *profile = r->profile;
    struct fm_routine_total *routine = NULL;
    size_t n_used = 0;
    for (size_t i = 0; i < profile->n_events; i++)
        n_used += !i || profile->events[i].key.routine != profile->events[i - 1].key.routine;
    profile->routines = fm_arena_grow(&profile->arena, NULL, &profile->routines_capacity, n_used, sizeof *routine);
    if (!profile->routines)
        return false;
    for (size_t i = 0; i < profile->n_events; i++) {
        const struct fm_event *event = &profile->events[i];
        if (routine && !strcmp(routine->name, event->key.routine))
            fm_stats_merge(&routine->stats, &event->stats);
        else
            *(routine = &profile->routines[profile->n_routines++]) = (struct fm_routine_total){
                .name = event->key.routine, .stats = event->stats};
    }
    for (size_t i = 0; i < profile->n_routines; i++)
        if (!finish_routine(r, &profile->routines[i]))
            return false;
    return true;
}

enum fm_status fm_read_events(struct fm_segment_reader *r)
{
    struct events e = {.reader = r, .scratch = &r->view.scratch};
    enum fm_status status = collect(&e);
    if (status)
        return status;
    if (!sort_items(&e))
        return fm_segment_reader_no_memory(r);
    status = make_events(&e);
    if (status)
        return status;
    struct fm_profile *profile = r->profile;
    bool done = make_routines(r) && finish_edges(&e, &profile->sent, e.sent, e.n_sent) &&
                finish_edges(&e, &profile->received, e.received, e.n_received);
    return done ? FM_OK : fm_segment_reader_no_memory(r);
}
