/* SPDX-License-Identifier: BSD-3-Clause */
/* From a segment, live or left behind, to the profile of one process. The segment is hostile until checked:
 * every offset, count, number and string; damage gives FM_ERR_INPUT and one sentence naming `origin`.
 * The mapping may be changing under us (live view): each word is read once. */
#ifndef FM_MERGE_FROM_SEGMENT_H
#define FM_MERGE_FROM_SEGMENT_H

#include "format/segment.h"
#include "model/profile.h"

/* end/end_code: what the caller knows of how the process ended; FM_END_UNKNOWN = take the segment's own word.
 * now_mono_ns: end of an unfinished process's wall time (0: its last known moment is used).
 * A call in progress counts as a call with the time it has lasted; pending receives count as calls.
 * spare: memory that other profiles have left, which outlives this one (see fm_arena), or NULL. */
enum fm_status fm_profile_from_segment(struct fm_arena *spare, const void *bytes, size_t size, const char *origin,
                                       enum fm_end end, int end_code, uint64_t now_mono_ns, struct fm_profile **profile,
                                       struct fm_error *error);

/* Only the timers, as those of task `rank`. */
enum fm_status fm_timers_from_segment(const void *bytes, size_t size, const char *origin, uint32_t rank,
                                      uint64_t now_mono_ns, struct fm_profile **profile, struct fm_error *error);

#endif
