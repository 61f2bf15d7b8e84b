/* SPDX-License-Identifier: BSD-3-Clause */
/* The classes into which a site's summaries sort jobs and routines, each in one table: classes of ranks (powers of two and
 * what is between them), classes of CPU time (decades), groups of MPI routines. Numbers of classes and groups are in the
 * database: they are only added. */
#ifndef FM_SITE_STORE_CLASSES_H
#define FM_SITE_STORE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_CLASS_UNKNOWN = -1, FM_CLASS_LABEL = 32 };

/* 1, 2, 3, 4, 5-7, 8, 9-15, 16, ...: 2^k has number 2k, what follows it 2k + 1 (there is no 1). */
enum { FM_RANKS_CLASSES = 49 };
int fm_ranks_class(int64_t ranks); /* FM_CLASS_UNKNOWN if there are none */
/* The ranks of a class: from *least to *most. */
void fm_ranks_class_bounds(int number, int64_t *least, int64_t *most);
const char *fm_ranks_class_label(int number, char label[FM_CLASS_LABEL]); /* "33-63"; "unknown" */

/* CPU time (sum over ranks of the wall time): 0 is below 1 s, n from 10^(n-1) to below 10^n s. */
enum { FM_CPU_CLASSES = 12 };
int fm_cpu_class(double seconds); /* FM_CLASS_UNKNOWN for NAN */
void fm_cpu_class_bounds(int number, double *least, double *below);
const char *fm_cpu_class_label(int number, char label[FM_CLASS_LABEL]); /* "10^4 - 10^5 s" */

/* Groups of MPI routines. Those of no group (MPI_Init, MPI_Comm_rank, ...) are in every job. */
#define FM_ROUTINE_GROUPS(X)                       \
    X(BLOCKING, "blocking point to point")         \
    X(NONBLOCKING, "nonblocking point to point")   \
    X(PERSISTENT, "persistent point to point")     \
    X(PACK, "pack and unpack")                     \
    X(COLLECTIVE, "collective communication")      \
    X(DATATYPE, "derived datatypes")               \
    X(COMMUNICATOR, "groups and subcommunicators") \
    X(INTERCOMMUNICATOR, "intercommunicators")     \
    X(ATTRIBUTE, "attribute caching and inquiry")  \
    X(ERROR, "error handlers")                     \
    X(TOPOLOGY, "topology creation")               \
    X(WTIME, "time measurement (MPI_Wtime)")       \
    X(ONE_SIDED, "one-sided communication")        \
    X(FILE, "parallel I/O")
#define X(group, label) FM_GROUP_##group,
enum fm_routine_group { FM_GROUP_NONE = -1, FM_ROUTINE_GROUPS(X) FM_N_ROUTINE_GROUPS };
#undef X
enum fm_routine_group fm_routine_group(const char *routine); /* "MPI_Send" */
const char *fm_routine_group_label(enum fm_routine_group group);

/* A job whose share of MPI is above this is critical. */
#define FM_CRITICAL_MPI 0.15

/* Days and months since 1970, UTC. */
int64_t fm_day_of(int64_t seconds);
int64_t fm_day_of_date(int year, int month, int day);
bool fm_day_parse(const char *text, int64_t *day); /* "2026-11-15" */
int64_t fm_month_first_day(int64_t day);           /* of its month */
int64_t fm_month_start(int64_t seconds, int offset, int *year,
                       int *month); /* start of the month `offset` months later */

#endif
