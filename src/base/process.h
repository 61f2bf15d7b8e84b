/* SPDX-License-Identifier: BSD-3-Clause */
/* Process identity: pids are reused, so a process is identified by its pid and start time, within one pid namespace of
 * one boot of one host. */
#ifndef FM_BASE_PROCESS_H
#define FM_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t fm_process_start_time(pid_t pid);             /* in clock ticks since boot; 0 if there is no such process */
pid_t fm_process_parent(pid_t pid);                    /* 0: unknown, or outside our pid namespace */
bool fm_process_alive(pid_t pid, uint64_t start_time); /* a zombie is dead unless other threads of it live */
bool fm_process_stopped(pid_t pid);                    /* by a signal; async-signal-safe */
uint64_t fm_pid_namespace(void);                       /* of this process; 0: unknown */
/* For how long its main thread has been runnable without running, in ns. pid 0: this process. A zombie still has it. */
#define FM_RUNQUEUE_UNKNOWN UINT64_MAX
uint64_t fm_process_runqueue(pid_t pid);
uint64_t fm_process_resident(void); /* memory of this process, in bytes; 0: unknown */
/* The CPUs on which the calling thread may run, and the NUMA node where it runs now. Returns false if unknown. */
struct fm_placement {
    uint32_t cpus, first_cpu, node;
};
bool fm_process_placement(struct fm_placement *placement);
/* "KIND-PID-START-NAMESPACE": unique within this boot, across containers. */
void fm_process_name(char *name, size_t size, const char *kind, pid_t pid);
void fm_boot_id(char id[40]); /* of the running system; "": unknown */

#endif
