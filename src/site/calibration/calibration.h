/* SPDX-License-Identifier: BSD-3-Clause */
/* How long MPI routines take on a machine if nobody has to wait: what `fathom calibrate` measures, as a model of each
 * routine, and the file that keeps it (doc/CALIBRATION.md).
 *
 * A call on p ranks that moves n bytes (doc/BYTES.md) takes
 *
 *   t(p, n) = a + b log2(p)  +  n (c + d f(p))        f(p) is log2(p) or p - 1
 *             latency           transfer
 *
 * A file may also have just a latency and a bandwidth of a routine, which then do not depend on p.
 *
 * Everything that was read is in the arena of the calibration, which its owner destroys; it is not changed after that, so
 * any thread may read it. */
#ifndef FM_SITE_CALIBRATION_CALIBRATION_H
#define FM_SITE_CALIBRATION_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

#define FM_CALIBRATION_ENV "FATHOM_CALIBRATION"
#define FM_CALIBRATION_PATH "/etc/fathom/calibration.json"

enum {
    FM_CALIBRATION_VERSION = 1,
    FM_CALIBRATION_BYTES = 4 << 20, /* of a file */
    FM_CALIBRATION_TEXT = 255,
    FM_CALIBRATION_ROUTINES = 512,
    FM_CALIBRATION_POINTS = 512, /* of a routine */
    FM_CALIBRATION_RANKS = 1 << 26,
};

/* Between which ranks: a message between two hosts is slower than one between two ranks of a host. */
enum fm_place { FM_PLACE_HOST, FM_PLACE_HOSTS, FM_PLACES };
extern const char *const fm_place_names[FM_PLACES]; /* "host", "hosts" */

/* How the time per byte grows with the number of ranks. */
enum fm_byte_growth { FM_GROWTH_LOG2, FM_GROWTH_RANKS, FM_GROWTHS };
extern const char *const fm_byte_growth_names[FM_GROWTHS]; /* "log2", "ranks" */

struct fm_model {
    double a_s, b_s, c_s, d_s; /* never negative */
    enum fm_byte_growth growth;
    double residual; /* root mean square of the relative deviations from what was measured; NAN: unknown */
};

/* What was measured for one number of ranks and size: time of a call, mean over ranks. */
struct fm_calibration_point {
    uint32_t ranks;
    uint64_t bytes;
    double min_s, median_s; /* over repetitions */
    uint64_t calls;
};

struct fm_calibration_routine {
    const char *name; /* "MPI_Send" */
    enum fm_place place;
    struct fm_model model;
    uint32_t ranks_min, ranks_max;             /* that were measured; 0: unknown */
    const struct fm_calibration_point *points; /* may be none */
    size_t n_points;
};

struct fm_calibration {
    struct fm_arena arena;
    const char *made;    /* "2026-11-18T17:00:00Z" */
    const char *version; /* of the Fathom that measured */
    const char *mpi;     /* as in a profile: "Open MPI 4.1.4" */
    const char *host, *cpu;
    const char *command;                     /* the launcher and its options */
    uint32_t ranks, hosts, cores;            /* cores of a host that ranks could use; 0: unknown */
    bool oversubscribed;                     /* more ranks than cores: the values mean little */
    double seconds;                          /* that measuring took; NAN: unknown */
    struct fm_calibration_routine *routines; /* sorted by name and place; unique */
    size_t n_routines;
};

/* Time of a call that moves nothing, and of each byte, on this many ranks (at least 2). */
double fm_model_latency(const struct fm_model *model, double ranks);
double fm_model_per_byte(const struct fm_model *model, double ranks);

/* NULL if there is none. */
const struct fm_calibration_routine *fm_calibration_find(const struct fm_calibration *calibration, const char *name,
                                                         enum fm_place place);

/* Adds what was measured of a routine, in any order: the points are copied and a model is fitted. Returns false without
 * memory. fm_calibration_sort puts them in order. */
bool fm_calibration_add(struct fm_calibration *calibration, const char *name, enum fm_place place,
                        const struct fm_calibration_point *points, size_t n);
void fm_calibration_sort(struct fm_calibration *calibration);

/* Reads a document of any version. FM_ERR_INPUT with a sentence that begins with `name` if it is not one; nothing is to
 * be destroyed then. Keys that this version does not know are ignored. */
enum fm_status fm_calibration_parse(struct fm_calibration *calibration, const char *text, size_t length,
                                    const char *name, struct fm_error *error);
enum fm_status fm_calibration_read(struct fm_calibration *calibration, const char *path, struct fm_error *error);
enum fm_status fm_calibration_write(const struct fm_calibration *calibration, FILE *out, struct fm_error *error);
void fm_calibration_destroy(struct fm_calibration *calibration);

#endif
