#include "merge/parts.h"

#include "base/saturate.h"
#include "merge/join.h"
#include "model/order.h"
#include "model/strings.h"

static bool intern(struct fm_profile *into, const char **text)
{
    *text = fm_profile_intern(into, *text);
    return *text;
}

static bool copy_set(struct fm_profile *into, struct fm_rankset *set)
{
    struct fm_rankset copy = {0};
    bool done = fm_rankset_union(&copy, &into->arena, set);
    *set = copy;
    return done;
}

/* ---- hosts ---- */

static int compare_hosts(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_host *)a)->name, ((const struct fm_host *)b)->name);
}

static bool merge_host(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_host *host = mine;
    const struct fm_host *other = theirs;
    if (fm_compare_text(other->cpu, host->cpu) > 0) {
        host->cpu = other->cpu;
        if (!intern(into, &host->cpu))
            return false;
    }
    host->cores = other->cores > host->cores ? other->cores : host->cores;
    host->memory_bytes = other->memory_bytes > host->memory_bytes ? other->memory_bytes : host->memory_bytes;
    return fm_rankset_union(&host->ranks, &into->arena, &other->ranks);
}

static bool copy_host(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_host *host = slot;
    *host = *(const struct fm_host *)theirs;
    return intern(into, &host->name) && intern(into, &host->cpu) && copy_set(into, &host->ranks);
}

bool fm_merge_hosts(struct fm_profile *into, const struct fm_host *hosts, size_t n)
{
    static const struct fm_join kind = {sizeof *hosts, compare_hosts, merge_host, copy_host};
    return fm_join(&kind, into, &into->hosts, &into->n_hosts, &into->hosts_capacity, hosts, n);
}

/* ---- processes ---- */

static int compare_processes(const void *a, const void *b)
{
    return fm_process_compare(a, b);
}

static bool copy_process(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_process *process = slot;
    *process = *(const struct fm_process *)theirs;
    return intern(into, &process->inside);
}

bool fm_merge_processes(struct fm_profile *into, const struct fm_process *processes, size_t n)
{
    static const struct fm_join kind = {sizeof *processes, compare_processes, NULL, copy_process};
    return fm_join(&kind, into, &into->processes, &into->n_processes, &into->processes_capacity, processes, n);
}

/* ---- routines ---- */

static int compare_values(const void *a, const void *b)
{
    return fm_compare_number(((const struct fm_rank_value *)a)->rank, ((const struct fm_rank_value *)b)->rank);
}

static bool merge_value(struct fm_profile *into, void *mine, const void *theirs)
{
    (void)into;
    struct fm_rank_value *value = mine;
    const struct fm_rank_value *other = theirs;
    fm_add_saturating(&value->time_ns, other->time_ns);
    fm_add_saturating(&value->calls, other->calls);
    fm_add_saturating(&value->bytes, other->bytes);
    return true;
}

static bool merge_vector(struct fm_profile *into, struct fm_routine_total *mine, const struct fm_routine_total *theirs)
{
    static const struct fm_join kind = {sizeof *mine->per_rank, compare_values, merge_value, NULL};
    return fm_join(&kind, into, &mine->per_rank, &mine->n_per_rank, &mine->per_rank_capacity, theirs->per_rank,
                   theirs->n_per_rank);
}

static int compare_routines(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_routine_total *)a)->name, ((const struct fm_routine_total *)b)->name);
}

static bool merge_routine(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_routine_total *routine = mine;
    const struct fm_routine_total *other = theirs;
    fm_stats_merge(&routine->stats, &other->stats);
    fm_spread_merge(&routine->time_ns, &other->time_ns);
    fm_spread_merge(&routine->calls, &other->calls);
    fm_spread_merge(&routine->bytes, &other->bytes);
    return fm_rankset_union(&routine->ranks, &into->arena, &other->ranks) && merge_vector(into, routine, other);
}

static bool copy_routine(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_routine_total *routine = slot;
    *routine = *(const struct fm_routine_total *)theirs;
    routine->per_rank = NULL;
    routine->n_per_rank = routine->per_rank_capacity = 0;
    return intern(into, &routine->name) && copy_set(into, &routine->ranks) && merge_vector(into, routine, theirs);
}

bool fm_merge_routines(struct fm_profile *into, const struct fm_routine_total *routines, size_t n)
{
    static const struct fm_join kind = {sizeof *routines, compare_routines, merge_routine, copy_routine};
    return fm_join(&kind, into, &into->routines, &into->n_routines, &into->routines_capacity, routines, n);
}

/* ---- events ---- */

static int compare_events(const void *a, const void *b)
{
    return fm_event_key_compare(&((const struct fm_event *)a)->key, &((const struct fm_event *)b)->key);
}

static bool merge_event(struct fm_profile *into, void *mine, const void *theirs)
{
    (void)into;
    fm_stats_merge(&((struct fm_event *)mine)->stats, &((const struct fm_event *)theirs)->stats);
    return true;
}

static bool copy_event(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_event *event = slot;
    *event = *(const struct fm_event *)theirs;
    struct fm_event_key *key = &event->key;
    return intern(into, &key->routine) && intern(into, &key->region) && intern(into, &key->site.module) &&
           intern(into, &key->site.build_id);
}

bool fm_merge_events(struct fm_profile *into, const struct fm_event *events, size_t n)
{
    static const struct fm_join kind = {sizeof *events, compare_events, merge_event, copy_event};
    return fm_join(&kind, into, &into->events, &into->n_events, &into->events_capacity, events, n);
}

/* ---- regions ---- */

static int compare_regions(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_region *)a)->path, ((const struct fm_region *)b)->path);
}

