/* SPDX-License-Identifier: BSD-3-Clause */
/* What is seen of a job at one look: its profile so far, those of the stretches for the intervals, and some counts.
 * What several hosts see adds up; it travels between them, and to whoever asked, as bytes. */
#ifndef FM_CLI_ATTACH_SEEN_H
#define FM_CLI_ATTACH_SEEN_H

#include "analyse/modules/module_shares.h"
#include "base/error.h"
#include "model/profile.h"

struct fm_seen_counts {
    uint64_t moments; /* most of a host */
    uint64_t least;   /* least of a host that has processes left; UINT64_MAX: there is none */
    uint64_t sampled; /* hosts where threads are sampled, not segments read */
    uint64_t living;  /* processes */
    uint64_t stopped, held_median_ns, held_most_ns; /* of the host where threads were held longest */
};

struct fm_seen {
    struct fm_profile *whole;                   /* NULL: there is nothing */
    struct fm_profile *stretches[FM_STRETCHES]; /* all, or none */
    struct fm_seen_counts counts;
};

void fm_seen_destroy(struct fm_seen *seen);
/* Adds `from`, which is destroyed. */
enum fm_status fm_seen_merge(struct fm_seen *into, struct fm_seen *from, struct fm_error *error);

enum fm_status fm_seen_encode(const struct fm_seen *seen, struct fm_arena *arena, const void **bytes, size_t *size,
                              struct fm_error *error);
enum fm_status fm_seen_decode(const void *bytes, size_t size, struct fm_seen *seen, struct fm_error *error);

#endif
