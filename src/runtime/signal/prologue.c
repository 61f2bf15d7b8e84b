/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/prologue.h"

#if defined __aarch64__
#include "base/platform.h"
#include "runtime/signal/scan.h"

enum { MAX_BEFORE = 4096 }; /* instructions from the start of a function */
enum { SP = 31, NONE = -1 };

/* What is known of a frame. Offsets are bytes from the stack pointer at the start of the function, the CFA, downwards. */
struct frame {
    bool sp_known, fp_known; /* where they point to */
    int32_t sp, fp;
    int copy; /* a register with an earlier stack pointer, or NONE */
    int32_t copied;
    int32_t ra_saved, fp_saved; /* where; 0: not saved */
};

static int32_t signed_bits(uint32_t code, unsigned from, unsigned n)
{
    return (int32_t)(code << (32 - from - n)) >> (32 - n);
}

static unsigned register_at(uint32_t code, unsigned from)
{
    return code >> from & 31;
}

/* ---- the stack pointer ---- */

/* Of a load or store that moves the stack pointer, by how many bytes upwards; 0 of any other instruction. */
static int32_t moved_by_transfer(uint32_t code)
{
    if (register_at(code, 5) != SP)
        return 0;
    uint32_t pair = code & 0xff800000, one = code & 0xffa00c00;
    if (pair == 0xa8800000 || pair == 0xa9800000 || pair == 0x6c800000 ||
        pair == 0x6d800000) /* x or d, after or before */
        return 8 * signed_bits(code, 15, 7);
    if (pair == 0xac800000 || pair == 0xad800000) /* q */
        return 16 * signed_bits(code, 15, 7);
    if (one == 0xf8000400 || one == 0xf8000c00 || one == 0xfc000400 || one == 0xfc000c00 || /* x, d */
        one == 0x3c800400 || one == 0x3c800c00)                                             /* q */
        return signed_bits(code, 12, 9);
    return 0;
}

/* add or sub of a constant: how much is added. */
static bool adds_constant(uint32_t code, int32_t *added)
{
    int32_t constant = (int32_t)(code >> 10 & 0xfff) << (code >> 22 & 1 ? 12 : 0);
    *added = code >> 30 & 1 ? -constant : constant;
    return (code & 0xbf800000) == 0x91000000;
}

/* and of a constant, add and sub of an extended register, with the stack pointer as result. */
static bool sets_sp_otherwise(uint32_t code)
{
    return (code & 0xff80001f) == 0x9200001f || (code & 0xbfe0001f) == 0x8b20001f;
}

static void follow_constant(struct frame *frame, uint32_t code, int32_t added)
{
    unsigned from = register_at(code, 5), to = register_at(code, 0);
    bool known = from == SP ? frame->sp_known : from == FM_DWARF_FP ? frame->fp_known : (int)from == frame->copy;
    int32_t value = (from == SP ? frame->sp : from == FM_DWARF_FP ? frame->fp : frame->copied) - added;
    if (to == SP) {
        frame->sp_known = known;
        frame->sp = value;
    } else if (to == FM_DWARF_FP) {
        frame->fp_known = known;
        frame->fp = value;
    } else if (from == SP && known && added == 0) {
        frame->copy = (int)to;
        frame->copied = value;
    } else if ((int)to == frame->copy) {
        frame->copy = NONE;
    }
}

/* ---- saved registers ---- */

static void follow_register(struct frame *frame, unsigned number, int32_t at, bool loads)
{
    int32_t *saved = number == FM_DWARF_RA ? &frame->ra_saved : number == FM_DWARF_FP ? &frame->fp_saved : NULL;
    if (!saved)
        return;
    if (loads)
        *saved = 0;
    else if (*saved == 0)
        *saved = at;
    if (loads && number == FM_DWARF_FP)
        frame->fp_known = false;
}

/* Loads and stores of x registers from where the stack pointer points. */
static void follow_transfer(struct frame *frame, uint32_t code)
{
    enum { LOADS = 1 << 22 };
    uint32_t pair = code & 0xff800000, one = code & 0xffa00c00;
    int32_t at = frame->sp;
    bool is_pair = pair == 0xa8800000 || pair == 0xa9800000 || pair == 0xa9000000;
    bool is_one = one == 0xf8000400 || one == 0xf8000c00 || (code & 0xff800000) == 0xf9000000;
    if (register_at(code, 5) != SP || !frame->sp_known || (!is_pair && !is_one))
        return;
    if (pair == 0xa9000000 || pair == 0xa9800000) /* not moved, or before */
        at -= 8 * signed_bits(code, 15, 7);
    else if (pair == 0xf9000000)
        at -= 8 * (int32_t)(code >> 10 & 0xfff);
    else if (one == 0xf8000c00)
        at -= signed_bits(code, 12, 9);
    follow_register(frame, register_at(code, 0), at, code & LOADS);
    if (is_pair)
        follow_register(frame, register_at(code, 10), at - 8, code & LOADS);
}

