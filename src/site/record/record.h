/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a job: what a site keeps of every job. One JSON document of at most FM_RECORD_BYTES, in ASCII, with the
 * keys of the contract (doc/JSON.md); doc/SITE.md describes it. It is made from a profile (site/make/), sent through the
 * log daemon in chunks (chunk.h) or left in a spool directory, and stored (site/store/).
 *
 * What is read is hostile until fm_record_read has accepted it: every number is finite and in range, texts are valid
 * UTF-8 without control characters and at most FM_RECORD_TEXT bytes (longer ones are cut), lists have at most
 * FM_RECORD_ITEMS items.
 *
 * Memory comes from `arena`, which the owner of the record destroys. */
#ifndef FM_SITE_RECORD_RECORD_H
#define FM_SITE_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "site/record/fields.h"

enum {
    FM_RECORD_VERSION = 1,
    FM_RECORD_BYTES = 5000,
    FM_RECORD_READ_BYTES = 1 << 16, /* longer documents, of any version, are refused */
    FM_RECORD_TEXT = 255,
    FM_RECORD_ITEMS = 1024,
};

/* Sums over ranks. "other" has what did not fit. */
struct fm_record_routine {
    const char *name;             /* "MPI_Send" */
    int64_t calls, bytes, counts; /* counts: sum of the count arguments; -1: has none, or unknown, as bytes */
    double time_s;
    int64_t comm_calls; /* sum over calls of the size of the communicator (collectives); -1 unknown */
};

struct fm_record_finding {
    const char *rule, *text, *function, *file;
    int64_t line; /* 0 if unknown */
    double cost_s;
    int measured;
};

/* Regions and timers with the most time. */
struct fm_record_span {
    const char *name;
    double wall_s, mpi_s; /* sums over ranks; mpi_s of a timer: NAN */
    int64_t entries;
};

/* A host: all of them in small jobs, those that differ most in large ones. */
struct fm_record_host {
    const char *name;
    int64_t ranks;
    double slowness; /* mean time outside MPI of its ranks / mean over all ranks; NAN: unknown */
};

/* MPI's own settings: OMPI_MCA_..., MPICH_..., I_MPI_..., without values that look like secrets. */
struct fm_record_setting {
    const char *name, *value;
};

struct fm_record {
    struct fm_arena arena;
#define FM_RECORD_TEXT_MEMBER(member) const char *member;
#define FM_RECORD_WHOLE_MEMBER(member) int64_t member;
#define FM_RECORD_TIME_MEMBER(member) int64_t member;
#define FM_RECORD_SECONDS_MEMBER(member) double member;
#define FM_RECORD_FRACTION_MEMBER(member) double member;
#define FM_RECORD_FLAG_MEMBER(member) int member;
#define X(kind, section, key, member, rollup) FM_RECORD_##kind##_MEMBER(member)
    FM_RECORD_FIELDS(X)
#undef X
    struct fm_record_routine *routines; /* most time first */
    size_t n_routines;
    struct fm_record_finding *findings; /* highest cost first */
    size_t n_findings;
    struct fm_record_span *regions, *timers; /* most time first */
    size_t n_regions, n_timers;
    struct fm_record_host *host_list; /* by name */
    size_t n_host_list;
    struct fm_record_setting *settings; /* by name */
    size_t n_settings;
};

/* What is known of a field: for encoding, decoding, checking and the database. */
enum fm_record_kind {
    FM_RECORD_KIND_TEXT,
    FM_RECORD_KIND_WHOLE,
    FM_RECORD_KIND_SECONDS,
    FM_RECORD_KIND_FRACTION,
    FM_RECORD_KIND_TIME,
    FM_RECORD_KIND_FLAG
};
struct fm_record_field {
    enum fm_record_kind kind;
    const char *section, *key, *column;
    size_t offset; /* in struct fm_record */
    int summed;    /* roll-up SUM */
};
#define X(kind, section, key, member, rollup) FM_RECORD_FIELD_##member,
enum fm_record_field_number { FM_RECORD_FIELDS(X) FM_RECORD_N_FIELDS };
#undef X
extern const struct fm_record_field fm_record_fields[FM_RECORD_N_FIELDS];

/* The value of a field of this kind: TEXT; WHOLE and TIME; SECONDS and FRACTION; FLAG. */
const char *const *fm_record_text(const struct fm_record *record, const struct fm_record_field *field);
const int64_t *fm_record_whole(const struct fm_record *record, const struct fm_record_field *field);
const double *fm_record_real(const struct fm_record *record, const struct fm_record_field *field);
const int *fm_record_flag(const struct fm_record *record, const struct fm_record_field *field);
bool fm_record_known(const struct fm_record *record, const struct fm_record_field *field);

/* Limits of what is read; what is written is cut to them. */
#define FM_RECORD_WHOLE_MAX 1000000000000000000 /* 10^18 */
#define FM_RECORD_REAL_MAX 1e13
#define FM_RECORD_WEIGHT_MAX 1000 /* who claims more would own the site's sums */

/* Everything unknown, all lists empty. */
void fm_record_init(struct fm_record *record);
void fm_record_destroy(struct fm_record *record);

/* Reads a document of any version. FM_ERR_INPUT with a sentence if it is not one, or has no key or start of the job. On
 * success the record is complete (what is missing is unknown) and must be destroyed, on failure there is nothing to
 * destroy; *left_out (may be NULL) is the number of keys that this version does not know. */
enum fm_status fm_record_read(struct fm_record *record, const char *text, size_t length, unsigned *left_out,
                              struct fm_error *error);

/* Writes at most FM_RECORD_BYTES into `text` (FM_RECORD_BYTES + 1 bytes), NUL-terminated; what does not fit is left out,
 * the least important first: timers, regions, settings, hosts, findings but the first, routines with the least time (they
 * are summed up in "other"). The document says how many items of a list were left out. Returns the length. */
size_t fm_record_write(const struct fm_record *record, char *text);

/* Prints a document that was written here, indented for people. False if it is no JSON. */
bool fm_record_print(FILE *out, const char *text, size_t length);

#endif
