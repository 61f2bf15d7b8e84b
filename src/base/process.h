/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process is meant: a pid is given away again, so it counts together with the time its process was started, and
 * both within one pid namespace of one boot of one host. */
#ifndef FM_BASE_PROCESS_H
#define FM_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t fm_process_start_time(pid_t pid);             /* in clock ticks after boot; 0 if there is none */
pid_t fm_process_parent(pid_t pid);                    /* 0: not known, or outside our pid namespace */
bool fm_process_alive(pid_t pid, uint64_t start_time); /* a zombie is dead, unless others of its threads live */
bool fm_process_stopped(pid_t pid);                    /* by a signal; may be asked in a handler */
uint64_t fm_pid_namespace(void);                       /* of this process; 0: not known */
/* "KIND-PID-START-NAMESPACE": no other process of this boot has it, in no container. */
void fm_process_name(char *name, size_t size, const char *kind, pid_t pid);
void fm_boot_id(char id[40]); /* of the running system; "": not known */

#endif
