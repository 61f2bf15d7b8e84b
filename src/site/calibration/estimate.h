/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time in MPI goes, as columns 9 to 13 of the weekly summary: the time of a routine is
 *
 *   latency           calls x latency of the calibration
 *   transfer          bytes / bandwidth of the calibration
 *   synchronisation   the rest: waiting for other ranks
 *
 * Bytes are those of doc/BYTES.md, so receives have the length of their messages and the v-forms what was passed. A
 * collective takes what the calibration says for the size of its communicators, a message what it says for ranks of one
 * host and of two, in the proportion of the messages. MPI_Wait and its like have no bytes of their own: they get those of
 * the messages that were started and received in the job, in proportion to their time, if the calibration knows a
 * bandwidth for them.
 *
 * Latency and transfer are never more than the measured time; where they would be, a flag says so. Pure functions of
 * sums, the same for the routines of a profile and for those of records. */
#ifndef FM_SITE_CALIBRATION_ESTIMATE_H
#define FM_SITE_CALIBRATION_ESTIMATE_H

#include "site/calibration/calibration.h"

/* Sums over ranks. -1 is unknown. */
struct fm_estimate_input {
    const char *routine; /* "MPI_Send" */
    int64_t calls, bytes;
    int64_t comm_calls; /* sum over calls of the size of the communicator; unknown: all ranks */
    double time_s;
};

/* Where it ran. */
struct fm_estimate_job {
    uint32_t ranks, hosts;
    double between; /* share of the messages between hosts; NAN: unknown, as if each rank sent to all others alike */
};

enum {
    FM_ESTIMATE_LIMITED = 1,      /* latency and transfer would take longer than the calls did */
    FM_ESTIMATE_HIDDEN = 2,       /* the same of what does not block: it went on while the program computed */
    FM_ESTIMATE_EXTRAPOLATED = 4, /* fewer or more ranks than were calibrated, or between hosts that were not */
    FM_ESTIMATE_NO_BYTES = 8,     /* the bytes are unknown: transfer counts as synchronisation */
    FM_ESTIMATE_FLAGS = 4,
};
extern const char *const fm_estimate_flag_names[FM_ESTIMATE_FLAGS]; /* "limited", ... of 1 << i */

enum fm_estimate_kind {
    FM_ESTIMATE_UNKNOWN, /* the calibration does not have the routine */
    FM_ESTIMATE_SPLIT,
    FM_ESTIMATE_LOCAL, /* exchanges no data of the program: latency is all of its time */
};

struct fm_estimate {
    enum fm_estimate_kind kind;
    unsigned flags;
    double latency_s, transfer_s, synchronisation_s; /* they add up to the time; 0 if unknown */
    /* what was used; 0 if unknown or without */
    double call_latency_s, bandwidth_bytes_per_s;
};

/* All routines of a job at once: estimates[i] is that of inputs[i]. */
void fm_estimate(const struct fm_calibration *calibration, const struct fm_estimate_job *job,
                 const struct fm_estimate_input *inputs, size_t n, struct fm_estimate *estimates);

/* "limited, extrapolated"; "" without flags. */
enum { FM_ESTIMATE_FLAGS_CHARS = 64 };
const char *fm_estimate_flags_text(unsigned flags, char text[FM_ESTIMATE_FLAGS_CHARS]);

#endif
