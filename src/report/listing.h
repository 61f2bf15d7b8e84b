/* SPDX-License-Identifier: BSD-3-Clause */
/* Many profiles, one line each, as `fathom list` shows them. Strings are copied: a profile may be destroyed after it was
 * added. Not thread-safe. */
#ifndef FM_REPORT_LISTING_H
#define FM_REPORT_LISTING_H

#include <stdio.h>

#include "analyse/efficiency/factors.h"
#include "render/json.h"
#include "symbols/symbols.h"

struct fm_listed {
    const char *file, *program, *user, *job, *mpi, *commit;
    uint32_t ranks;
    size_t hosts;
    uint64_t started_ns, wall_ns; /* since 1970; 0: unknown */
    double mpi_fraction;
    struct fm_factors factors; /* efficiency */
    bool lacks_cores;
    bool complete;
    const char *end;            /* "complete", "rank 3 killed by signal 9 (SIGKILL)" */
    const char *rule, *finding; /* the costliest finding and its text; "" if there is none, NULL if not looked for */
    double finding_share;       /* of the time; 0: not a matter of time */
};

/* A file that is not a profile, or a damaged one. */
struct fm_unreadable {
    const char *file, *why;
};

struct fm_listing {
    struct fm_arena arena;
    struct fm_listed *items;
    size_t n, capacity;
    struct fm_unreadable *unreadable;
    size_t n_unreadable, unreadable_capacity;
};

enum fm_listing_order {
    FM_LISTING_BY_TIME, /* newest first */
    FM_LISTING_BY_PROGRAM,
    FM_LISTING_BY_RANKS,
    FM_LISTING_BY_WALL,       /* longest first */
    FM_LISTING_BY_EFFICIENCY, /* lowest first, unknown last */
    FM_LISTING_BY_USER,
    FM_LISTING_BY_FILE,
};

/* An overview of the profile is enough (format/encode.h). */
enum fm_status fm_listing_add(struct fm_listing *listing, const char *file, const struct fm_profile *profile,
                              struct fm_error *error);
/* Looks for the costliest finding of a listed profile, for which all of it is needed. symbols may be NULL: places are
 * unknown. */
enum fm_status fm_listing_find(struct fm_listing *listing, struct fm_listed *item, const struct fm_profile *profile,
                               struct fm_symbols *symbols, struct fm_error *error);
/* Return false if out of memory. */
bool fm_listing_add_unreadable(struct fm_listing *listing, const char *file, const char *why);
bool fm_listing_sort(struct fm_listing *listing, enum fm_listing_order order);
void fm_listing_close(struct fm_listing *listing);

/* How many of them `rows` shows; 0: all. */
size_t fm_listing_rows(const struct fm_listing *listing, size_t rows);
void fm_listing_text(struct fm_listing *listing, size_t rows, FILE *out);
void fm_listing_csv(struct fm_listing *listing, size_t rows, FILE *out);
void fm_listing_json(struct fm_listing *listing, size_t rows, FILE *out);
void fm_listed_json(struct fm_json *json, const struct fm_listed *item); /* the members of the object of one profile */

#endif
