/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a function that has no tables and does not keep its return address in a register, found by what the stack
 * holds. Hand-written kernels (a third of OpenBLAS on x86-64) and the first and last functions of every module are such. */
#ifndef FM_RUNTIME_SIGNAL_SCAN_H
#define FM_RUNTIME_SIGNAL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ucontext.h"

/* Whether an address is that of code behind a call. */
bool fm_is_return_address(uintptr_t address);
struct fm_scanned {
    uintptr_t return_at; /* where on the stack the return address is */
    uintptr_t fp_at;     /* and the caller's frame pointer; 0: in the register, if it has one */
};

/* The nearest return address. `context`: all registers of the frame, or NULL. false: none was found. */
bool fm_scan_frame(uintptr_t sp, uintptr_t fp, uintptr_t stack_end, const ucontext_t *context,
                   struct fm_scanned *found);

#endif
