/* SPDX-License-Identifier: BSD-3-Clause */
/* Call frame information: how to step from a place in the program to the caller's frame, read from .eh_frame of a load
 * module.
 *
 * Only what compilers, assemblers and linkers emit is supported: CFA = a register + constant, or a word that a register
 * points to; registers saved at a constant offset; the return address there or in a register. Anything else is
 * rejected, and the frame is not stepped over. Only reads memory: async-signal-safe. The tables belong to load modules,
 * so they are trusted as code is, but all reads stay inside the part of the module that contains them. */
#ifndef FM_RUNTIME_SIGNAL_CFI_H
#define FM_RUNTIME_SIGNAL_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fm_cfa_kind { FM_CFA_REGISTER, FM_CFA_AT_REGISTER }; /* register + offset, or the word there */
enum fm_ra_kind {
    FM_RA_SAVED,       /* at CFA + ra_offset */
    FM_RA_IN_REGISTER, /* whose number is ra_offset: in a leaf function on aarch64, in code that leaves by a jump */
    FM_RA_NONE,        /* the outermost frame */
    FM_RA_SIGNAL       /* a signal frame: the kernel has saved the registers on the stack */
};
enum fm_fp_kind { FM_FP_SAME, FM_FP_AT_CFA, FM_FP_AT_FP }; /* where the caller's frame pointer is saved, + fp_offset */

struct fm_cfi_rule {
    int32_t cfa_offset, ra_offset, fp_offset;
    uint8_t cfa_kind, cfa_register, ra_kind, fp_kind;
};

/* Location of the tables of a module. */
struct fm_cfi_module {
    uintptr_t eh_frame_hdr; /* 0 if there is none */
    uintptr_t start, end;   /* readable memory around it, with .eh_frame */
};

/* Cache of the common information entries (CIEs) read last: most functions of a module share one. */
enum { FM_CFI_COMMON = 4 }; /* a power of two */
struct fm_cfi_common {
    uintptr_t at; /* 0 = empty */
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_register;
    uint8_t pointer_encoding;
    bool augmented, signal_frame;
    struct fm_cfi_rule rule; /* at the start of a function */
    bool rule_known;
};
struct fm_cfi_memory {
    struct fm_cfi_common common[FM_CFI_COMMON];
};

/* Finds the module that contains an address, without a lock. Returns false if there is none. */
bool fm_cfi_find_module(uintptr_t address, struct fm_cfi_module *module);
/* The rule that applies at an address inside an instruction. Returns false if there is none or it is not supported. */
bool fm_cfi_rule_at(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_memory *memory,
                    struct fm_cfi_rule *rule);
/* The same, but fp_kind and fp_offset describe where the caller's value of another register is. */
bool fm_cfi_rule_with(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_memory *memory,
                      unsigned register_number, struct fm_cfi_rule *rule);

#endif
