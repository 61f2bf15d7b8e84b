/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/rules.h"

#include <stdatomic.h>
#include <sys/auxv.h>

#include "base/ucontext.h"
#include "runtime/signal/prologue.h"

/* Rules for code without tables. On an architecture that keeps the return address in a register, interrupted code of
 * this kind is most often a linker stub; other code may keep a frame pointer, as compilers do unless they omit it. */
static const struct fm_cfi_rule in_register = {
    .cfa_register = FM_DWARF_SP, .ra_kind = FM_RA_IN_REGISTER, .ra_offset = FM_DWARF_RA};
const struct fm_cfi_rule fm_rule_frame_pointer = {.cfa_register = FM_DWARF_FP,
                                                  .cfa_offset = 2 * (int)sizeof(uintptr_t),
                                                  .ra_offset = -(int)sizeof(uintptr_t),
                                                  .fp_kind = FM_FP_AT_CFA,
                                                  .fp_offset = -2 * (int)sizeof(uintptr_t)};

static bool is_plain(const struct fm_cfi_rule *rule)
{
    return rule->cfa_kind == FM_CFA_REGISTER && rule->ra_kind == FM_RA_SAVED && rule->fp_kind != FM_FP_AT_FP &&
           (rule->cfa_register == FM_DWARF_SP || rule->cfa_register == FM_DWARF_FP) && rule->cfa_offset > 0 &&
           rule->cfa_offset % 8 == 0 && rule->ra_offset % 8 == 0 && rule->ra_offset <= -8 &&
           rule->ra_offset + rule->cfa_offset >= 0 && rule->fp_offset % 8 == 0 &&
           (rule->fp_kind == FM_FP_SAME || (rule->fp_offset <= -8 && rule->fp_offset + rule->cfa_offset >= 0));
}

/* Whether pc is in the vDSO, with enough code to read; other modules may have holes. */
static bool is_kernel_code(const struct fm_cfi_module *module, uintptr_t pc)
{
    enum { CODE_BYTES = 16 };
    return module->start == getauxval(AT_SYSINFO_EHDR) && module->end - pc >= CODE_BYTES;
}

unsigned fm_fp_use_of(const struct fm_cfi_rule *rule)
{
    bool read = rule->cfa_register == FM_DWARF_FP || rule->fp_kind == FM_FP_AT_FP;
    return (read ? FM_FP_READ : 0u) | (rule->fp_kind != FM_FP_SAME ? FM_FP_SAVED : 0u);
}

/* Code of the loader that makes a call but has no tables is the entry point of the process. */
static void guess(struct fm_rule_slot *slot, const struct fm_cfi_module *module, uintptr_t address, bool interrupted)
{
    uintptr_t pc = address + !interrupted;
    slot->guessed = true;
    slot->rule = interrupted && FM_CALL_KEEPS_RA_IN_REGISTER ? in_register : fm_rule_frame_pointer;
    if (module && is_kernel_code(module, pc) && fm_is_signal_return(pc))
        slot->rule.ra_kind = FM_RA_SIGNAL;
    else if (module && !interrupted && module->start == getauxval(AT_BASE))
        slot->rule.ra_kind = FM_RA_NONE;
    else if (module)
        fm_prologue_rule(module, address, interrupted, &slot->rule);
}

/* A call has replaced the register of the return address: tables that say it is still there are empty, as those of some
 * hand-written code are. */
static bool is_possible(const struct fm_cfi_rule *rule, bool interrupted)
{
    return interrupted || !FM_CALL_KEEPS_RA_IN_REGISTER || rule->ra_kind != FM_RA_IN_REGISTER ||
           rule->ra_offset != FM_DWARF_RA;
}

static void read_rule(struct fm_rule_slot *slot, struct fm_unwind_cache *cache, uintptr_t address, bool interrupted)
{
    struct fm_cfi_module module;
    bool in_module = fm_cfi_find_module(address, &module);
    slot->guessed = false;
    slot->strange = !in_module;
    bool returns = in_module && interrupted && fm_epilogue_rule(&module, address, &slot->rule);
    if (!returns && (!in_module || !fm_cfi_rule_at(&module, address, &cache->tables, &slot->rule) ||
                     !is_possible(&slot->rule, interrupted)))
        guess(slot, in_module ? &module : NULL, address, interrupted);
    slot->plain = is_plain(&slot->rule) && !slot->strange && (!slot->guessed || FM_CALL_KEEPS_RA_IN_REGISTER);
    slot->from_fp = slot->rule.cfa_register == FM_DWARF_FP;
    slot->fp_use = (uint8_t)fm_fp_use_of(&slot->rule);
}

static uint64_t part_of(uintptr_t address)
{
    enum { PART_BYTES = 16384 };
    return address / PART_BYTES;
}

static void note_part(struct fm_unwind_cache *cache, uintptr_t address)
{
    unsigned bit = (unsigned)(part_of(address) % FM_CODE_PARTS);
    __atomic_fetch_or(&cache->parts[bit / 64], 1ull << bit % 64, __ATOMIC_RELAXED);
}

bool fm_rules_are_of(const struct fm_unwind_cache *cache, uintptr_t start, uintptr_t end)
{
    uint64_t first = part_of(start), last = part_of(end - 1);
    for (uint64_t part = first; part <= last && part - first < FM_CODE_PARTS; part++)
        if (__atomic_load_n(&cache->parts[part % FM_CODE_PARTS / 64], __ATOMIC_RELAXED) >> part % 64 & 1)
            return true;
    return false;
}

/* Uses the second of the two slots of an address if the first is taken. A signal handler of the program may longjmp out
 * of this: a half-filled slot has no address. */
__attribute__((noinline)) const struct fm_rule_slot *fm_rule_learn(struct fm_unwind_cache *cache, uintptr_t address,
                                                                   bool interrupted)
{
    unsigned place = (unsigned)(address >> 2 ^ address >> 12) % FM_RULE_SLOTS;
    struct fm_rule_slot *slot = &cache->slots[place];
    if (slot->address && !cache->slots[place ^ 1].address)
        slot = &cache->slots[place ^ 1];
    slot->address = 0;
    note_part(cache, address);
    atomic_signal_fence(memory_order_seq_cst);
    read_rule(slot, cache, address, interrupted);
    atomic_signal_fence(memory_order_seq_cst);
    slot->address = address;
    return slot;
}
