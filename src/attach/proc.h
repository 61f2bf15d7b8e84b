/* SPDX-License-Identifier: BSD-3-Clause */
/* What /proc says of other processes. Everything there may be gone at any moment: then there is nothing to be said. */
#ifndef FM_ATTACH_PROC_H
#define FM_ATTACH_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

struct fm_proc {
    pid_t pid, parent;
    char name[32]; /* of the program, cut by the kernel */
    bool ended;    /* only its exit status is left */
};

bool fm_proc_read(pid_t pid, struct fm_proc *proc);
/* All processes that there are, sorted by pid. NULL: no memory. */
struct fm_proc *fm_proc_list(struct fm_arena *arena, size_t *n);

/* A thread of it that lives: the first, unless that has left by pthread_exit and others go on; then the kernel shows
 * what the process has only as theirs. */
pid_t fm_proc_thread(pid_t pid);
/* Whether it is of the user that we are: nothing of another user's is ever executed or loaded. */
bool fm_proc_is_ours(pid_t pid);
/* A whole file of the process, NUL behind it, of at most some MiB; NULL: none. */
char *fm_proc_file(pid_t pid, const char *name, struct fm_arena *arena, size_t *bytes);
/* Where a link of the process leads, as "exe", "cwd"; "" when that is not known. */
const char *fm_proc_link(pid_t pid, const char *name, struct fm_arena *arena);
/* The build id of its program, in hex; "" when that is not known. */
const char *fm_proc_build_id(pid_t pid, struct fm_arena *arena);
/* A variable in the NUL-separated text of its environment; NULL: it has none. */
const char *fm_proc_variable(const char *environment, size_t bytes, const char *name);
/* The path of a load module whose last part begins so; NULL: it has none. */
const char *fm_proc_mapped(const char *maps, const char *beginning, struct fm_arena *arena);

#endif
