/* SPDX-License-Identifier: BSD-3-Clause */
/* Who signals our whole process group, among the processes above us: what they send to us the command has received, too.
 *
 *   timeout(1)                   signals its own group, unless told to stay in the foreground
 *   a launcher, or its daemons   put each rank into a group of its own, and signal that
 *
 * slurmstepd is none of them: where it tracks processes by cgroups, as on most clusters, it signals its children alone.
 * Who is not known here is taken to signal us alone: a signal that comes twice is better than one that is lost.
 */
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

/* Looks at those above us as they are now, a shell between us and a signaller, say. */
void fm_group_signallers_find(struct fm_group_signallers *signallers);
/* May be called in a handler. */
bool fm_group_signallers_have(const struct fm_group_signallers *signallers, pid_t pid);

#endif
