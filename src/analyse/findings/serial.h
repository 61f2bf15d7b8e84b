/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage that one rank executes alone while the others wait: functions or lines in its call paths that no other rank has,
 * and about as much more time of the others in MPI. */
#ifndef FM_ANALYSE_FINDINGS_SERIAL_H
#define FM_ANALYSE_FINDINGS_SERIAL_H

#include "analyse/findings/io_time.h"
#include "analyse/findings/search.h"
#include "analyse/findings/work_place.h"

struct fm_serial_stage {
    uint32_t rank;
    struct fm_lone_work work;
    struct fm_lone_io io;
    double waiting_ns; /* by how much the others spend more time in MPI, mean */
    double stage_ns;   /* what the rank does alone and the others wait for */
    double cost_ns;
};

/* Returns false if there is none, or it costs too little. */
bool fm_serial_find(struct fm_finding_search *search, struct fm_serial_stage *stage);

/* Adds a finding with everything but the text, and takes the stage out of the work of its rank, and out of
 * its I/O. */
struct fm_finding *fm_serial_add(struct fm_finding_search *search, const struct fm_serial_stage *stage);

#endif
