/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache of unwind rules by address, read from tables or guessed. Each thread has its own, so that an address costs a
 * few loads from its second visit on. */
#ifndef FM_RUNTIME_SIGNAL_RULES_H
#define FM_RUNTIME_SIGNAL_RULES_H

#include "base/platform.h"
#include "runtime/signal/cfi.h"

enum { FM_RULE_SLOTS = 2048 }; /* a power of two; an address may be in either of two slots */

enum fm_fp_use { /* how a frame uses the frame pointer: bits */
                 FM_FP_READ = 1,
                 FM_FP_SAVED = 2,  /* the caller's value is on the stack */
                 FM_FP_MATTERS = 4 /* it is read here, or further out before it changes */
};

/* The rule of an address. Most frames are plain: everything is at a constant offset from the stack pointer or the frame
 * pointer, and inside the frame. */
struct fm_rule_slot {
    uintptr_t address; /* 0 = empty */
    struct fm_cfi_rule rule;
    bool plain;
    bool from_fp;
    bool guessed; /* the code has no tables */
    bool strange; /* in no load module: generated at run time, or no code at all */
    uint8_t fp_use;
};

enum { FM_CODE_PARTS = 4096 }; /* parts of the address space of 16 KiB each */

struct fm_unwind_cache {
    uint32_t generation;                /* of the load modules: everything is discarded when it changes */
    uint64_t parts[FM_CODE_PARTS / 64]; /* bit set: a rule was read in such a part, by the low bits of its number */
    struct fm_cfi_memory tables;
    struct fm_rule_slot slots[FM_RULE_SLOTS];
};

extern const struct fm_cfi_rule fm_rule_frame_pointer; /* of code that keeps a frame pointer */

unsigned fm_fp_use_of(const struct fm_cfi_rule *rule);

/* The cached rule of an address, or NULL. */
FM_INLINE const struct fm_rule_slot *fm_rule_of(const struct fm_unwind_cache *cache, uintptr_t address)
{
    unsigned place = (unsigned)(address >> 2 ^ address >> 12) % FM_RULE_SLOTS;
    const struct fm_rule_slot *slot = &cache->slots[place];
    if (__builtin_expect(slot->address == address, 1))
        return slot;
    slot = &cache->slots[place ^ 1];
    return slot->address == address ? slot : NULL;
}

/* Whether there may be rules of code in this range. May be called by any thread. */
bool fm_rules_are_of(const struct fm_unwind_cache *cache, uintptr_t start, uintptr_t end);

/* Adds the rule of an address. `interrupted`: it is the address of an instruction that a signal has interrupted, not
 * one inside a call. */
const struct fm_rule_slot *fm_rule_learn(struct fm_unwind_cache *cache, uintptr_t address, bool interrupted);

#endif
