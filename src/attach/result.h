/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a job at one moment: its profile so far, the profiles of the batches for confidence intervals, and
 * some counts. The results of several hosts are merged; they are sent between hosts, and to the caller, as bytes. */
#ifndef FM_ATTACH_RESULT_H
#define FM_ATTACH_RESULT_H

#include "base/error.h"
#include "model/profile.h"

enum { FM_RESULT_BATCHES = 10 };

struct fm_attach_result_counts {
    uint64_t moments; /* maximum over hosts */
    uint64_t least;   /* minimum over hosts that still have processes; UINT64_MAX: none has */
    uint64_t sampled; /* hosts where threads are sampled rather than segments read */
    uint64_t living;  /* live processes */
    uint64_t stopped, held_median_ns, held_most_ns; /* of the host where threads were stopped longest */
};

struct fm_attach_result {
    struct fm_profile *whole;                      /* NULL: empty */
    struct fm_profile *batches[FM_RESULT_BATCHES]; /* all or none */
    struct fm_attach_result_counts counts;
};

void fm_attach_result_destroy(struct fm_attach_result *result);
/* Adds `from` and destroys it. */
enum fm_status fm_attach_result_merge(struct fm_attach_result *into, struct fm_attach_result *from,
                                      struct fm_error *error);

enum fm_status fm_attach_result_encode(const struct fm_attach_result *result, struct fm_arena *arena,
                                       const void **bytes, size_t *size, struct fm_error *error);
enum fm_status fm_attach_result_decode(const void *bytes, size_t size, struct fm_attach_result *result,
                                       struct fm_error *error);

#endif
