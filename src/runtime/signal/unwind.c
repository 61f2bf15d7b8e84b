/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/unwind.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/signal/scan.h"

enum { MIN_FREE = 2 }; /* frames of the buffer: for the words of the interrupted frame, and a last step */

static void set_registers(struct fm_unwind *u, const ucontext_t *context)
{
    u->pc = fm_ucontext_pc(context);
    u->sp = fm_ucontext_sp(context);
    u->fp = fm_ucontext_register(context, FM_DWARF_FP);
    u->interrupted = true;
    u->context = u->registers = context;
}

void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end, struct fm_unwind_cache *cache,
                     struct fm_stack *stack)
{
    set_registers(u, context);
    u->stack_end = stack_end;
    u->cache = cache;
    u->stack = stack;
    u->next_frame = u->odd_frames = u->callers = FM_STACK_DEPTH;
    u->next_word = FM_STACK_WORDS;
    u->caller.pc = 0;
}

FM_INLINE uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

/* Whether a word is above the stack pointer of the frame, so that each step leads outwards. */
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

/* An address inside the call, which may be the last instruction of the function. */
FM_INLINE uintptr_t address_in(uintptr_t pc, bool interrupted)
{
    return pc - !interrupted;
}

/* ---- saved registers ---- */

/* In an epilogue the tables of gcc still name the word from which a register was popped, which is below the stack
 * pointer by now; a leaf function may keep it there for good. No handler touches the red zone, so the word is still
 * there. Further down it may have been overwritten, but what was popped is in the register. */
FM_INLINE bool is_popped(uintptr_t at, uintptr_t sp, uintptr_t *value)
{
    if (at >= sp || at % sizeof at)
        return false;
    if (sp - at <= FM_RED_ZONE_BYTES)
        *value = word_at(at);
    return true;
}

/* The loader's resolver may have its return address above its CFA, where a stub has pushed it. */
FM_INLINE uintptr_t above_cfa(const struct fm_cfi_rule *rule)
{
    return rule->ra_kind == FM_RA_SAVED && rule->ra_offset >= 0 ? (uintptr_t)rule->ra_offset + sizeof(uintptr_t) : 0;
}

/* Value of a register in the caller, from its value in the callee. */
static bool restore(const struct fm_unwind *u, unsigned number, const struct fm_unwind *callee, uintptr_t caller_sp,
                    uintptr_t *value)
{
    struct fm_cfi_module module;
    struct fm_cfi_rule rule;
    uintptr_t address = address_in(callee->pc, callee->interrupted);
    if (!fm_cfi_find_module(address, &module) || !fm_cfi_rule_with(&module, address, &u->cache->tables, number, &rule))
        return false;
    uintptr_t at = (rule.fp_kind == FM_FP_AT_FP ? callee->fp : caller_sp - above_cfa(&rule)) +
                   (uintptr_t)(intptr_t)rule.fp_offset;
    if (rule.fp_kind == FM_FP_SAME || (callee->interrupted && is_popped(at, callee->sp, value)))
        return true;
    bool readable = is_outside(callee, at);
    *value = readable ? word_at(at) : 0;
    return readable;
}

/* Value of a register in the current frame: restored function by function, from the one that a signal has interrupted
 * outwards. */
static bool find_register(const struct fm_unwind *u, unsigned number, uintptr_t *value)
{
    const struct fm_stack *stack = u->stack;
    struct fm_unwind callee = {.stack_end = u->stack_end};
    set_registers(&callee, u->registers);
    *value = fm_ucontext_register(u->registers, number);
    bool found = true;
    for (uint32_t i = u->callers; found && i-- > u->next_frame;) {
        const struct fm_stack_frame *caller = &stack->frames[i];
        found = restore(u, number, &callee, caller->sp, value);
        callee.pc = stack->calls[i];
        callee.sp = caller->sp;
        callee.fp = caller->fp;
        callee.interrupted = false;
    }
    return found && *value;
}

/* ---- frames ---- */

