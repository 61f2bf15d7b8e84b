/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of the runtime, for cold paths. */
#ifndef FM_RUNTIME_LOCK_H
#define FM_RUNTIME_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Only around what no signal handler of a program reaches. */
struct fm_spin {
    atomic_uint held;
    bool may_call; /* the holder */
};
void fm_spin_lock(struct fm_spin *lock);
void fm_spin_unlock(struct fm_spin *lock);

/* A lock whose holder no signal interrupts: a handler may call MPI (MPI_Abort above all) and would wait for its own
 * thread for ever, and one that leaves by siglongjmp would never release it. Two system calls, or none where they are forbidden. */
struct fm_mutex {
    struct fm_spin spin;
    uint64_t signals; /* the holder's mask from before, if it may make system calls */
};
void fm_lock(struct fm_mutex *lock);
void fm_unlock(struct fm_mutex *lock);

/* The kernel's own mask of signals, also of those that libc keeps for itself; what it was before. */
uint64_t fm_set_signals(uint64_t blocked);
void fm_sleep_while(void *word, unsigned value);
void fm_wake_all(void *word);

#endif
