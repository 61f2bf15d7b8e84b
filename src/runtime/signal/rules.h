/* SPDX-License-Identifier: BSD-3-Clause */
/* How to step over the frames of addresses, as it was learnt from tables or guessed: a table of the thread's own, so that an
 * address costs a few loads from its second visit on. */
#ifndef FM_RUNTIME_SIGNAL_RULES_H
#define FM_RUNTIME_SIGNAL_RULES_H

#include "base/platform.h"
#include "runtime/signal/cfi.h"

enum { FM_RULE_SLOTS = 2048 }; /* a power of two; an address may be in either of two */

enum fm_fp_use { /* what a frame does with the frame pointer: bits */
                 FM_FP_READ = 1,
                 FM_FP_SAVED = 2,  /* its caller's value is in the stack */
                 FM_FP_MATTERS = 4 /* it is read here, or further out before it changes */
};

/* What is known of an address. Most frames are plain: everything lies at a constant distance from the stack pointer or
 * the frame pointer, and inside the frame. */
struct fm_rule_slot {
    uintptr_t address; /* 0 = empty */
    struct fm_cfi_rule rule;
    bool plain;
    bool from_fp;
    bool guessed; /* the code has no tables */
    bool strange; /* and is in no module: made while the program runs, or no code at all */
    uint8_t fp_use;
};

enum { FM_CODE_PARTS = 4096 }; /* of 16 KiB each, that code is in */

struct fm_unwind_cache {
    uint32_t generation;                /* of the load modules: with another one everything is forgotten */
    uint64_t parts[FM_CODE_PARTS / 64]; /* in which something was learnt, by the last bits of their numbers */
    struct fm_cfi_memory tables;
    struct fm_rule_slot slots[FM_RULE_SLOTS];
};

extern const struct fm_cfi_rule fm_rule_frame_pointer; /* of code that keeps one */

unsigned fm_fp_use_of(const struct fm_cfi_rule *rule);

/* What is known of an address; NULL: nothing yet. */
FM_INLINE const struct fm_rule_slot *fm_rule_of(const struct fm_unwind_cache *cache, uintptr_t address)
{
    unsigned place = (unsigned)(address >> 2 ^ address >> 12) % FM_RULE_SLOTS;
    const struct fm_rule_slot *slot = &cache->slots[place];
    if (__builtin_expect(slot->address == address, 1))
        return slot;
    slot = &cache->slots[place ^ 1];
    return slot->address == address ? slot : NULL;
}

/* Whether anything may be known of code that lies there. Any thread may ask. */
bool fm_rules_are_of(const struct fm_unwind_cache *cache, uintptr_t start, uintptr_t end);

/* Learns it. `interrupted`: it is that of an instruction which a signal has interrupted, and not inside a call. */
const struct fm_rule_slot *fm_rule_learn(struct fm_unwind_cache *cache, uintptr_t address, bool interrupted);

#endif
