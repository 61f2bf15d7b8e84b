/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a function that has no tables, or empty ones, on an architecture where calls leave the return address in
 * a register: read from its instructions, which move the stack pointer and save registers. Hand-written code need not
 * keep its frame record where compilers do, or have one: LLVM's OpenMP calls every body of a parallel region through
 * such a function, and the kernels of linear algebra libraries are such functions. */
#ifndef FM_RUNTIME_SIGNAL_PROLOGUE_H
#define FM_RUNTIME_SIGNAL_PROLOGUE_H

#include "runtime/signal/cfi.h"

/* The rule at this address of a module, which is that of an interrupted instruction or in a call. Returns false, and
 * leaves the rule as it is, if the instructions before it do not show one. Only reads memory: async-signal-safe. */
bool fm_prologue_rule(const struct fm_cfi_module *module, uintptr_t address, bool interrupted,
                      struct fm_cfi_rule *rule);
/* The rule of an interrupted function whose next instruction returns, or frees the last of its frame and the next one
 * returns. Tables of clang before version 15 do not describe these instructions. Returns false for any other. */
bool fm_epilogue_rule(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_rule *rule);

#endif
