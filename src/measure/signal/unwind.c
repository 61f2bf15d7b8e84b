#include "measure/signal/unwind.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/platform.h"

enum { FEWEST_FREE = 2 }; /* frames of the memory that stay free: for the interrupted frame's words, and a last step */

static void set_registers(struct fm_unwind *u, const ucontext_t *context)
{
    u->pc = fm_context_pc(context);
    u->sp = fm_context_sp(context);
    u->fp = fm_context_register(context, FM_DWARF_FP);
    u->interrupted = true;
    u->context = context;
}

void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end, struct fm_unwind_cache *cache,
                     struct fm_stack *stack)
{
    set_registers(u, context);
    u->stack_end = stack_end;
    u->cache = cache;
    u->stack = stack;
    u->next_frame = u->odd_frames = FM_STACK_DEPTH;
    u->next_word = FM_STACK_WORDS;
}

FM_INLINE uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

/* Whether a word lies above the frame's own stack pointer, so that each step leads outwards. */
FM_INLINE bool is_outside(const struct fm_unwind *u, uintptr_t address)
{
    return address % sizeof address == 0 && address >= u->sp && address < u->stack_end &&
           u->stack_end - address >= sizeof address;
}

FM_INLINE bool load(struct fm_unwind *u, uintptr_t address, uintptr_t *word)
{
    if (!is_outside(u, address))
        return false;
    *word = word_at(address);
    u->stack->words[--u->next_word] = (struct fm_stack_word){address, *word};
    return true;
}

/* ---- rules ---- */

/* Code without tables. Where a function can be interrupted that keeps its return address in a register, it is most
 * often a stub of the linker; else it may keep a frame pointer, as compilers do if they do not leave it out. */
static const struct fm_cfi_rule in_register = {.cfa_register = FM_DWARF_SP, .ra_kind = FM_RA_IN_REGISTER};
static const struct fm_cfi_rule frame_pointer = {.cfa_register = FM_DWARF_FP,
                                                 .cfa_offset = 2 * (int)sizeof(uintptr_t),
                                                 .ra_offset = -(int)sizeof(uintptr_t),
                                                 .fp_kind = FM_FP_AT_CFA,
                                                 .fp_offset = -2 * (int)sizeof(uintptr_t)};

