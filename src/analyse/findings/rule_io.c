/* SPDX-License-Identifier: BSD-3-Clause */
/* Much of the time is in files. */
#include "analyse/findings/io_place.h"
#include "analyse/findings/io_time.h"
#include "analyse/findings/rules.h"
#include "base/units.h"

/* "2.0 MiB read and 1.0 GiB written" */
static const char *moved_text(struct fm_finding_search *search, const struct fm_io *io)
{
    char read[FM_UNIT_CHARS], written[FM_UNIT_CHARS];
    fm_bytes_text(read, (double)io->read_bytes);
    fm_bytes_text(written, (double)io->written_bytes);
    if (!io->written_bytes)
        return fm_finding_text(search, "%s read", read);
    return io->read_bytes ? fm_finding_text(search, "%s read and %s written", read, written)
                          : fm_finding_text(search, "%s written", written);
}

void fm_rule_io(struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    struct fm_io_heaviest heaviest = fm_io_heaviest(&search->io, false);
    if (!balance->n || !heaviest.class)
        return;
    double cost_ns = fm_io_time_cost(search, search->io_ns), sum_ns = 0, most_ns = 0;
    for (size_t i = 0; i < balance->n; i++) {
        sum_ns += search->io_ns[i];
        most_ns = search->io_ns[i] > most_ns ? search->io_ns[i] : most_ns;
    }
    if (fm_io_time_share(search, cost_ns) < fm_finding_limits.io_cost ||
        cost_ns / (double)balance->n < 1e6 * fm_finding_limits.io_least_ms)
        return;
    struct fm_finding *finding = fm_finding_add(search, cost_ns, false);
    char share[FM_UNIT_CHARS], time[FM_UNIT_CHARS];
    for (size_t i = 0; i < balance->n; i++) /* those for which it matters */
        if (search->io_ns[i] > most_ns / 10)
            search->failed |= !fm_rankset_add(&finding->ranks, search->arena, balance->order[i].rank,
                                              balance->order[i].rank);
    if (search->calls.root)
        finding->place = fm_io_place(&search->calls);
    const struct fm_io *io = heaviest.file ? &heaviest.file->io : &heaviest.class->io;
    fm_finding_evidence(finding, "io_s", sum_ns / 1e9);
    fm_finding_evidence(finding, "io_max_s", most_ns / 1e9);
    fm_finding_evidence(finding, "heaviest_s", (double)fm_io_ns(io) / 1e9);
    fm_finding_evidence(finding, "heaviest_read_bytes", (double)io->read_bytes);
    fm_finding_evidence(finding, "heaviest_written_bytes", (double)io->written_bytes);
    const char *place = fm_finding_place_text(search, &finding->place);
    finding->text = fm_finding_text(search, "File I/O takes %s of the time (%s), most of it for %s: %s in %s%s%s",
                                    fm_percent_whole(share, fm_finding_share(search, sum_ns)),
                                    fm_finding_ranks_text(search, &finding->ranks), fm_io_time_name(search, &heaviest),
                                    moved_text(search, io), fm_time_text(time, (double)fm_io_ns(io)),
                                    place[0] ? ", in " : "", place);
    fm_io_time_explain(search, search->io_ns);
}
