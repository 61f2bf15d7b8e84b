/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/prologue.h"

#if defined __aarch64__
#include "base/platform.h"
#include "runtime/signal/scan.h"

/* Instructions: between the start of a function and a call in it; from there until the frame pointer is set. */
enum { MAX_BEFORE = 256, MAX_PROLOGUE = 16 };

static bool is_return(uint32_t code)
{
    return code == 0xd65f03c0;
}

static int32_t signed_bits(uint32_t code, unsigned from, unsigned n)
{
    return (int32_t)(code << (32 - from - n)) >> (32 - n);
}

/* stp x29, x30, [sp, -N]! */
static bool saves_frame_record(uint32_t code)
{
    return (code & 0xffc07fff) == 0xa9807bfd && signed_bits(code, 15, 7) < 0;
}

/* By how many bytes an instruction moves the stack pointer down. */
static int32_t pushed_bytes(uint32_t code)
{
    if ((code & 0xffc003e0) == 0xa98003e0 || (code & 0xffc003e0) == 0x6d8003e0) /* stp of x or d registers, [sp, -N]! */
        return -8 * signed_bits(code, 15, 7);
    if ((code & 0xffe00fe0) == 0xf8000fe0) /* str x, [sp, -N]! */
        return -signed_bits(code, 12, 9);
    if ((code & 0xffc003ff) == 0xd10003ff) /* sub sp, sp, N */
        return (int32_t)(code >> 10 & 0xfff);
    return 0;
}

/* add x29, sp, N; also as mov x29, sp */
static bool sets_frame_pointer(uint32_t code, int32_t *bytes)
{
    *bytes = (int32_t)(code >> 10 & 0xfff);
    return (code & 0xffc003ff) == 0x910003fd;
}

/* The rule once the frame pointer is set, from the instruction that saves the frame record to the call. */
static bool read_prologue(const uint32_t *at, const uint32_t *call, struct fm_cfi_rule *rule)
{
    int32_t record = pushed_bytes(*at), depth = record, above_sp;
    for (unsigned i = 1; i <= MAX_PROLOGUE && at + i < call; i++) {
        if (sets_frame_pointer(at[i], &above_sp)) {
            *rule = (struct fm_cfi_rule){.cfa_register = FM_DWARF_FP,
                                         .cfa_offset = depth - above_sp,
                                         .ra_offset = 8 - record,
                                         .fp_kind = FM_FP_AT_CFA,
                                         .fp_offset = -record};
            return depth >= above_sp + record; /* the record is not below the frame pointer */
        }
        depth += pushed_bytes(at[i]);
    }
    return false;
}

bool fm_prologue_rule(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_rule *rule)
{
    const uint32_t *call = (const uint32_t *)(address & ~(uintptr_t)3), *at = call;
    for (unsigned i = 0; i < MAX_BEFORE; i++) {
        if (!fm_is_code(module, (uintptr_t)--at, (uintptr_t)call + sizeof *call) || is_return(*at))
            return false;
        if (saves_frame_record(*at))
            return read_prologue(at, call, rule);
    }
    return false;
}
#else
bool fm_prologue_rule(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_rule *rule)
{
    (void)module, (void)address, (void)rule;
    return false;
}
#endif
