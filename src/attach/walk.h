/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths from pictures of threads (attach/shot.h), with elfutils: the load modules of a process, as /proc has them,
 * and their tables for unwinding. One for each process. */
#ifndef FM_ATTACH_WALK_H
#define FM_ATTACH_WALK_H

#include "attach/samples.h"
#include "attach/shot.h"

struct fm_walker;

/* What a walk has found. */
struct fm_walked {
    uint32_t node; /* 0: no memory */
    bool complete; /* up to the outermost frame */
    bool own;      /* a function of the program itself is there, not of libraries alone */
};

/* thread: any that lives. exe: the path of the program. NULL: the modules of the process cannot be found. */
struct fm_walker *fm_walker_open(pid_t thread, const char *exe);
void fm_walker_close(struct fm_walker *walker);

/* The picture is of that thread. */
struct fm_walked fm_walker_walk(struct fm_walker *walker, pid_t thread, const struct fm_shot *shot,
                                struct fm_samples *samples);

#endif
