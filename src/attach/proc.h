/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc of other processes. They may end at any moment; the result is then that nothing was found. */
#ifndef FM_ATTACH_PROC_H
#define FM_ATTACH_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

struct fm_proc {
    pid_t pid, parent;
    char name[32]; /* of the program, truncated by the kernel */
    bool ended;    /* a zombie: only its exit status is left */
};

bool fm_proc_read(pid_t pid, struct fm_proc *proc);
/* All processes, sorted by pid. Returns NULL if out of memory. */
struct fm_proc *fm_proc_list(struct fm_arena *arena, size_t *n);

/* A live thread of a process: the main thread, unless that has called pthread_exit while others continue; the kernel
 * then shows the data of the process only under those. */
pid_t fm_proc_thread(pid_t pid);
/* Whether it belongs to our user: nothing of another user is ever executed or loaded. */
bool fm_proc_is_ours(pid_t pid);
/* The content of a file of the process, NUL-terminated, of at most a few MiB; NULL if there is none. */
char *fm_proc_file(pid_t pid, const char *name, struct fm_arena *arena, size_t *bytes);
/* The target of a link of the process, such as "exe" or "cwd"; "" if unknown. */
const char *fm_proc_link(pid_t pid, const char *name, struct fm_arena *arena);
/* The build id of its program, in hex; "" if unknown. */
const char *fm_proc_build_id(pid_t pid, struct fm_arena *arena);
/* A variable in the NUL-separated text of its environment; NULL if not set. */
const char *fm_proc_variable(const char *environment, size_t bytes, const char *name);
/* The path of a load module whose file name begins with `beginning`; NULL if there is none. */
const char *fm_proc_mapped(const char *maps, const char *beginning, struct fm_arena *arena);

#endif