/* A signal frame: the kernel has saved the registers of the interrupted function on the stack. */
static enum fm_unwind_result step_signal(struct fm_unwind *u)
{
    uintptr_t at = u->sp + FM_CONTEXT_FROM_SP;
    const ucontext_t *context = (const ucontext_t *)at;
    if (at % 8 || at < u->sp || at >= u->stack_end || u->stack_end - at < sizeof *context)
        return FM_UNWIND_LOST;
    uintptr_t sp = fm_ucontext_sp(context);
    if (sp <= at || sp >= u->stack_end) /* a handler on an alternate stack */
        return FM_UNWIND_LOST;
    set_registers(u, context);
    u->callers = u->next_frame - 1;
    return FM_UNWIND_CALLER;
}

/* Whether the interrupted function has set the frame pointer itself: the return address saved next to it is still in
 * the register. */
static bool has_own_frame(const struct fm_unwind *u)
{
    uintptr_t saved = u->fp + sizeof saved;
    return u->context && is_outside(u, saved) && word_at(saved) == fm_ucontext_register(u->context, FM_DWARF_RA);
}

/* For code without tables: replaces the rule that was guessed from the address alone, if the stack shows a better
 * one. */
static void refine_from_stack(const struct fm_unwind *u, struct fm_cfi_rule *rule)
{
    if (rule->ra_kind == FM_RA_IN_REGISTER && has_own_frame(u))
        *rule = fm_rule_frame_pointer;
    if (FM_CALL_KEEPS_RA_IN_REGISTER || rule->ra_kind != FM_RA_SAVED)
        return;
    struct fm_scanned found;
    if (!fm_scan_frame(u->sp, u->fp, u->stack_end, u->context, &found))
        return;
    uintptr_t cfa = found.return_at + sizeof cfa;
    *rule = (struct fm_cfi_rule){.cfa_register = FM_DWARF_SP,
                                 .cfa_offset = (int32_t)(cfa - u->sp),
                                 .ra_offset = -(int)sizeof cfa,
                                 .fp_kind = found.fp_at ? FM_FP_AT_CFA : FM_FP_SAME,
                                 .fp_offset = found.fp_at ? (int32_t)(found.fp_at - cfa) : 0};
}

static bool is_tracked(const struct fm_cfi_rule *rule)
{
    return rule->cfa_register == FM_DWARF_SP || rule->cfa_register == FM_DWARF_FP;
}

static bool find_cfa(struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t *cfa)
{
    uintptr_t base = rule->cfa_register == FM_DWARF_SP ? u->sp : u->fp;
    if (!is_tracked(rule) && !find_register(u, rule->cfa_register, &base))
        return false;
    *cfa = base + (uintptr_t)(intptr_t)rule->cfa_offset;
    return base && (rule->cfa_kind == FM_CFA_REGISTER || load(u, *cfa, cfa));
}

static bool find_pc(struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t cfa, uintptr_t *pc)
{
    if (rule->ra_kind == FM_RA_SAVED)
        return load(u, cfa + (uintptr_t)(intptr_t)rule->ra_offset, pc);
    *pc = u->context ? fm_ucontext_register(u->context, (unsigned)rule->ra_offset) : 0;
    return u->context != NULL;
}

static bool find_fp(struct fm_unwind *u, const struct fm_cfi_rule *rule, uintptr_t cfa, uintptr_t *fp)
{
    uintptr_t at = (rule->fp_kind == FM_FP_AT_CFA ? cfa : u->fp) + (uintptr_t)(intptr_t)rule->fp_offset;
    *fp = u->fp;
    return rule->fp_kind == FM_FP_SAME || (u->interrupted && is_popped(at, u->sp, fp)) || load(u, at, fp);
}

static bool find_caller(struct fm_unwind *u, const struct fm_cfi_rule *rule)
{
    uintptr_t cfa, pc, fp;
    if (!find_cfa(u, rule, &cfa) || cfa < u->sp || cfa > u->stack_end || (cfa == u->sp && !u->interrupted) ||
        !find_pc(u, rule, cfa, &pc) || !find_fp(u, rule, cfa, &fp))
        return false;
    u->pc = fm_plain_address(pc);
    u->sp = cfa + above_cfa(rule);
    u->fp = fp;
    u->interrupted = false;
    u->context = NULL;
    return true;
}

