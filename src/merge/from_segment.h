/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a segment, of a live process or left behind, to the profile of one process. The segment is not trusted:
 * every offset, count, number and string is checked; damage gives FM_ERR_INPUT and a sentence that names `origin`. The
 * mapping may change concurrently (live view), so each word is read once. */
#ifndef FM_MERGE_FROM_SEGMENT_H
#define FM_MERGE_FROM_SEGMENT_H

#include "format/segment.h"
#include "model/profile.h"

/* end/end_code: how the process ended, according to the caller; FM_END_UNKNOWN = use what the segment says.
 * now_mono_ns: end of the wall time of a process that has not ended (0: the latest time known from the segment). A call
 * in progress counts as a call with the time it has taken so far; pending receives count as calls. spare: memory of
 * destroyed profiles to be reused, which must outlive this one (see fm_arena), or NULL. */
enum fm_status fm_profile_from_segment(struct fm_arena *spare, const void *bytes, size_t size, const char *origin,
                                       enum fm_end end, int end_code, uint64_t now_mono_ns, struct fm_profile **profile,
                                       struct fm_error *error);

/* Reads only the timers, as those of task `rank`. */
enum fm_status fm_timers_from_segment(const void *bytes, size_t size, const char *origin, uint32_t rank,
                                      uint64_t now_mono_ns, struct fm_profile **profile, struct fm_error *error);

#endif
