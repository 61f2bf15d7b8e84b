#include "analyse/io/io_summary.h"

#include <string.h>

#include "tap.h"

int main(void)
{
    struct fm_arena arena = {0};
    struct fm_io_summary summary;
    struct fm_range two = {0, 1}, one = {0, 0};
    struct fm_process processes[] = {fm_process_of(0, FM_END_FINALIZED), fm_process_of(1, FM_END_FINALIZED)};
    processes[1].io_ns = 30;
    struct fm_file files[] = {
        {.class = "*.a", .path = "/1.a", .io = {.reads = 1, .read_ns = 10}, .ranks = {&two, 1, 1}},
        {.class = "*.a", .path = "/2.a", .io = {.writes = 1, .write_ns = 20}, .ranks = {&one, 1, 1}},
        {.class = "*.b", .path = "/1.b", .io = {.opens = 1}, .ranks = {&one, 1, 1}},
    };
    struct fm_class_of_files classes[] = {
        {.name = "*.a",
         .files = 3,
         .io = {.reads = 1, .writes = 1, .read_ns = 10, .write_ns = 20},
         .read_sizes = {5, 4, 3, 2},
         .ranks = {&two, 1, 1}},
        {.name = "*.a", .mpi = 1, .files = 1, .io = {.writes = 7, .write_ns = 100}, .ranks = {&one, 1, 1}},
        {.name = "*.b", .files = 9, .io = {.opens = 1}, .ranks = {&one, 1, 1}},
    };
    struct fm_profile profile = {.processes = processes,
                                 .n_processes = 2,
                                 .files = files,
                                 .n_files = 3,
                                 .file_classes = classes,
                                 .n_file_classes = 3};
    tap_ok(fm_io_summarise(&profile, &arena, &summary, NULL) == FM_OK && summary.known, "a job with file I/O");
    tap_ok(summary.time_ns == 30 && summary.mpi_ns == 100, "MPI-IO is not among the time outside MPI");
    tap_ok(summary.requests == 9 && summary.sized == 14 && summary.small == 12, "small requests are below 4 KiB");
    tap_ok(summary.n_classes == 3 && summary.classes[0].of == &classes[1] && summary.classes[2].of == &classes[2],
           "the heaviest class is first");
    tap_ok(summary.files[0] == &files[1] && summary.files[2] == &files[2], "the heaviest file is first");
    tap_ok(summary.classes[1].files == 2 && !summary.classes[1].at_most, "a shared file is one file");
    tap_ok(summary.classes[2].files == 9 && summary.classes[2].at_most, "files without a name may be shared");
    tap_ok(fm_io_access(&files[0].io) == FM_IO_READ_ONLY && fm_io_access(&files[1].io) == FM_IO_WRITE_ONLY &&
               fm_io_access(&files[2].io) == FM_IO_NOT_ACCESSED &&
               fm_io_access(&classes[0].io) == FM_IO_READ_AND_WRITTEN,
           "access");
    processes[1].io_ns = FM_UNKNOWN;
    tap_ok(fm_io_summarise(&profile, &arena, &summary, NULL) == FM_OK && !summary.known, "an older profile");
    fm_arena_destroy(&arena);
    return tap_done();
}
