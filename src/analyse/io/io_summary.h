/* SPDX-License-Identifier: BSD-3-Clause */
/* File I/O of a job: totals, and files and their classes with the longest time first.
 *
 * Memory comes from the caller's arena; the profile must outlive the summary. */
#ifndef FM_ANALYSE_IO_IO_SUMMARY_H
#define FM_ANALYSE_IO_IO_SUMMARY_H

#include "model/profile.h"

/* Requests below this many bytes are small: the call costs more than moving the data. */
enum { FM_SMALL_REQUEST_BYTES = 4096 };

struct fm_io_class {
    const struct fm_class_of_files *of;
    uint64_t files; /* different ones */
    bool at_most;   /* not all are known by name: `files` may count a file once for each rank that uses it */
    uint64_t small; /* requests */
};

struct fm_io_summary {
    bool known;         /* for some process */
    uint64_t time_ns;   /* outside MPI, sum over ranks */
    uint64_t mpi_ns;    /* in MPI-IO */
    struct fm_io total; /* with MPI-IO */
    uint64_t requests;  /* reads and writes */
    uint64_t small;     /* the small ones among them */
    uint64_t sized;     /* requests that transferred something */
    uint64_t read_sizes[FM_REQUEST_BINS], write_sizes[FM_REQUEST_BINS];
    struct fm_io_class *classes;
    size_t n_classes;
    const struct fm_file **files;
    size_t n_files;
};

enum fm_status fm_io_summarise(const struct fm_profile *profile, struct fm_arena *arena, struct fm_io_summary *summary,
                               struct fm_error *error);

/* What takes longest, outside MPI or also with MPI-IO: a file, or a class if several of its files together do. Both NULL:
 * nothing. */
struct fm_io_heaviest {
    const struct fm_class_of_files *class;
    const struct fm_file *file; /* of this class; NULL: several */
};
struct fm_io_heaviest fm_io_heaviest(const struct fm_io_summary *summary, bool with_mpi);
/* The file of a class that takes longest; NULL if it has less than three quarters of the time of the
 * class. */
const struct fm_file *fm_io_heaviest_file(const struct fm_io_summary *summary, const struct fm_class_of_files *class);

/* Below the directory that the job was started in: relative to it. */
const char *fm_io_short_path(const struct fm_profile *profile, const char *path);

enum fm_io_access { FM_IO_NOT_ACCESSED, FM_IO_READ_ONLY, FM_IO_WRITE_ONLY, FM_IO_READ_AND_WRITTEN };
enum fm_io_access fm_io_access(const struct fm_io *io);

#endif
