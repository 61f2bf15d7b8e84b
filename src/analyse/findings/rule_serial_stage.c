/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank works in functions that no other rank executes, while the others wait in MPI. */
#include "analyse/findings/rules.h"
#include "analyse/findings/serial.h"
#include "base/units.h"

void fm_rule_serial_stage(struct fm_finding_search *search)
{
    struct fm_serial_stage stage;
    char time[FM_UNIT_CHARS];
    if (search->stage_found || !fm_serial_find(search, &stage))
        return;
    struct fm_finding *finding = fm_serial_add(search, &stage);
    const char *place = fm_finding_place_text(search, &finding->place);
    finding->text = fm_finding_text(search, "Rank %u works alone for %s while the others wait%s%s", stage.rank,
                                    fm_time_text(time, stage.work.ns), place[0] ? ", most of it in " : "", place);
}
