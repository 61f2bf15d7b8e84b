/* SPDX-License-Identifier: BSD-3-Clause */
/* Very many requests with few bytes: their cost is that of the system call, not of the data. */
#include "analyse/findings/io_place.h"
#include "analyse/findings/io_time.h"
#include "analyse/findings/rules.h"
#include "base/units.h"

struct requests {
    double n, avg_bytes, avg_ns, per_second; /* of each rank that uses these files */
};

static struct requests requests_of(const struct fm_finding_search *search, const struct fm_class_of_files *class)
{
    const struct fm_io *io = &class->io;
    double n = (double)io->reads + (double)io->writes, ranks = (double)fm_rankset_count(&class->ranks);
    return (struct requests){
        .n = n,
        .avg_bytes = fm_ratio((double)io->read_bytes + (double)io->written_bytes, n),
        .avg_ns = fm_ratio((double)io->read_ns + (double)io->write_ns, n),
        .per_second = fm_ratio(n, ranks * search->balance->mean_wall_ns / 1e9),
    };
}

static bool are_small(const struct requests *requests)
{
    return requests->avg_bytes <= fm_finding_limits.small_io_bytes &&
           requests->per_second >= fm_finding_limits.small_io_rate &&
           requests->avg_ns >= 1e3 * fm_finding_limits.small_io_us;
}

static void report(struct fm_finding_search *search, const struct fm_class_of_files *class,
                   const struct requests *requests, double cost_ns)
{
    struct fm_finding *finding = fm_finding_add(search, cost_ns, false);
    struct fm_io_heaviest files = {class, fm_io_heaviest_file(&search->io, class)};
    char count[FM_UNIT_CHARS], size[FM_UNIT_CHARS], time[FM_UNIT_CHARS];
    fm_finding_ranks(search, finding, &class->ranks);
    if (search->calls.root && fm_io_heaviest(&search->io, false).class == class)
        finding->place = fm_io_place(&search->calls);
    fm_finding_evidence(finding, "requests", requests->n);
    fm_finding_evidence(finding, "requests_per_rank_and_second", requests->per_second);
    fm_finding_evidence(finding, "request_avg_bytes", requests->avg_bytes);
    fm_finding_evidence(finding, "request_avg_s", requests->avg_ns / 1e9);
    const char *place = fm_finding_place_text(search, &finding->place);
    finding->text = fm_finding_text(search, "Many small requests for %s (%s): %s of %s on average take %s%s%s",
                                    fm_io_time_name(search, &files), fm_finding_ranks_text(search, &finding->ranks),
                                    fm_count_text(count, fm_rounded(requests->n)),
                                    fm_bytes_text(size, requests->avg_bytes),
                                    fm_time_text(time, requests->n * requests->avg_ns), place[0] ? ", in " : "", place);
}

void fm_rule_small_io(struct fm_finding_search *search)
{
    for (size_t i = 0; i < search->io.n_classes; i++) {
        const struct fm_class_of_files *class = search->io.classes[i].of;
        struct requests requests = requests_of(search, class);
        if (class->mpi || !are_small(&requests))
            continue;
        const double *io_ns = fm_io_time_of(search, &class->ranks, requests.n * requests.avg_ns);
        double cost_ns = io_ns ? fm_io_time_cost(search, io_ns) : 0;
        if (fm_io_time_share(search, cost_ns) < fm_finding_limits.small_io_cost)
            continue;
        report(search, class, &requests, cost_ns);
        fm_io_time_explain(search, io_ns);
    }
}
