/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a process that is sampled, and what is going on with each. */
#ifndef FM_ATTACH_WATCHED_H
#define FM_ATTACH_WATCHED_H

#include <stdatomic.h>

#include "attach/picture.h"
#include "attach/targets.h"

struct fm_watched_thread {
    struct fm_shot_thread of;
    bool here;    /* seen in this list */
    bool matters; /* the first of its process, or was seen in the program itself */
    bool apart;   /* ran as the first did, and two are never asked at once: it has a moment of its own, too */
    bool asked;   /* to stop */
    bool ended;
    uint64_t pc, sp;            /* where it slept in its last picture; 0: it did not */
    struct fm_picture *picture; /* that is being taken */
};

struct fm_watched {
    const struct fm_target *target;
    atomic_bool alive;
    bool asked; /* one of its threads was asked to stop; never two: should it exec, each would wait for the other */
    struct fm_watched_thread *threads;
    size_t n, capacity;
};

void fm_watched_open(struct fm_watched *watched, const struct fm_target *target);
void fm_watched_close(struct fm_watched *watched, struct fm_pictures *pictures);
/* Threads that have come and gone since the last time, or all of it. false: no memory. */
bool fm_watched_list(struct fm_watched *watched, struct fm_pictures *pictures);
struct fm_watched_thread *fm_watched_find(struct fm_watched *watched, pid_t tid);

#endif
