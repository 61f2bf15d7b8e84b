/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/io_time.h"

#include "analyse/balance/split.h"

static double least(double a, double b)
{
    return a < b ? a : b;
}

enum fm_status fm_io_time_prepare(struct fm_finding_search *search, struct fm_error *error)
{
    const struct fm_balance *balance = search->balance;
    search->io_ns = fm_arena_alloc(search->arena, (balance->n + 1) * sizeof *search->io_ns);
    if (!search->io_ns)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the findings");
    for (size_t i = 0; i < balance->n; i++)
        search->io_ns[i] = (double)balance->order[i].io_ns;
    return fm_io_summarise(search->profile, search->arena, &search->io, error);
}

double *fm_io_time_of(struct fm_finding_search *search, const struct fm_rankset *ranks, double of_ns)
{
    const struct fm_balance *balance = search->balance;
    double *io_ns = fm_arena_alloc(search->arena, (balance->n + 1) * sizeof *io_ns), all = 0;
    search->failed |= !io_ns;
    for (size_t i = 0; i < balance->n && io_ns; i++) {
        io_ns[i] = fm_rankset_has(ranks, balance->order[i].rank) ? search->io_ns[i] : 0;
        all += io_ns[i];
    }
    if (!io_ns || all <= 0)
        return NULL;
    for (size_t i = 0; i < balance->n; i++)
        io_ns[i] *= least(1, of_ns / all);
    return io_ns;
}

double fm_io_time_cost(const struct fm_finding_search *search, const double *io_ns)
{
    double longest = 0, without = 0;
    for (size_t i = 0; i < search->balance->n; i++) {
        double rest = search->work_ns[i] - io_ns[i];
        longest = search->work_ns[i] > longest ? search->work_ns[i] : longest;
        without = rest > without ? rest : without;
    }
    return (longest - without) * (double)search->balance->n;
}

double fm_io_time_share(const struct fm_finding_search *search, double cost_ns)
{
    struct fm_split total = fm_split_total(search->profile);
    return fm_ratio(cost_ns, (double)(total.wall_ns - total.no_cpu_ns));
}

void fm_io_time_explain(struct fm_finding_search *search, const double *io_ns)
{
    for (size_t i = 0; i < search->balance->n; i++) {
        search->work_ns[i] -= io_ns[i];
        search->io_ns[i] -= io_ns[i];
    }
}

struct fm_lone_io fm_io_time_alone(const struct fm_finding_search *search, uint32_t rank)
{
    struct fm_lone_io alone = {0};
    for (size_t i = 0; i < search->io.n_files; i++) { /* longest time first */
        const struct fm_file *file = search->io.files[i];
        if (file->mpi || fm_rankset_count(&file->ranks) != 1 || !fm_rankset_has(&file->ranks, rank))
            continue;
        alone.longest = alone.longest ? alone.longest : file;
        if (file->io.read_bytes && (!alone.read || file->io.read_ns > alone.read->io.read_ns))
            alone.read = file;
        alone.read_ns += (double)file->io.read_ns;
        alone.write_ns += (double)file->io.write_ns + (double)file->io.meta_ns;
        alone.read_bytes += (double)file->io.read_bytes;
        alone.written_bytes += (double)file->io.written_bytes;
    }
    return alone;
}

const char *fm_io_time_name(const struct fm_finding_search *search, const struct fm_io_heaviest *heaviest)
{
    return heaviest->file ? fm_io_short_path(search->profile, heaviest->file->path) : heaviest->class->name;
}
