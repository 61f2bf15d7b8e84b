/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank reads files alone, and the others wait for what it distributes. */
#include "analyse/findings/rules.h"
#include "analyse/findings/serial.h"
#include "base/names.h"
#include "base/units.h"

/* The routine by which data are distributed and that waits longest; NULL if none waits for as long as the stage takes. */
static const struct fm_wait *distribution(const struct fm_finding_search *search, double cost_ns)
{
    for (size_t i = 0; i < search->waits.n; i++) {
        const struct fm_wait *wait = &search->waits.items[i];
        if (fm_names_fit("MPI_Bcast*\0MPI_Scatter*\0", wait->routine) &&
            wait->waiting_ns >= fm_finding_limits.read_explained * cost_ns)
            return wait;
    }
    return NULL;
}

/* As measured at the calls, or as sampled: that includes converting what is read, but calls of some libraries are not
 * known by name. */
static double reading_ns(const struct fm_serial_stage *stage)
{
    double measured = stage->io.read_ns < stage->work.ns ? stage->io.read_ns : stage->work.ns;
    return measured > stage->work.reading_ns ? measured : stage->work.reading_ns;
}

/* "input.dat (2.0 MiB)", "files" if it is not known which */
static const char *files_text(struct fm_finding_search *search, const struct fm_serial_stage *stage)
{
    char bytes[FM_UNIT_CHARS];
    const struct fm_file *file = stage->io.read;
    if (!file)
        return "files";
    return fm_finding_text(search, "%s (%s)", fm_io_short_path(search->profile, file->path),
                           fm_bytes_text(bytes, (double)file->io.read_bytes));
}

void fm_rule_read_and_broadcast(struct fm_finding_search *search)
{
    struct fm_serial_stage stage;
    char time[FM_UNIT_CHARS];
    if (!fm_serial_find(search, &stage) || reading_ns(&stage) < fm_finding_limits.read_explained * stage.work.ns)
        return;
    const struct fm_wait *wait = distribution(search, stage.cost_ns);
    if (!wait)
        return;
    struct fm_finding *finding = fm_serial_add(search, &stage);
    struct fm_finding_place there = fm_finding_site(search, &wait->site, wait->routine);
    fm_finding_evidence(finding, "reading_s", reading_ns(&stage) / 1e9);
    fm_finding_evidence(finding, "waiting_s", wait->waiting_ns / 1e9);
    const char *place = fm_finding_place_text(search, &finding->place);
    finding->text = fm_finding_text(search, "Rank %u reads %s alone for %s%s%s while the others wait in %s", stage.rank,
                                    files_text(search, &stage), fm_time_text(time, reading_ns(&stage)),
                                    place[0] ? " in " : "", place, fm_finding_call_text(search, wait->routine, &there));
}
