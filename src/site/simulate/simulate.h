/* SPDX-License-Identifier: BSD-3-Clause */
/* A synthetic site: jobs of users with programs on hosts, over some days, with known answers. Job `number` depends on the
 * options and its number only, so that any part of ten million jobs can be made without the rest; jobs are in the order of
 * their ends.
 *
 * What is planted is to be found again, and nothing else: programs that became slower on a day, in their own code with a new
 * build, in a routine with another MPI, or in file I/O; programs whose time in one routine grows with the number of ranks;
 * hosts on which every program is slower. What only looks like that is there, too: programs whose users have larger
 * problems since some day, programs that vary a lot, and runs that take long for no reason.
 *
 * For tests, benchmarks, and trying the pages without a machine. */
#ifndef FM_SITE_SIMULATE_SIMULATE_H
#define FM_SITE_SIMULATE_SIMULATE_H

#include <stdbool.h>

#include "site/record/record.h"

struct fm_simulation_options {
    uint64_t jobs;
    unsigned users, programs, hosts, days;
    unsigned slower, limited, slow_hosts; /* how many are planted of each kind */
    unsigned grown;                       /* programs with larger problems since some day: no answer */
    uint64_t seed;
    int64_t from; /* start of the first day: seconds since 1970 */
};
extern const struct fm_simulation_options fm_simulation_usual;

enum fm_planted_kind { FM_PLANTED_SLOWER, FM_PLANTED_LIMITED, FM_PLANTED_SLOW_HOST };
struct fm_planted {
    enum fm_planted_kind kind;
    const char *name;    /* of the program, or of the host */
    int64_t day;         /* SLOWER: from this day on, seconds since 1970 */
    double factor;       /* SLOWER, SLOW_HOST: time against before, against other hosts */
    const char *part;    /* SLOWER: "program", "mpi" or "io" */
    const char *changed; /* SLOWER: "build" or "mpi"; NULL: nothing */
    const char *routine; /* LIMITED, SLOWER in MPI: what grows */
    int64_t best_ranks;  /* LIMITED: number of ranks with the shortest time */
};

struct fm_simulation;
/* FM_ERR_USAGE if the options contradict each other. */
enum fm_status fm_simulation_create(struct fm_simulation **simulation, const struct fm_simulation_options *options,
                                    struct fm_error *error);
void fm_simulation_destroy(struct fm_simulation *simulation);

/* Fills a record, which the caller has initialised and destroys; *uid is that of its user. False if out of memory. */
bool fm_simulation_job(const struct fm_simulation *simulation, uint64_t number, struct fm_record *record, int64_t *uid);

size_t fm_simulation_n_planted(const struct fm_simulation *simulation);
const struct fm_planted *fm_simulation_planted(const struct fm_simulation *simulation, size_t i);

#endif
