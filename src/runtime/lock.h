/* Locks of the runtime, for cold paths, and its silence: in a program that filters its own system calls (seccomp) Fathom
 * makes none any more, since each could end the process. */
#ifndef FM_RUNTIME_LOCK_H
#define FM_RUNTIME_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the calling thread may make system calls, until it says that it has made them; false: in silence it must not.
 * What is not counted so may happen just as another thread installs its filter. */
bool fm_calls_begin(void);
void fm_calls_end(void);

/* Returns when no thread makes system calls any more. */
void fm_silence_begin(void);
void fm_silence_end(void);
bool fm_is_silent(void);

/* Only around what no signal handler of a program reaches. */
struct fm_spin {
    atomic_uint held;
    bool may_call; /* the holder */
};
void fm_spin_lock(struct fm_spin *lock);
void fm_spin_unlock(struct fm_spin *lock);

/* A lock whose holder no signal interrupts: a handler may call MPI (MPI_Abort above all) and would wait for its own
 * thread for ever, and one that leaves by siglongjmp would never release it. Two system calls, none of them in silence. */
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