/* Steps from the frame that `frame` describes. The word of the caller's frame pointer is the last that it reads. */
__attribute__((noinline)) static enum fm_unwind_result step(struct fm_unwind *u, struct fm_stack_frame *frame)
{
    uintptr_t address = address_in(u->pc, u->interrupted);
    const struct fm_rule_slot *slot = fm_rule_of(u->cache, address);
    slot = slot ? slot : fm_rule_learn(u->cache, address, u->interrupted);
    struct fm_cfi_rule rule = slot->rule;
    if (slot->guessed)
        refine_from_stack(u, &rule);
    frame->fp_use = rule.ra_kind == FM_RA_NONE ? 0 : FM_FP_READ; /* if the step fails: it may be read */
    if (u->interrupted || rule.ra_kind == FM_RA_SIGNAL || slot->guessed || !is_tracked(&rule))
        u->odd_frames = u->next_frame;
    if (rule.ra_kind == FM_RA_NONE)
        return FM_UNWIND_END;
    if (slot->strange && !u->interrupted) /* during exception handling frames hold other words than return addresses */
        return FM_UNWIND_LOST;
    if (rule.ra_kind == FM_RA_SIGNAL)
        return step_signal(u);
    if (!find_caller(u, &rule))
        return FM_UNWIND_LOST;
    frame->fp_use = slot->fp_use;
    return u->pc ? FM_UNWIND_CALLER : FM_UNWIND_LOST; /* the outermost frame is marked in its table */
}

/* ---- unwinding ---- */

/* Number of outer frames whose words are unchanged. Frames below the stack pointer are gone. */
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

/* Whether the walk has reached a frame that is unchanged, and so are all frames outside of it. Stack pointers grow
 * outwards; so do those of the new frames at the end of the buffer, which are therefore never mistaken for old ones. */
FM_INLINE bool is_known(struct fm_unwind *u, uintptr_t pc, uintptr_t sp, uintptr_t fp, uint32_t next_frame)
{
    const struct fm_stack *stack = u->stack;
    uint32_t n = u->unchanged;
    while (n && stack->frames[n - 1].sp < sp)
        n--;
    u->unchanged = n;
    return n && stack->frames[n - 1].sp == sp && stack->calls[n - 1] == pc &&
           (stack->frames[n - 1].fp == fp || !(stack->frames[n - 1].fp_use & FM_FP_MATTERS)) &&
           n + MIN_FREE <= next_frame;
}

/* Steps over plain frames as long as there are any, with the state in registers. Returns whether it has reached a known
 * frame. */
