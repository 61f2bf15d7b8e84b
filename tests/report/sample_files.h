/* File I/O of the sample: an input that all ranks read, an output of each rank, a log in small requests, and MPI-IO. */
#ifndef FM_TESTS_SAMPLE_FILES_H
#define FM_TESTS_SAMPLE_FILES_H

#include "report/sample.h"

static inline void sample_file(struct fm_profile *profile, const char *class, const char *path, struct fm_io io,
                               uint32_t first, uint32_t last, uint32_t mpi)
{
    struct fm_file *file = &profile->files[profile->n_files++];
    *file = (struct fm_file){.class = class, .mpi = mpi, .path = path, .io = io};
    fm_rankset_add(&file->ranks, &profile->arena, first, last);
}

static inline void sample_class(struct fm_profile *profile, const char *name, uint64_t files, struct fm_io io,
                                unsigned bin, uint32_t last, uint32_t mpi)
{
    struct fm_class_of_files *class = &profile->file_classes[profile->n_file_classes++];
    *class = (struct fm_class_of_files){.name = name, .mpi = mpi, .files = files, .io = io};
    class->read_sizes[bin] = io.reads;
    class->write_sizes[bin] = io.writes;
    fm_rankset_add(&class->ranks, &profile->arena, 0, last);
    fm_spread_add(&class->time_ns, io.read_ns + io.write_ns + io.meta_ns, 0);
    fm_spread_add(&class->bytes, io.read_bytes + io.written_bytes, 0);
}

static inline void sample_add_files(struct fm_profile *profile)
{
    static const char log[] = "log below /home/ann/run*", data[] = "*.nc below /scratch/ann",
                      out[] = "out.* below /scratch/ann";
    uint32_t ranks = profile->job.ranks, last = ranks - 1;
    struct fm_io input = {.opens = ranks,
                          .reads = 40ull * ranks,
                          .read_bytes = ranks * (160ull << 20),
                          .read_ns = 300 * MS * ranks,
                          .meta_ns = 2 * MS * ranks};
    struct fm_io restart = {.opens = ranks,
                            .writes = 2ull * ranks,
                            .syncs = ranks,
                            .written_bytes = ranks * (8ull << 20),
                            .write_ns = 90 * MS * ranks};
    struct fm_io own = {
        .opens = 1, .writes = 10, .written_bytes = 10 << 20, .rewritten_bytes = 1 << 20, .write_ns = 50 * MS};
    struct fm_io all = {.opens = ranks,
                        .writes = 10ull * ranks,
                        .written_bytes = ranks * (10ull << 20),
                        .rewritten_bytes = ranks * (1ull << 20),
                        .write_ns = 50 * MS * ranks};
    struct fm_io lines = {.opens = 1, .writes = 200000, .written_bytes = 8000000, .write_ns = 400 * MS};
    profile->files = sample_alloc(profile, 8 * sizeof *profile->files);
    profile->file_classes = sample_alloc(profile, 8 * sizeof *profile->file_classes);
    sample_file(profile, data, "/scratch/ann/ocean.nc", input, 0, last, 0);
    sample_file(profile, data, "/scratch/ann/restart.nc", restart, 0, last, 1);
    sample_file(profile, log, "/home/ann/run12/log", lines, 0, 0, 0);
    sample_file(profile, out, "/scratch/ann/out.0000", own, 0, 0, 0);
    sample_class(profile, data, ranks, input, 8, last, 0);
    sample_class(profile, data, ranks, restart, 8, last, 1);
    sample_class(profile, log, 1, lines, 0, 0, 0);
    sample_class(profile, out, ranks, all, 7, last, 0);
    for (uint32_t rank = 0; rank < profile->n_processes; rank++) {
        struct fm_process *process = &profile->processes[rank];
        process->io_ns = (352 + (rank ? 0 : 400)) * MS;
        process->read_bytes = 160ull << 20;
        process->written_bytes = (18ull << 20) + (rank ? 0 : 8000000);
    }
}

#endif
