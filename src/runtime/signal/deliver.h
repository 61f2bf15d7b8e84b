/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's handlers, called by way of here while samples are taken.
 *
 * A signal that kill, alarm or a terminal sends to the whole process goes to the first thread, if that one takes it: so
 * the kernel does it, and programs rely on it that leave a handler by siglongjmp. But a thread that waits for a processor
 * while a sample of it is due is passed over, and another one gets the signal. That one hands it on.
 *
 * And a signal that comes together with a sample would be handled within that: on our stack, and with our handler as what
 * was interrupted. It is put off until the sample is taken. */
#ifndef FM_RUNTIME_SIGNAL_DELIVER_H
#define FM_RUNTIME_SIGNAL_DELIVER_H

#include "runtime/signal/state.h"

/* The handler that the kernel knows. */
fm_handler fm_deliver;
/* What one thread has handed on to another looks again as the kernel made it; whether it was. */
bool fm_deliver_as_sent(siginfo_t *info);

#endif