static bool merge_region(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_region *region = mine;
    const struct fm_region *other = theirs;
    fm_add_saturating(&region->entries, other->entries);
    fm_add_saturating(&region->wall_ns, other->wall_ns);
    fm_spread_merge(&region->wall_per_rank, &other->wall_per_rank);
    return fm_rankset_union(&region->ranks, &into->arena, &other->ranks);
}

static bool copy_region(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_region *region = slot;
    *region = *(const struct fm_region *)theirs;
    return intern(into, &region->path) && copy_set(into, &region->ranks);
}

bool fm_merge_regions(struct fm_profile *into, const struct fm_region *regions, size_t n)
{
    static const struct fm_join kind = {sizeof *regions, compare_regions, merge_region, copy_region};
    return fm_join(&kind, into, &into->regions, &into->n_regions, &into->regions_capacity, regions, n);
}

/* ---- edges ---- */

static int compare_edges(const void *a, const void *b)
{
    return fm_edge_compare(a, b);
}

static bool merge_edge(struct fm_profile *into, void *mine, const void *theirs)
{
    (void)into;
    struct fm_edge *edge = mine;
    const struct fm_edge *other = theirs;
    fm_add_saturating(&edge->messages, other->messages);
    fm_add_saturating(&edge->bytes, other->bytes);
    fm_add_saturating(&edge->time_ns, other->time_ns);
    return true;
}

bool fm_merge_edges(struct fm_profile *into, struct fm_edges *mine, const struct fm_edges *theirs)
{
    static const struct fm_join kind = {sizeof *mine->items, compare_edges, merge_edge, NULL};
    fm_add_saturating(&mine->dropped, theirs->dropped);
    fm_add_saturating(&mine->dropped_messages, theirs->dropped_messages);
    fm_add_saturating(&mine->dropped_bytes, theirs->dropped_bytes);
    fm_add_saturating(&mine->dropped_ns, theirs->dropped_ns);
    return fm_join(&kind, into, &mine->items, &mine->n, &mine->capacity, theirs->items, theirs->n);
}

/* ---- snapshots ---- */

static int compare_snapshot_routines(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_snapshot_routine *)a)->name,
                           ((const struct fm_snapshot_routine *)b)->name);
}

static bool merge_snapshot_routine(struct fm_profile *into, void *mine, const void *theirs)
{
    (void)into;
    struct fm_snapshot_routine *routine = mine;
    const struct fm_snapshot_routine *other = theirs;
    fm_add_saturating(&routine->count, other->count);
    fm_add_saturating(&routine->total_ns, other->total_ns);
    fm_add_saturating(&routine->bytes, other->bytes);
    return true;
}

static bool copy_snapshot_routine(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_snapshot_routine *routine = slot;
    *routine = *(const struct fm_snapshot_routine *)theirs;
    return intern(into, &routine->name);
}

static bool merge_snapshot_routines(struct fm_profile *into, struct fm_snapshot *mine, const struct fm_snapshot *theirs)
{
    static const struct fm_join kind = {sizeof *mine->routines, compare_snapshot_routines, merge_snapshot_routine,
                                        copy_snapshot_routine};
    size_t capacity = mine->n_routines; /* the lists rarely grow, so no room is kept */
    return fm_join(&kind, into, &mine->routines, &mine->n_routines, &capacity, theirs->routines, theirs->n_routines);
}

static int compare_snapshots(const void *a, const void *b)
{
    return fm_snapshot_compare(a, b);
}

static bool copy_snapshot(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_snapshot *snapshot = slot;
    *snapshot = *(const struct fm_snapshot *)theirs;
    snapshot->routines = NULL;
    snapshot->n_routines = 0;
    return intern(into, &snapshot->label) && merge_snapshot_routines(into, snapshot, theirs);
}

static bool merge_snapshot(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_snapshot *snapshot = mine;
    const struct fm_snapshot *other = theirs;
    snapshot->ranks += other->ranks;
    snapshot->when_ns = other->when_ns > snapshot->when_ns ? other->when_ns : snapshot->when_ns;
    fm_add_saturating(&snapshot->mpi_ns, other->mpi_ns);
    return merge_snapshot_routines(into, snapshot, other);
}

bool fm_merge_snapshots(struct fm_profile *into, const struct fm_snapshot *snapshots, size_t n)
{
    /* Collective ones come first in every profile and merge; those of single processes stay beside each other. */
    static const struct fm_join collective = {sizeof *snapshots, compare_snapshots, merge_snapshot, copy_snapshot};
    static const struct fm_join single = {sizeof *snapshots, compare_snapshots, NULL, copy_snapshot};
    if (!n)
        return true;
    size_t first = 0;
    while (first < n && snapshots[first].collective)
        first++;
    return fm_join(&collective, into, &into->snapshots, &into->n_snapshots, &into->snapshots_capacity, snapshots,
                   first) &&
           fm_join(&single, into, &into->snapshots, &into->n_snapshots, &into->snapshots_capacity, snapshots + first,
                   n - first);
}

/* ---- notes ---- */

static int compare_notes(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_note *)a)->text, ((const struct fm_note *)b)->text);
}

static bool merge_note(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_note *note = mine;
    const struct fm_note *other = theirs;
    fm_add_saturating(&note->amount, other->amount);
    return fm_rankset_union(&note->ranks, &into->arena, &other->ranks);
}

static bool copy_note(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_note *note = slot;
    *note = *(const struct fm_note *)theirs;
    return intern(into, &note->text) && copy_set(into, &note->ranks);
}

bool fm_merge_notes(struct fm_profile *into, const struct fm_note *notes, size_t n)
{
    static const struct fm_join kind = {sizeof *notes, compare_notes, merge_note, copy_note};
    return fm_join(&kind, into, &into->notes, &into->n_notes, &into->notes_capacity, notes, n);
}