static void follow(struct frame *frame, uint32_t code)
{
    int32_t added;
    follow_transfer(frame, code);
    if (adds_constant(code, &added))
        follow_constant(frame, code, added);
    else if (sets_sp_otherwise(code))
        frame->sp_known = false;
    else
        frame->sp -= moved_by_transfer(code);
}

/* ---- rules ---- */

/* ret, retaa, retab */
static bool returns(uint32_t code)
{
    return code == 0xd65f03c0 || code == 0xd65f0bff || code == 0xd65f0fff;
}

/* The code after a return, br or what is no instruction is not reached from before. */
static bool ends_function(uint32_t code)
{
    return returns(code) || (code & 0xfffffc1f) == 0xd61f0000 || code == 0;
}

static const uint32_t *start_of(const struct fm_code_bounds *code, const uint32_t *to)
{
    const uintptr_t before = (uintptr_t)to - code->start;
    const uint32_t *at = to, *first = to - (before / sizeof *to < MAX_BEFORE ? before / sizeof *to : MAX_BEFORE);
    while (at > first && !ends_function(at[-1]))
        at--;
    return at == to - MAX_BEFORE ? NULL : at;
}

/* The frame pointer is preferred: on some ways to the address the stack pointer may have been moved. A call may change
 * the other registers. */
static bool find_cfa(const struct frame *frame, bool interrupted, struct fm_cfi_rule *rule)
{
    bool by_copy = !frame->fp_known && !frame->sp_known;
    if (by_copy && (frame->copy == NONE || !interrupted))
        return false;
    rule->cfa_register = (uint8_t)(by_copy ? frame->copy : frame->fp_known ? FM_DWARF_FP : FM_DWARF_SP);
    rule->cfa_offset = by_copy ? frame->copied : frame->fp_known ? frame->fp : frame->sp;
    return rule->cfa_offset >= 0;
}

bool fm_prologue_rule(const struct fm_cfi_module *module, uintptr_t address, bool interrupted, struct fm_cfi_rule *rule)
{
    const uint32_t *to = (const uint32_t *)(address & ~(uintptr_t)3);
    struct fm_code_bounds code = fm_code_around(module, address);
    const uint32_t *at = code.end ? start_of(&code, to) : NULL;
    struct frame frame = {.sp_known = true, .copy = NONE};
    struct fm_cfi_rule found = {.ra_kind = FM_RA_IN_REGISTER, .ra_offset = FM_DWARF_RA};
    if (!at)
        return false;
    for (; at < to; at++)
        follow(&frame, *at);
    if (!find_cfa(&frame, interrupted, &found) || (!frame.ra_saved && !interrupted))
        return false;
    if (frame.ra_saved) {
        found.ra_kind = FM_RA_SAVED;
        found.ra_offset = -frame.ra_saved;
    }
    if (frame.fp_saved) {
        found.fp_kind = FM_FP_AT_CFA;
        found.fp_offset = -frame.fp_saved;
    }
    *rule = found;
    return true;
}

bool fm_epilogue_rule(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_rule *rule)
{
    const uint32_t *at = (const uint32_t *)address;
    struct fm_code_bounds code = fm_code_around(module, address);
    size_t n = address % sizeof *at ? 0 : (code.end - address) / sizeof *at; /* instructions that can be read */
    int32_t freed = 0;
    if (!code.end || !n)
        return false;
    bool frees = adds_constant(*at, &freed) && register_at(*at, 5) == SP && register_at(*at, 0) == SP && freed > 0;
    if (frees ? n < 2 || !returns(at[1]) : !returns(*at))
        return false;
    *rule = (struct fm_cfi_rule){.cfa_register = FM_DWARF_SP,
                                 .cfa_offset = frees ? freed : 0,
                                 .ra_kind = FM_RA_IN_REGISTER,
                                 .ra_offset = FM_DWARF_RA};
    return true;
}
#else
bool fm_epilogue_rule(const struct fm_cfi_module *module, uintptr_t address, struct fm_cfi_rule *rule)
{
    (void)module, (void)address, (void)rule;
    return false;
}

bool fm_prologue_rule(const struct fm_cfi_module *module, uintptr_t address, bool interrupted, struct fm_cfi_rule *rule)
{
    (void)module, (void)address, (void)interrupted, (void)rule;
    return false;
}
#endif
