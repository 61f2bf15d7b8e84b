/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of the ranks in files, outside MPI, and which files that is. */
#ifndef FM_ANALYSE_FINDINGS_IO_TIME_H
#define FM_ANALYSE_FINDINGS_IO_TIME_H

#include "analyse/findings/search.h"

/* Sets search->io and search->io_ns, after work_ns. */
enum fm_status fm_io_time_prepare(struct fm_finding_search *search, struct fm_error *error);

/* What these ranks spend in files, at most `of_ns` of it, spread evenly; explains nothing yet. In the order of
 * balance->order; NULL if out of memory, or if there is none. */
double *fm_io_time_of(struct fm_finding_search *search, const struct fm_rankset *ranks, double of_ns);
/* What all ranks would win without this I/O: those with most work end earlier by as much, and the others wait less. */
double fm_io_time_cost(const struct fm_finding_search *search, const double *io_ns);
/* Part of the time in which ranks had a CPU, so that it does not depend on what else runs on the hosts. */
double fm_io_time_share(const struct fm_finding_search *search, double cost_ns);
/* Takes it out of the work and of the I/O that is still to be explained. */
void fm_io_time_explain(struct fm_finding_search *search, const double *io_ns);

/* What one rank alone does with files that no other rank uses. */
struct fm_lone_io {
    double read_ns, write_ns; /* write: also opening, closing, seeking */
    double read_bytes, written_bytes;
    const struct fm_file *longest, *read; /* that takes longest, and of which reading does; NULL: none */
};
struct fm_lone_io fm_io_time_alone(const struct fm_finding_search *search, uint32_t rank);
/* The file, or the class of files: "out/field.nc" */
const char *fm_io_time_name(const struct fm_finding_search *search, const struct fm_io_heaviest *heaviest);

#endif
