#include "measure/signal/unwind.h"

#include <stdatomic.h>
#include <sys/auxv.h>

#include "base/platform.h"

void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end, struct fm_unwind_cache *cache)
{
    *u = (struct fm_unwind){.pc = fm_context_pc(context),
                            .sp = fm_context_sp(context),
                            .fp = fm_context_register(context, FM_DWARF_FP),
                            .interrupted = true,
                            .context = context,
                            .stack_end = stack_end,
                            .cache = cache};
}

/* A word of the stack: above the frame's own stack pointer, so that each step leads outwards. */
FM_INLINE bool load(const struct fm_unwind *u, uintptr_t address, uintptr_t *word)
{
    if (address % sizeof *word || address < u->sp || address >= u->stack_end || u->stack_end - address < sizeof *word)
        return false;
    *word = *(const uintptr_t *)address;
    return true;
}

/* ---- rules ---- */

/* Code without tables. Where a function can be interrupted that keeps its return address in a register, it is most
 * often a stub of the linker; else it may keep a frame pointer, as compilers do if they do not leave it out. */
static struct fm_cfi_rule guessed_rule(bool interrupted)
{
    const int word = sizeof(uintptr_t);
    if (interrupted && FM_CALL_KEEPS_RA_IN_REGISTER)
        return (struct fm_cfi_rule){.cfa_register = FM_DWARF_SP, .ra_kind = FM_RA_IN_REGISTER};
    return (struct fm_cfi_rule){.cfa_register = FM_DWARF_FP,
                                .cfa_offset = 2 * word,
                                .ra_offset = -word,
                                .fp_kind = FM_FP_AT_CFA,
                                .fp_offset = -2 * word};
}

static bool is_plain(const struct fm_cfi_rule *rule)
{
    return rule->cfa_kind == FM_CFA_REGISTER && rule->ra_kind == FM_RA_SAVED && rule->fp_kind != FM_FP_AT_FP &&
           (rule->cfa_register == FM_DWARF_SP || rule->cfa_register == FM_DWARF_FP) && rule->cfa_offset > 0 &&
           rule->cfa_offset % 8 == 0 && rule->ra_offset % 8 == 0 && rule->ra_offset <= -8 &&
           rule->ra_offset + rule->cfa_offset >= 0 && rule->fp_offset % 8 == 0 &&
           (rule->fp_kind == FM_FP_SAME || (rule->fp_offset <= -8 && rule->fp_offset + rule->cfa_offset >= 0));
}

/* Whether there is code to be read in the module that the kernel brings; in others there may be holes. */
static bool is_kernels(const struct fm_cfi_module *module, uintptr_t pc)
{
    enum { CODE_BYTES = 16 };
    return module->start == getauxval(AT_SYSINFO_EHDR) && module->end - pc >= CODE_BYTES;
}

static void read_rule(struct fm_rule_slot *slot, const struct fm_unwind *u, uintptr_t address)
{
    struct fm_cfi_module module;
    bool in_module = fm_cfi_find_module(address, &module);
    slot->address = 0; /* a handler of the program may leave this one by a jump: then nothing is known */
    atomic_signal_fence(memory_order_seq_cst);
    if (!in_module || !fm_cfi_rule_at(&module, address, &u->cache->tables, &slot->rule)) {
        slot->rule = guessed_rule(u->interrupted);
        if (in_module && is_kernels(&module, u->pc) && fm_is_signal_return(u->pc))
            slot->rule.ra_kind = FM_RA_SIGNAL;
    }
    slot->plain = is_plain(&slot->rule);
    slot->from_fp = slot->rule.cfa_register == FM_DWARF_FP;
    atomic_signal_fence(memory_order_seq_cst);
    slot->address = address;
}

FM_INLINE const struct fm_rule_slot *slot_of(struct fm_unwind_cache *cache, uintptr_t address)
{
    unsigned place = (unsigned)(address >> 2 ^ address >> 12) % FM_RULE_SLOTS;
    const struct fm_rule_slot *slot = &cache->slots[place];
    if (__builtin_expect(slot->address == address, 1))
        return slot;
    slot = &cache->slots[place ^ 1];
    return slot->address == address ? slot : NULL;
}

/* The second of the two slots of an address is taken when the first one is. */
__attribute__((noinline)) static const struct fm_rule_slot *learn(const struct fm_unwind *u, uintptr_t address)
{
    unsigned place = (unsigned)(address >> 2 ^ address >> 12) % FM_RULE_SLOTS;
    struct fm_rule_slot *slot = &u->cache->slots[place];
    if (slot->address && !u->cache->slots[place ^ 1].address)
        slot = &u->cache->slots[place ^ 1];
    read_rule(slot, u, address);
    return slot;
}

/* Inside the call, which may be the function's last instruction. */
FM_INLINE uintptr_t address_in(uintptr_t pc, bool interrupted)
{
    return pc - !interrupted;
}

/* ---- frames ---- */

