/* SPDX-License-Identifier: BSD-3-Clause */
/* Ancestors that signal our whole process group: the command has received what they send to us as well.
 *
 *   timeout(1)                   signals its own group, unless told to stay in the foreground
 *   a launcher, or its daemons   put each rank into a process group of its own, and signal that
 *
 * slurmstepd is not among them: where it tracks processes by cgroups, as on most clusters, it signals only its
 * children. Unknown ones are assumed to signal only us: a signal delivered twice is better than one that is lost. */
#ifndef FM_CLI_GROUP_SIGNALLERS_H
#define FM_CLI_GROUP_SIGNALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FM_GROUP_SIGNALLERS = 16 };

struct fm_group_signallers {
    pid_t pids[FM_GROUP_SIGNALLERS];
    size_t n;
};

/* Looks at the current ancestors; there may be a shell between us and one of them. */
void fm_group_signallers_find(struct fm_group_signallers *signallers);
/* Async-signal-safe. */
bool fm_group_signallers_have(const struct fm_group_signallers *signallers, pid_t pid);

#endif
