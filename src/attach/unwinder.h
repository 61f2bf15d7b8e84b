/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinds captured threads (attach/capture.h) with elfutils, from the load modules of a process as listed in /proc and
 * their unwind tables. One unwinder per process. */
#ifndef FM_ATTACH_UNWINDER_H
#define FM_ATTACH_UNWINDER_H

#include "attach/capture.h"
#include "attach/samples.h"

struct fm_dwfl_unwinder;

/* The result of unwinding. */
struct fm_unwound {
    uint32_t node; /* 0: out of memory */
    bool complete; /* up to the outermost frame */
    bool own;      /* a function of the program itself is on the stack, not only of libraries */
};

/* thread: any live thread. exe: the path of the program. Returns NULL if the load modules of the process cannot be
 * found. */
struct fm_dwfl_unwinder *fm_dwfl_unwinder_open(pid_t thread, const char *exe);
void fm_dwfl_unwinder_close(struct fm_dwfl_unwinder *unwinder);

/* `capture` must be of `thread`; the call path is added to the tree of `samples`. */
struct fm_unwound fm_dwfl_unwinder_unwind(struct fm_dwfl_unwinder *unwinder, pid_t thread,
                                          const struct fm_capture *capture, struct fm_attach_samples *samples);

#endif
