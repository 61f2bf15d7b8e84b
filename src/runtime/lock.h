/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of the runtime, for cold paths. Where system calls are forbidden (interpose/own_syscalls.h) they make none. */
#ifndef FM_RUNTIME_LOCK_H
#define FM_RUNTIME_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Only for code that no signal handler of the program can reach. */
struct fm_spin {
    atomic_uint held;
    bool may_call; /* whether the holder may make system calls */
};
void fm_spin_lock(struct fm_spin *lock);
void fm_spin_unlock(struct fm_spin *lock);

/* A lock held with all signals blocked: a handler may call MPI (above all MPI_Abort) and would deadlock with its own
 * thread, and one that leaves by siglongjmp would never release the lock. Costs two system calls, or none where
 * they are forbidden. */
struct fm_mutex {
    struct fm_spin spin;
    uint64_t signals; /* the holder's previous signal mask, if it may make system calls */
};
void fm_lock(struct fm_mutex *lock);
void fm_unlock(struct fm_mutex *lock);

/* Sets the signal mask with the kernel's call, which can also block the signals that libc reserves for itself. Returns
 * the previous mask. */
uint64_t fm_set_signals(uint64_t blocked);
void fm_sleep_while(void *word, unsigned value);
void fm_wake_all(void *word);

#endif
