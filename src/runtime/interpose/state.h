/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of this folder, except for the next definitions (functions.h). */
#ifndef FM_RUNTIME_INTERPOSE_STATE_H
#define FM_RUNTIME_INTERPOSE_STATE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/interpose/functions.h"

enum { FM_OBJECTS_IN_USE = 16 };

/* Objects are listed in load order: as long as none is unloaded, those of the last pass come first. */
struct fm_weak_pass {
    unsigned long long loaded, unloaded; /* since the process started */
    unsigned n;
};

struct fm_interpose {
    /* functions.c: current targets of calls; NULL: not resolved yet. First member: the exported jump stubs read it. */
    void (*targets[FM_INTERPOSED_FUNCTIONS])(void);
    unsigned asking, announced; /* enum fm_interposer */
    /* next.c: objects loaded with the program */
    unsigned n_at_start;
    const struct link_map *own, *last_at_start;
    /* next.c: dynamic sections of objects whose definitions are in use, and of those that are kept loaded */
    const void *in_use[FM_OBJECTS_IN_USE], *kept[FM_OBJECTS_IN_USE];
    long process; /* next.c: pid recorded by fm_process_begins */
    struct fm_weak_pass weak;
    bool (*before_unloading)(void); /* loads.c */
    void (*after_unloading)(void);
    /* own_syscalls.c: the number of threads inside fm_syscalls_enter and fm_syscalls_leave, and the bit that forbids more */
    atomic_uint callers;
    char sanitizer_options[1024];
};
extern FM_HIDDEN struct fm_interpose fm_interpose;

#endif
