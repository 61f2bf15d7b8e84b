/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the program's signal handlers while samples are taken.
 *
 * A signal that kill, alarm or a terminal sends to the whole process goes to the main thread, unless it blocks the
 * signal: this is what the kernel does, and programs that leave a handler by siglongjmp rely on it. But a thread that
 * waits for a CPU while a sample of it is pending is passed over, and another thread gets the signal. That thread
 * forwards it.
 *
 * And a signal that arrives together with a sample would be handled inside the sample: on our stack, and with our
 * handler as the interrupted code. It is deferred until the sample is taken. */
#ifndef FM_RUNTIME_SIGNAL_DELIVER_H
#define FM_RUNTIME_SIGNAL_DELIVER_H

#include "runtime/signal/state.h"

/* The handler that is registered with the kernel. */
fm_handler fm_deliver;
/* Restores the siginfo of a forwarded signal to what the kernel made. Returns whether it was forwarded. */
bool fm_deliver_as_sent(siginfo_t *info);

#endif
