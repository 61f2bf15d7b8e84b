/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/io/io_summary.h"

#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "model/lists.h"
#include "model/order.h"

static int by_time(const struct fm_io *a, const struct fm_io *b)
{
    int order = fm_compare_number(fm_io_ns(b), fm_io_ns(a));
    return order ? order
                 : fm_compare_number(fm_sum(b->read_bytes, b->written_bytes), fm_sum(a->read_bytes, a->written_bytes));
}

static int compare_classes(const void *a, const void *b)
{
    const struct fm_class_of_files *x = ((const struct fm_io_class *)a)->of, *y = ((const struct fm_io_class *)b)->of;
    int order = by_time(&x->io, &y->io);
    return order ? order : fm_list_file_classes.compare(x, y);
}

static int compare_files(const void *a, const void *b)
{
    const struct fm_file *x = *(const struct fm_file *const *)a, *y = *(const struct fm_file *const *)b;
    int order = by_time(&x->io, &y->io);
    return order ? order : fm_list_files.compare(x, y);
}

/* The files of a class that are known by name, and how often they are counted in its sum over ranks. Those that are not
 * known may all be different ones. */
static void count_files(const struct fm_profile *profile, struct fm_io_class *class)
{
    uint64_t named = 0, counted = 0;
    for (size_t i = 0; i < profile->n_files; i++) {
        const struct fm_file *file = &profile->files[i];
        if (file->mpi != class->of->mpi || fm_compare_text(file->class, class->of->name) != 0)
            continue;
        named++;
        fm_add_saturating(&counted, fm_rankset_count(&file->ranks));
    }
    class->at_most = class->of->files > counted;
    class->files = fm_sum(named, class->at_most ? class->of->files - counted : 0);
}

static void count_sizes(const struct fm_class_of_files *of, struct fm_io_summary *summary, struct fm_io_class *class)
{
    for (unsigned i = 0; i < FM_REQUEST_BINS; i++) {
        uint64_t requests = fm_sum(of->read_sizes[i], of->write_sizes[i]);
        fm_add_saturating(&summary->read_sizes[i], of->read_sizes[i]);
        fm_add_saturating(&summary->write_sizes[i], of->write_sizes[i]);
        fm_add_saturating(&summary->sized, requests);
        if (fm_request_bin_to(i) < FM_SMALL_REQUEST_BYTES)
            fm_add_saturating(&class->small, requests);
    }
}

static void add_io(struct fm_io *into, const struct fm_io *from)
{
    fm_add_saturating(&into->opens, from->opens);
    fm_add_saturating(&into->reads, from->reads);
    fm_add_saturating(&into->writes, from->writes);
    fm_add_saturating(&into->seeks, from->seeks);
    fm_add_saturating(&into->syncs, from->syncs);
    fm_add_saturating(&into->read_bytes, from->read_bytes);
    fm_add_saturating(&into->written_bytes, from->written_bytes);
    fm_add_saturating(&into->rewritten_bytes, from->rewritten_bytes);
    fm_add_saturating(&into->read_ns, from->read_ns);
    fm_add_saturating(&into->write_ns, from->write_ns);
    fm_add_saturating(&into->meta_ns, from->meta_ns);
}

static void add_class(const struct fm_profile *profile, const struct fm_class_of_files *of,
                      struct fm_io_summary *summary)
{
    struct fm_io_class *class = &summary->classes[summary->n_classes++];
    *class = (struct fm_io_class){.of = of};
    count_files(profile, class);
    count_sizes(of, summary, class);
    fm_add_saturating(of->mpi ? &summary->mpi_ns : &summary->time_ns, fm_io_ns(&of->io));
    fm_add_saturating(&summary->small, class->small);
    add_io(&summary->total, &of->io);
}

enum fm_status fm_io_summarise(const struct fm_profile *profile, struct fm_arena *arena, struct fm_io_summary *summary,
                               struct fm_error *error)
{
    *summary = (struct fm_io_summary){
        .classes = fm_arena_alloc(arena, profile->n_file_classes * sizeof *summary->classes),
        .files = fm_arena_alloc(arena, profile->n_files * sizeof *summary->files),
        .n_files = profile->n_files,
    };
    if (!summary->classes || !summary->files)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to summarise file I/O");
    for (size_t i = 0; i < profile->n_processes; i++)
        summary->known |= profile->processes[i].io_ns != FM_UNKNOWN;
    for (size_t i = 0; i < profile->n_file_classes; i++)
        add_class(profile, &profile->file_classes[i], summary);
    for (size_t i = 0; i < profile->n_files; i++)
        summary->files[i] = &profile->files[i];
    summary->requests = fm_sum(summary->total.reads, summary->total.writes);
    if (!fm_sort(summary->classes, summary->n_classes, sizeof *summary->classes, compare_classes, arena) ||
        !fm_sort(summary->files, summary->n_files, sizeof *summary->files, compare_files, arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to sort files");
    return FM_OK;
}

const struct fm_file *fm_io_heaviest_file(const struct fm_io_summary *summary, const struct fm_class_of_files *class)
{
    for (size_t i = 0; i < summary->n_files; i++) {
        const struct fm_file *file = summary->files[i];
        if (file->mpi == class->mpi && fm_compare_text(file->class, class->name) == 0)
            return fm_io_ns(&file->io) < fm_io_ns(&class->io) / 4 * 3 ? NULL : file;
    }
    return NULL;
}

struct fm_io_heaviest fm_io_heaviest(const struct fm_io_summary *summary, bool with_mpi)
{
    for (size_t i = 0; i < summary->n_classes; i++) {
        const struct fm_class_of_files *class = summary->classes[i].of;
        if (with_mpi || !class->mpi)
            return (struct fm_io_heaviest){class, fm_io_heaviest_file(summary, class)};
    }
    return (struct fm_io_heaviest){NULL, NULL};
}

const char *fm_io_short_path(const struct fm_profile *profile, const char *path)
{
    const char *directory = profile->job.cwd;
    size_t n = strlen(directory);
    return n > 1 && strncmp(path, directory, n) == 0 && path[n] == '/' && path[n + 1] ? path + n + 1 : path;
}

enum fm_io_access fm_io_access(const struct fm_io *io)
{
    if (io->reads && io->writes)
        return FM_IO_READ_AND_WRITTEN;
    return io->writes ? FM_IO_WRITE_ONLY : io->reads ? FM_IO_READ_ONLY : FM_IO_NOT_ACCESSED;
}
