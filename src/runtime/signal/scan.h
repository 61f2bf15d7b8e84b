/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the frame of a function that has no tables and does not keep its return address in a register, by scanning the
 * stack. Hand-written kernels (a third of OpenBLAS on x86-64) and the first and last functions of every module are of
 * this kind. */
#ifndef FM_RUNTIME_SIGNAL_SCAN_H
#define FM_RUNTIME_SIGNAL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ucontext.h"
#include "runtime/signal/cfi.h"

/* The segment of a module with this address, if it is code that can be read; else end = 0. */
struct fm_code_bounds {
    uintptr_t start, end;
};
struct fm_code_bounds fm_code_around(const struct fm_cfi_module *module, uintptr_t address);
/* Whether an address is that of code after a call instruction. */
bool fm_is_return_address(uintptr_t address);
struct fm_scanned {
    uintptr_t return_at; /* where the return address is on the stack */
    uintptr_t fp_at;     /* where the caller's frame pointer is; 0: in the register, if it has one */
};

/* Finds the nearest return address. `context`: all registers of the frame, or NULL. Returns false if there is none. */
bool fm_scan_frame(uintptr_t sp, uintptr_t fp, uintptr_t stack_end, const ucontext_t *context,
                   struct fm_scanned *found);

#endif
