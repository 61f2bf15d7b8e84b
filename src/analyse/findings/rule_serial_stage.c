/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank works in functions that no other rank executes, while the others wait in MPI. */
#include "analyse/findings/rules.h"
#include "analyse/findings/serial.h"
#include "base/units.h"

/* "; it writes 2.0 MiB to out.dat", if that is much of the stage; else "". Of several files one is named. */
static const char *file_text(struct fm_finding_search *search, const struct fm_serial_stage *stage)
{
    static const double MOST = 0.5;
    char text[FM_UNIT_CHARS];
    const struct fm_file *file = stage->io.longest;
    double io_ns = stage->io.read_ns + stage->io.write_ns;
    io_ns = io_ns > stage->work.io_ns ? io_ns : stage->work.io_ns;
    if (!file || io_ns < fm_finding_limits.serial_io * stage->work.ns)
        return "";
    bool writes = file->io.written_bytes >= file->io.read_bytes;
    double bytes = (double)(writes ? file->io.written_bytes : file->io.read_bytes);
    double all = writes ? stage->io.written_bytes : stage->io.read_bytes;
    return fm_finding_text(search, "; it %s %s %s %s%s", writes ? "writes" : "reads", fm_bytes_text(text, all),
                           writes ? "to" : "from", bytes < MOST * all ? "files such as " : "",
                           fm_io_short_path(search->profile, file->path));
}

void fm_rule_serial_stage(struct fm_finding_search *search)
{
    struct fm_serial_stage stage;
    char time[FM_UNIT_CHARS];
    if (search->stage_found || !fm_serial_find(search, &stage))
        return;
    struct fm_finding *finding = fm_serial_add(search, &stage);
    const char *place = fm_finding_place_text(search, &finding->place);
    finding->text = fm_finding_text(search, "Rank %u works alone for %s while the others wait%s%s%s", stage.rank,
                                    fm_time_text(time, stage.work.ns), place[0] ? ", most of it in " : "", place,
                                    file_text(search, &stage));
}