/* The kernel has put the registers of the interrupted function on the stack. */
static enum fm_unwind_result step_signal(struct fm_unwind *u)
{
    uintptr_t at = u->sp + FM_CONTEXT_FROM_SP;
    const ucontext_t *context = (const ucontext_t *)at;
    if (at % 8 || at < u->sp || at >= u->stack_end || u->stack_end - at < sizeof *context)
        return FM_UNWIND_LOST;
    uintptr_t sp = fm_context_sp(context);
    if (sp <= at || sp >= u->stack_end) /* a handler on a stack of its own */
        return FM_UNWIND_LOST;
    fm_unwind_start(u, context, u->stack_end, u->cache);
    return FM_UNWIND_CALLER;
}

static bool find_cfa(const struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t *cfa)
{
    uintptr_t base = rule->cfa_register == FM_DWARF_SP   ? u->sp
                     : rule->cfa_register == FM_DWARF_FP ? u->fp
                     : u->context                        ? fm_context_register(u->context, rule->cfa_register)
                                                         : 0;
    *cfa = base + (uintptr_t)(intptr_t)rule->cfa_offset;
    return base && (rule->cfa_kind == FM_CFA_REGISTER || load(u, *cfa, cfa));
}

static bool find_pc(const struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t cfa, uintptr_t *pc)
{
    if (rule->ra_kind == FM_RA_SAVED)
        return load(u, cfa + (uintptr_t)(intptr_t)rule->ra_offset, pc);
    *pc = u->context ? fm_context_register(u->context, FM_DWARF_RA) : 0;
    return u->context != NULL;
}

static bool find_fp(const struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t cfa, uintptr_t *fp)
{
    uintptr_t base = rule->fp_kind == FM_FP_AT_CFA ? cfa : u->fp;
    *fp = u->fp;
    return rule->fp_kind == FM_FP_SAME || load(u, base + (uintptr_t)(intptr_t)rule->fp_offset, fp);
}

__attribute__((noinline)) static enum fm_unwind_result step(struct fm_unwind *u)
{
    uintptr_t address = address_in(u->pc, u->interrupted), cfa, pc, fp;
    const struct fm_rule_slot *slot = slot_of(u->cache, address);
    const struct fm_cfi_rule *rule = &(slot ? slot : learn(u, address))->rule;
    if (rule->ra_kind == FM_RA_NONE)
        return FM_UNWIND_END;
    if (rule->ra_kind == FM_RA_SIGNAL)
        return step_signal(u);
    if (!find_cfa(u, rule, &cfa) || cfa < u->sp || cfa > u->stack_end || (cfa == u->sp && !u->interrupted) ||
        !find_pc(u, rule, cfa, &pc) || !find_fp(u, rule, cfa, &fp))
        return FM_UNWIND_LOST;
    if (rule->ra_kind == FM_RA_SAVED && rule->ra_offset >= 0) /* the loader's resolver: what a stub pushed is above */
        cfa += (uintptr_t)rule->ra_offset + sizeof pc;
    u->pc = fm_plain_address(pc);
    u->sp = cfa;
    u->fp = fp;
    u->interrupted = false;
    u->context = NULL;
    return u->pc ? FM_UNWIND_CALLER : FM_UNWIND_END;
}

/* Steps over plain frames as long as there are such, in registers. */
static unsigned step_over_plain(struct fm_unwind *u, uint64_t *frames, unsigned n, unsigned most)
{
    uintptr_t pc = u->pc, sp = u->sp, fp = u->fp;
    while (n < most) {
        const struct fm_rule_slot *slot = slot_of(u->cache, address_in(pc, false));
        if (__builtin_expect(!slot, 0))
            break;
        uintptr_t base = slot->from_fp ? fp : sp, cfa = base + (uintptr_t)(intptr_t)slot->rule.cfa_offset;
        if (__builtin_expect(!slot->plain || base < sp || base % 8 || cfa > u->stack_end || cfa < base, 0))
            break;
        uintptr_t caller = fm_plain_address(*(const uintptr_t *)(cfa + (uintptr_t)(intptr_t)slot->rule.ra_offset));
        if (__builtin_expect(!caller, 0))
            break;
        if (slot->rule.fp_kind == FM_FP_AT_CFA)
            fp = *(const uintptr_t *)(cfa + (uintptr_t)(intptr_t)slot->rule.fp_offset);
        sp = cfa;
        frames[n++] = pc = caller;
    }
    u->pc = pc;
    u->sp = sp;
    u->fp = fp;
    return n;
}

unsigned fm_unwind_walk(struct fm_unwind *u, uint64_t *frames, unsigned most, enum fm_unwind_result *end)
{
    unsigned n = 0;
    frames[n++] = u->pc;
    *end = FM_UNWIND_LOST;
    while (n < most) {
        if (!u->interrupted)
            n = step_over_plain(u, frames, n, most);
        if (n == most || (*end = step(u)) != FM_UNWIND_CALLER)
            break;
        frames[n++] = u->pc;
    }
    return n;
}
