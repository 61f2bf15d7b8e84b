/* SPDX-License-Identifier: BSD-3-Clause */
/* What this folder knows, but for the next definitions (functions.h). */
#ifndef FM_RUNTIME_INTERPOSE_STATE_H
#define FM_RUNTIME_INTERPOSE_STATE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/interpose/functions.h"

enum { FM_OBJECTS_IN_USE = 16 };

/* Objects are listed in the order in which they were loaded: while none is unloaded, those of the last pass come first. */
struct fm_weak_pass {
    unsigned long long loaded, unloaded; /* since the process began */
    unsigned n;
};

struct fm_interpose {
    /* functions.c: where calls go now; NULL: the next definition is not known yet. First: what is exported jumps there. */
    void (*targets[FM_INTERPOSED_FUNCTIONS])(void);
    unsigned asking; /* enum fm_interposer */
    /* next.c: the objects that were loaded with the program */
    unsigned n_at_start;
    const struct link_map *own, *last_at_start;
    /* next.c: objects whose definitions are in use, and those that are kept from being unloaded; their dynamic sections */
    const void *in_use[FM_OBJECTS_IN_USE], *kept[FM_OBJECTS_IN_USE];
    long process; /* next.c: as fm_process_begins found it */
    struct fm_weak_pass weak;
    bool (*before_unloading)(void); /* loads.c */
    void (*after_unloading)(void);
    /* own_syscalls.c: the number of threads inside fm_syscalls_enter and fm_syscalls_leave, and the bit that forbids more */
    atomic_uint callers;
    char sanitizer_options[1024];
};
extern FM_HIDDEN struct fm_interpose fm_interpose;

#endif
