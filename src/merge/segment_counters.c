/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of a segment: the sums over its threads, scaled where the event was not counted all the time. */
#include <errno.h>
#include <string.h>

#include "base/saturate.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"

/* The names, of which there are at most `max`. */
static size_t read_names(struct fm_segment_reader *r, const char **names, size_t max)
{
    size_t n = 0;
    const char *text = fm_segment_text(&r->view, r->view.header.text_counters), *end = r->view.text + r->view.n_text;
    for (; n < max && text < end && text[0] && text[1]; text += strlen(text) + 1)
        names[n++] = text;
    return n;
}

/* An event that was on a counter for part of the time only: as if it had been on it all the time. */
static uint64_t scaled(uint64_t count, const struct fm_segment_count *from)
{
    if (from->running_ns >= from->enabled_ns || !from->running_ns)
        return count;
    unsigned __int128 all = (unsigned __int128)count * from->enabled_ns / from->running_ns;
    return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

/* Events of a call in which the process died belong to MPI. */
static uint64_t in_mpi(const struct fm_segment_counters *thread, const struct fm_segment_count *count, bool ended)
{
    uint64_t mpi = count->mpi, now = count->total;
    if (thread->inside && !ended && now > count->start && now - count->start <= now - (mpi < now ? mpi : now))
        mpi += now - count->start;
    return mpi < now ? mpi : now;
}

static void add_thread(const struct fm_segment_counters *thread, size_t i, bool ended, struct fm_counter *counter)
{
    const struct fm_segment_count *count = &thread->counts[i];
    fm_add_saturating(&counter->count, scaled(count->total, count));
    fm_add_saturating(&counter->in_mpi, scaled(in_mpi(thread, count, ended), count));
    fm_add_saturating(&counter->enabled_ns, count->enabled_ns);
    fm_add_saturating(&counter->running_ns, count->running_ns);
    if (count->total && i >= thread->split)
        counter->unsplit = 1;
}

/* The counter of this rank, and its part of the counter over all ranks. */
static bool add_counter(struct fm_segment_reader *r, struct fm_counter of_rank)
{
    struct fm_range range;
    struct fm_counter over_ranks = of_rank;
    over_ranks.rank = FM_NO_RANK;
    over_ranks.count = over_ranks.in_mpi = 0;
    fm_spread_add(&over_ranks.counts, of_rank.count, r->rank);
    if (!of_rank.unsplit)
        fm_spread_add(&over_ranks.in_mpis, of_rank.in_mpi, r->rank);
    over_ranks.ranks = fm_segment_reader_ranks(r, &range);
    return (r->rank == FM_NO_RANK || fm_merge_list(r->profile, &fm_list_counters, &of_rank, 1)) &&
           fm_merge_list(r->profile, &fm_list_counters, &over_ranks, 1);
}

/* No data after all: killed before the counters were read for the first time. */
static bool has_data(const struct fm_counter *counter)
{
    return counter->count || counter->enabled_ns;
}

/* Why nothing could be counted. */
static const char *reason(uint32_t error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "perf events are not permitted (kernel.perf_event_paranoid, or a container)";
    case EMFILE:
        return "too few file descriptors (ulimit -n)";
    case ENOSYS:
        return "this kernel has no perf events";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine does not have these events (most virtual machines have no hardware counters)";
    default:
        return "the kernel refused the events";
    }
}

static bool note_counters(struct fm_segment_reader *r)
{
    const struct fm_segment_header *h = &r->view.header;
    struct fm_range range;
    struct fm_rankset ranks = fm_segment_reader_ranks(r, &range);
    const char *unknown = fm_clean_text(&r->view.scratch, fm_segment_text(&r->view, h->text_unknown_counter), SIZE_MAX,
                                        false);
    if (!unknown)
        return false;
    return (!*unknown || fm_profile_note(r->profile, FM_NOTE_UNKNOWN_COUNTER, unknown, 0, &ranks)) &&
           (!h->counters_error ||
            fm_profile_note(r->profile, FM_NOTE_NO_COUNTERS, reason(h->counters_error), 0, &ranks)) &&
           (!h->uncounted_threads || h->counters_error ||
            fm_profile_note(r->profile, FM_NOTE_UNCOUNTED_THREADS, "", h->uncounted_threads, &ranks));
}

enum fm_status fm_read_counters(struct fm_segment_reader *r)
{
    const char *names[FM_SEGMENT_COUNTERS];
    bool ended = r->end == FM_END_FINALIZED;
    size_t n = read_names(r, names, FM_SEGMENT_COUNTERS);
    if (!note_counters(r))
        return fm_segment_reader_no_memory(r);
    for (size_t i = 0; i < n; i++) {
        const char *name = fm_clean_text(&r->view.scratch, names[i] + 1, SIZE_MAX, false);
        struct fm_counter counter = {
            .name = name, .rank = r->rank, .position = (uint32_t)i + 1, .software = names[i][0] == 's'};
        for (size_t slot = 0; slot < fm_segment_items(&r->view, FM_SECTION_COUNTERS); slot++) {
            struct fm_segment_counters thread;
            fm_segment_item(&r->view, FM_SECTION_COUNTERS, slot, &thread, sizeof thread);
            add_thread(&thread, i, ended, &counter);
        }
        if (!name || (has_data(&counter) && !add_counter(r, counter)))
            return fm_segment_reader_no_memory(r);
    }
    return FM_OK;
}