static bool step_over_plain(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    struct fm_unwind_cache *cache = u->cache;
    const uintptr_t stack_end = u->stack_end;
    uintptr_t pc = u->pc, sp = u->sp, fp = u->fp;
    uint32_t next_frame = u->next_frame, next_word = u->next_word;
    bool known = false;
    while (next_frame > MIN_FREE) {
        if (u->unchanged && (known = is_known(u, pc, sp, fp, next_frame)))
            break;
        const struct fm_rule_slot *slot = fm_rule_of(cache, address_in(pc, false));
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

void fm_unwind_leave(struct fm_unwind *u)
{
    struct fm_stack_frame interrupted;
    u->last = step(u, &interrupted);
    if (u->last == FM_UNWIND_CALLER && !u->interrupted) {
        u->caller.pc = u->pc;
        u->caller.sp = u->sp;
        u->caller.fp = u->fp;
    }
}

/* Walks until there is no caller, or a known one. Returns the number of outer frames that are known. */
static uint32_t walk(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    enum fm_unwind_result end = u->last;
    while (end == FM_UNWIND_CALLER) {
        if (!u->interrupted && step_over_plain(u))
            return u->unchanged;
        if (u->next_frame <= MIN_FREE)
            break;
        struct fm_stack_frame *frame = &stack->frames[--u->next_frame];
        stack->calls[u->next_frame] = u->pc;
        *frame = (struct fm_stack_frame){.sp = u->sp, .fp = u->fp, .words = u->next_word};
        end = step(u, frame);
    }
    stack->end = end == FM_UNWIND_END ? FM_UNWIND_END : FM_UNWIND_LOST;
    return 0;
}

/* ---- what is kept for the next sample ---- */

/* Appends the new calls to those that stay. Returns the number of outer calls that are the same as last time. */
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

/* Copies the words that a frame was read from, except for a saved frame pointer that no rule further out needs: it may
 * change. */
FM_INLINE struct fm_stack_word *copy_words(const struct fm_stack *stack, const struct fm_stack_frame *frame,
                                           const struct fm_stack_word **from, struct fm_stack_word *to, bool *matters)
{
    uint32_t use = frame->fp_use;
    *from += (use & FM_FP_SAVED) && !*matters;
    for (const struct fm_stack_word *last = stack->words + frame->words; *from < last;)
        *to++ = *(*from)++;
    *matters = use & FM_FP_READ || (*matters && !(use & FM_FP_SAVED));
    return to;
}

/* Of the frames that were not walked again: number of words, and whether the frame pointer matters to them. */
static uint32_t early_words(const struct fm_stack *stack)
{
    return stack->early ? stack->frames[stack->early - 1].words : 0;
}

static bool fp_matters_early(const struct fm_stack *stack)
{
    return stack->early ? stack->frames[stack->early - 1].fp_use & FM_FP_MATTERS : stack->end == FM_UNWIND_LOST;
}

/* Does the same as keep_calls for the words that the calls were read from, but only for calls that are the same as last
 * time: others may be gone by the next. Returns the number of known frames. */
static uint32_t keep_frames(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    uint32_t n = stack->early, same = u->next_frame + stack->same - n;
    bool matters = fp_matters_early(stack);
    struct fm_stack_word *to = stack->words + early_words(stack);
    const struct fm_stack_word *from = stack->words + u->next_word;
    for (uint32_t i = u->next_frame; i < u->odd_frames && i < same; i++) {
        const struct fm_stack_frame *frame = &stack->frames[i];
        struct fm_stack_frame *kept = &stack->frames[n++];
        to = copy_words(stack, frame, &from, to, &matters);
        *kept = (struct fm_stack_frame){frame->sp, frame->fp, (uint32_t)(to - stack->words),
                                        frame->fp_use | (matters ? FM_FP_MATTERS : 0)};
    }
    return n;
}

void fm_unwind_walk(struct fm_unwind *u)
{
    struct fm_stack *stack = u->stack;
    u->unchanged = unchanged_frames(u);
    stack->known = 0; /* a signal handler of the program may longjmp out of this */
    atomic_signal_fence(memory_order_seq_cst);
    stack->early = walk(u);
    stack->same = keep_calls(u);
    stack->stack_end = u->stack_end;
    uint32_t known = u->next_frame > MIN_FREE ? keep_frames(u) : 0;
    atomic_signal_fence(memory_order_seq_cst);
    stack->known = known;
}

/* ---- what the cache of recent stacks keeps ---- */

uint32_t fm_unwind_words(const struct fm_unwind *u)
{
    const struct fm_stack *stack = u->stack;
    if (!u->caller.pc || stack->end != FM_UNWIND_END || u->odd_frames != FM_STACK_DEPTH)
        return UINT32_MAX;
    uint32_t first = u->next_frame < FM_STACK_DEPTH ? stack->frames[FM_STACK_DEPTH - 1].words : u->next_word;
    return early_words(stack) + first - u->next_word;
}

uint32_t fm_unwind_copy_words(const struct fm_unwind *u, struct fm_stack_word *words, bool *fp_matters)
{
    const struct fm_stack *stack = u->stack;
    const struct fm_stack_word *from = stack->words + u->next_word;
    struct fm_stack_word *to = words + early_words(stack);
    memcpy(words, stack->words, early_words(stack) * sizeof *words);
    *fp_matters = fp_matters_early(stack);
    for (uint32_t i = u->next_frame; i < FM_STACK_DEPTH; i++)
        to = copy_words(stack, &stack->frames[i], &from, to, fp_matters);
    return (uint32_t)(to - words);
}
