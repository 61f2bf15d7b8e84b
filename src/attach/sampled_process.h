/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a sampled process and the state of each. */
#ifndef FM_ATTACH_SAMPLED_PROCESS_H
#define FM_ATTACH_SAMPLED_PROCESS_H

#include <stdatomic.h>

#include "attach/capture_queue.h"
#include "attach/targets.h"

struct fm_sampled_process_thread {
    struct fm_capture_thread of;
    bool here;    /* found when threads were listed last */
    bool matters; /* it is the main thread, or was seen in the program itself */
    bool
        apart; /* it runs when the main thread does: sampled at a moment of its own, as two are never stopped at once */
    bool asked; /* a request to stop is pending */
    bool ended;
    uint64_t pc, sp;              /* where it slept at its last sample; 0: it did not */
    struct fm_capture_item *item; /* of the capture in progress */
};

struct fm_sampled_process {
    const struct fm_target *target;
    atomic_bool alive;
    bool asked; /* one of its threads has a pending request; never two: after an exec, each would wait for the other */
    struct fm_sampled_process_thread *threads;
    size_t n, capacity;
};

void fm_sampled_process_open(struct fm_sampled_process *process, const struct fm_target *target);
void fm_sampled_process_close(struct fm_sampled_process *process, struct fm_capture_queue *queue);
/* Updates the threads from /proc, or finds that the process has ended. Returns false if out of memory. */
bool fm_sampled_process_list(struct fm_sampled_process *process, struct fm_capture_queue *queue);
struct fm_sampled_process_thread *fm_sampled_process_find(struct fm_sampled_process *process, pid_t tid);

#endif
