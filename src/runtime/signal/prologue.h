/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a function that has no tables, or empty ones, on an architecture where calls leave the return address in a register:
 * read from the instructions that save it. Hand-written code need not keep its frame record where compilers do; LLVM's
 * OpenMP calls every body of a parallel region through such a function. */
#ifndef FM_RUNTIME_SIGNAL_PROLOGUE_H
#define FM_RUNTIME_SIGNAL_PROLOGUE_H

#include "runtime/signal/cfi.h"

/* The rule for a call at this address of a module. Returns false if the instructions before it do not show one. Only
 * reads memory: async-signal-safe. */
bool fm_prologue_rule(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_rule *rule);

#endif
