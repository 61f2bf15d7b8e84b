/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank works in functions that no other rank executes, while the others wait in MPI. */
#include "analyse/findings/rules.h"
#include "analyse/findings/serial.h"
#include "base/units.h"

/* As measured at the calls, or as sampled: calls that are not measured, such as those of printf, are known by name. */
static bool is_much_io(const struct fm_serial_stage *stage)
{
    double measured = stage->io.read_ns + stage->io.write_ns;
    double io_ns = measured > stage->work.io_ns ? measured : stage->work.io_ns;
    return io_ns > 0 && io_ns >= fm_finding_limits.serial_io * stage->work.ns;
}

/* If the stage computes, that of the rule. A parallel file system does not format faster. */
static const char *advice_for(const struct fm_serial_stage *stage, const char *to_compute)
{
    if (!is_much_io(stage))
        return to_compute;
    if (stage->work.formatting_ns >= fm_finding_limits.serial_formatting * stage->work.io_ns &&
        stage->work.formatting_ns > 0)
        return "Most of the I/O is converting numbers to or from text: use unformatted (binary) files, let each rank "
               "convert its own part, or let a rank of its own do it while the others continue.";
    return "Let all ranks take part in the I/O, with MPI-IO or a parallel library (parallel netCDF or HDF5), or let a "
           "rank of its own do it while the others continue.";
}

/* "; it writes 2.0 MiB to out.dat", if that is much of the stage; else "". Of several files one is named. */
static const char *file_text(struct fm_finding_search *search, const struct fm_serial_stage *stage)
{
    static const double MOST = 0.5;
    char text[FM_UNIT_CHARS];
    const struct fm_file *file = stage->io.longest;
    if (!file || !is_much_io(stage))
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
    finding->advice = advice_for(&stage, finding->advice);
    const char *place = fm_finding_place_text(search, &finding->place);
    finding->text = fm_finding_text(search, "Rank %u works alone for %s while the others wait%s%s%s", stage.rank,
                                    fm_time_text(time, stage.work.ns), place[0] ? ", most of it in " : "", place,
                                    file_text(search, &stage));
}