/* A frame pointer that the interrupted function has set itself: what is saved beside it is still in the register. */
static bool has_own_frame(const struct fm_unwind *u)
{
    uintptr_t saved = u->fp + sizeof saved;
    return u->context && is_outside(u, saved) && word_at(saved) == fm_context_register(u->context, FM_DWARF_RA);
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

static uint8_t fp_use(const struct fm_cfi_rule *rule)
{
    bool read = rule->cfa_register == FM_DWARF_FP || rule->fp_kind == FM_FP_AT_FP;
    return (uint8_t)((read ? FM_FP_READ : 0) | (rule->fp_kind != FM_FP_SAME ? FM_FP_SAVED : 0));
}

static void read_rule(struct fm_rule_slot *slot, const struct fm_unwind *u, uintptr_t address)
{
    struct fm_cfi_module module;
    bool in_module = fm_cfi_find_module(address, &module);
    slot->guessed = false;
    slot->strange = !in_module;
    if (!in_module || !fm_cfi_rule_at(&module, address, &u->cache->tables, &slot->rule)) {
        slot->guessed = true;
        slot->rule = u->interrupted && FM_CALL_KEEPS_RA_IN_REGISTER ? in_register : frame_pointer;
        if (in_module && is_kernels(&module, u->pc) && fm_is_signal_return(u->pc))
            slot->rule.ra_kind = FM_RA_SIGNAL;
    }
    slot->plain = is_plain(&slot->rule) && !slot->strange;
    slot->from_fp = slot->rule.cfa_register == FM_DWARF_FP;
    slot->fp_use = fp_use(&slot->rule);
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

/* The second of the two slots of an address is taken when the first one is. A handler of the program may jump out of this:
 * what is half learnt has no address. */
__attribute__((noinline)) static const struct fm_rule_slot *learn(const struct fm_unwind *u, uintptr_t address)
{
    unsigned place = (unsigned)(address >> 2 ^ address >> 12) % FM_RULE_SLOTS;
    struct fm_rule_slot *slot = &u->cache->slots[place];
    if (slot->address && !u->cache->slots[place ^ 1].address)
        slot = &u->cache->slots[place ^ 1];
    slot->address = 0;
    atomic_signal_fence(memory_order_seq_cst);
    read_rule(slot, u, address);
    atomic_signal_fence(memory_order_seq_cst);
    slot->address = address;
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
    set_registers(u, context);
    return FM_UNWIND_CALLER;
}

static bool find_cfa(struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t *cfa)
{
    uintptr_t base = rule->cfa_register == FM_DWARF_SP   ? u->sp
                     : rule->cfa_register == FM_DWARF_FP ? u->fp
                     : u->context                        ? fm_context_register(u->context, rule->cfa_register)
                                                         : 0;
    *cfa = base + (uintptr_t)(intptr_t)rule->cfa_offset;
    return base && (rule->cfa_kind == FM_CFA_REGISTER || load(u, *cfa, cfa));
}

static bool find_pc(struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t cfa, uintptr_t *pc)
{
    if (rule->ra_kind == FM_RA_SAVED)
        return load(u, cfa + (uintptr_t)(intptr_t)rule->ra_offset, pc);
    *pc = u->context ? fm_context_register(u->context, FM_DWARF_RA) : 0;
    return u->context != NULL;
}

static bool find_fp(struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t cfa, uintptr_t *fp)
{
    uintptr_t base = rule->fp_kind == FM_FP_AT_CFA ? cfa : u->fp;
    *fp = u->fp;
    return rule->fp_kind == FM_FP_SAME || load(u, base + (uintptr_t)(intptr_t)rule->fp_offset, fp);
}

/* A step from the frame that `frame` stands for. The word of the caller's frame pointer is the last that it reads. */
__attribute__((noinline)) static enum fm_unwind_result step(struct fm_unwind *u, struct fm_stack_frame *frame)
{
    uintptr_t address = address_in(u->pc, u->interrupted), cfa, pc, fp;
    const struct fm_rule_slot *slot = slot_of(u->cache, address);
    slot = slot ? slot : learn(u, address);
    const struct fm_cfi_rule *rule = &slot->rule;
    if (slot->guessed && rule->ra_kind == FM_RA_IN_REGISTER && has_own_frame(u))
        rule = &frame_pointer;
    frame->fp_use = rule->ra_kind == FM_RA_NONE ? 0 : FM_FP_READ; /* if it fails: perhaps */
    if (u->interrupted || rule->ra_kind == FM_RA_SIGNAL)
        u->odd_frames = u->next_frame;
    if (rule->ra_kind == FM_RA_NONE)
        return FM_UNWIND_END;
    if (slot->strange && !u->interrupted) /* while an exception is thrown, frames hold what is no return address */
        return FM_UNWIND_LOST;
    if (rule->ra_kind == FM_RA_SIGNAL)
        return step_signal(u);
    if (!find_cfa(u, rule, &cfa) || cfa < u->sp || cfa > u->stack_end || (cfa == u->sp && !u->interrupted) ||
        !find_pc(u, rule, cfa, &pc) || !find_fp(u, rule, cfa, &fp))
        return FM_UNWIND_LOST;
    if (rule->ra_kind == FM_RA_SAVED && rule->ra_offset >= 0) /* the loader's resolver: what a stub pushed is above */
        cfa += (uintptr_t)rule->ra_offset + sizeof pc;
    frame->fp_use = slot->fp_use;
    u->pc = fm_plain_address(pc);
    u->sp = cfa;
    u->fp = fp;
    u->interrupted = false;
    u->context = NULL;
    return u->pc ? FM_UNWIND_CALLER : FM_UNWIND_LOST; /* the outermost function says so itself */
}

/* ---- walks ---- */

/* How many of the outer frames are proved by their words. Those below the stack pointer are gone. */
static uint32_t unchanged_frames(const struct fm_unwind *u)
{
    const struct fm_stack *stack = u->stack;
    uint32_t n = stack->stack_end == u->stack_end ? stack->known : 0;
    while (n && stack->frames[n - 1].sp < u->sp)
        n--;
    const struct fm_stack_word *word = stack->words, *end = word + (n ? stack->frames[n - 1].words : 0);
    while (word < end && word_at(word->at) == word->value)
        word++;
    while (n && stack->frames[n - 1].words > word - stack->words)
        n--;
    return n;
}

/* Whether the walk has met a frame that is as it was, and proved from there on. Stack pointers grow outwards; so do those
 * of new frames at the end of the memory, which are therefore never taken for old ones. */
FM_INLINE bool is_known(struct fm_unwind *u, uintptr_t pc, uintptr_t sp, uintptr_t fp, uint32_t next_frame)
{
    const struct fm_stack *stack = u->stack;
    uint32_t n = u->unchanged;
    while (n && stack->frames[n - 1].sp < sp)
        n--;
    u->unchanged = n;
    return n && stack->frames[n - 1].sp == sp && stack->calls[n - 1] == pc &&
           (stack->frames[n - 1].fp == fp || !(stack->frames[n - 1].fp_use & FM_FP_MATTERS)) &&
           n + FEWEST_FREE <= next_frame;
}

/* Steps over plain frames as long as there are such, in registers. Whether it has come to a known one. */
static bool step_over_plain(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    struct fm_unwind_cache *cache = u->cache;
    const uintptr_t stack_end = u->stack_end;
    uintptr_t pc = u->pc, sp = u->sp, fp = u->fp;
    uint32_t next_frame = u->next_frame, next_word = u->next_word;
    bool known = false;
    while (next_frame > FEWEST_FREE) {
        if (u->unchanged && (known = is_known(u, pc, sp, fp, next_frame)))
            break;
        const struct fm_rule_slot *slot = slot_of(cache, address_in(pc, false));
        if (__builtin_expect(!slot, 0))
            break;
        uintptr_t base = slot->from_fp ? fp : sp, cfa = base + (uintptr_t)(intptr_t)slot->rule.cfa_offset;
        if (__builtin_expect(!slot->plain || base < sp || base % 8 || cfa > stack_end || cfa < base, 0))
            break;
        uintptr_t ra_at = cfa + (uintptr_t)(intptr_t)slot->rule.ra_offset, ra = word_at(ra_at);
        uintptr_t caller = fm_plain_address(ra);
        if (__builtin_expect(!caller, 0))
            break;
        stack->calls[--next_frame] = pc;
        stack->frames[next_frame] = (struct fm_stack_frame){sp, fp, next_word, slot->fp_use};
        stack->words[--next_word] = (struct fm_stack_word){ra_at, ra};
        if (slot->rule.fp_kind == FM_FP_AT_CFA) {
            uintptr_t fp_at = cfa + (uintptr_t)(intptr_t)slot->rule.fp_offset;
            fp = word_at(fp_at);
            stack->words[--next_word] = (struct fm_stack_word){fp_at, fp};
        }
        sp = cfa;
        pc = caller;
    }
    u->pc = pc;
    u->sp = sp;
    u->fp = fp;
    u->next_frame = next_frame;
    u->next_word = next_word;
    return known;
}

/* Walks until there is no caller, or a known one; how many outer frames are known. */
static uint32_t walk(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    struct fm_stack_frame interrupted;
    enum fm_unwind_result end = step(u, &interrupted);
    while (end == FM_UNWIND_CALLER) {
        if (!u->interrupted && step_over_plain(u))
            return u->unchanged;
        if (u->next_frame <= FEWEST_FREE)
            break;
        struct fm_stack_frame *frame = &stack->frames[--u->next_frame];
        stack->calls[u->next_frame] = u->pc;
        *frame = (struct fm_stack_frame){.sp = u->sp, .fp = u->fp, .words = u->next_word};
        end = step(u, frame);
    }
    stack->end = end == FM_UNWIND_END ? FM_UNWIND_END : FM_UNWIND_LOST;
    return 0;
}

/* ---- what is kept for the next walk ---- */

/* The new calls, behind those that stay; how many outer ones are those of the last time. */
static uint32_t keep_calls(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    const uint64_t *new = stack->calls + u->next_frame - stack->early;
    uint32_t n = stack->early + FM_STACK_DEPTH - u->next_frame, before = stack->n < n ? stack->n : n,
             same = stack->early;
    before = before < u->next_frame ? before : u->next_frame;
    while (same < before && stack->calls[same] == new[same])
        same++;
    memmove(stack->calls + same, new + same, (n - same) * sizeof *new);
    stack->n = n;
    return same;
}

/* The same for what they were read from, but only where the calls are those of the last time: others may be gone at the
 * next. A saved frame pointer that no rule further out needs may change. How many are known now. */
static uint32_t keep_frames(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    uint32_t n = stack->early, same = u->next_frame + stack->same - n;
    bool matters = n ? stack->frames[n - 1].fp_use & FM_FP_MATTERS : stack->end == FM_UNWIND_LOST;
    struct fm_stack_word *to = stack->words + (n ? stack->frames[n - 1].words : 0), *from = stack->words + u->next_word;
    for (uint32_t i = u->next_frame; i < u->odd_frames && i < same; i++) {
        struct fm_stack_frame *frame = &stack->frames[i], *kept = &stack->frames[n++];
        uint32_t use = frame->fp_use;
        from += (use & FM_FP_SAVED) && !matters;
        for (const struct fm_stack_word *last = stack->words + frame->words; from < last;)
            *to++ = *from++;
        matters = use & FM_FP_READ || (matters && !(use & FM_FP_SAVED));
        kept->sp = frame->sp;
        kept->fp = frame->fp;
        kept->words = (uint32_t)(to - stack->words);
        kept->fp_use = use | (matters ? FM_FP_MATTERS : 0);
    }
    return n;
}

void fm_unwind_walk(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    u->unchanged = unchanged_frames(u);
    stack->known = 0; /* a handler of the program may jump out of this */
    atomic_signal_fence(memory_order_seq_cst);
    stack->early = walk(u);
    stack->same = keep_calls(u);
    stack->stack_end = u->stack_end;
    uint32_t known = u->next_frame > FEWEST_FREE ? keep_frames(u) : 0;
    atomic_signal_fence(memory_order_seq_cst);
    stack->known = known;
}
