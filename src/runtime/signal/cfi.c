/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/signal/cfi.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "base/platform.h"
#include "runtime/signal/dwarf_reader.h"

/* glibc 2.35 and later. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

bool fm_cfi_find_module(uintptr_t address, struct fm_cfi_module *module)
{
    struct dl_find_object found;
    if (!_dl_find_object || _dl_find_object((void *)address, &found) != 0)
        return false;
    *module = (struct fm_cfi_module){(uintptr_t)found.dlfo_eh_frame, (uintptr_t)found.dlfo_map_start,
                                     (uintptr_t)found.dlfo_map_end};
    return true;
}

/* The only form of .eh_frame_hdr that linkers write: version 1, 4-byte pointers relative to themselves, a 4-byte count,
 * a table relative to the header. */
enum { HEADER_FORM = 0x3b031b01, HEADER_BYTES = 12 };

/* The frame description entry (FDE) that covers pc, from the sorted table in .eh_frame_hdr. */
static uintptr_t find_fde(const struct fm_cfi_module *m, uintptr_t pc)
{
    uintptr_t at = m->eh_frame_hdr - m->start, room = m->end - m->start;
    const uint32_t *header = (const uint32_t *)m->eh_frame_hdr;
    if (at >= room || room - at < HEADER_BYTES || m->eh_frame_hdr % 4 || header[0] != HEADER_FORM)
        return 0;
    uint64_t count = header[2];
    const int32_t *table = (const int32_t *)(header + 3);
    if (count == 0 || (room - at - HEADER_BYTES) / 8 < count)
        return 0;
    uint64_t low = 0;
    for (uint64_t rest = count; rest > 1; rest -= rest / 2) { /* branchless: it would be mispredicted */
        uint64_t middle = low + rest / 2;
        low = m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * middle] <= pc ? middle : low;
    }
    if (m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * low] > pc)
        return 0;
    return m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * low + 1];
}

static struct dwarf_reader record_at(const struct fm_cfi_module *m, uintptr_t at)
{
    struct dwarf_reader r = {(const uint8_t *)at, (const uint8_t *)m->end, at < m->start || at >= m->end};
    if (r.bad)
        r.end = r.at;
    uint64_t length = get(&r, 4);
    if (length == 0xffffffff)
        length = get(&r, 8);
    if (r.bad || length > (uint64_t)(r.end - r.at))
        r.bad = true;
    else
        r.end = r.at + length;
    return r;
}

static void read_augmentation(struct dwarf_reader *r, const char *letters, struct fm_cfi_common *cie)
{
    uint64_t length = get_uleb(r);
    const uint8_t *after = length <= (uint64_t)(r->end - r->at) ? r->at + length : r->end;
    for (const char *c = letters; *c && !r->bad; c++) {
        if (*c == 'R')
            cie->pointer_encoding = (uint8_t)get(r, 1);
        else if (*c == 'P')
            get_encoded(r, (uint8_t)get(r, 1));
        else if (*c == 'L')
            get(r, 1);
        else if (*c == 'S')
            cie->signal_frame = true;
    }
    r->at = after;
}

/* Leaves *r at the instructions. */
static bool read_cie(const struct fm_cfi_module *m, uintptr_t at, struct fm_cfi_common *cie, struct dwarf_reader *r)
{
    *r = record_at(m, at);
    *cie = (struct fm_cfi_common){0};
    if (get(r, 4) != 0)
        return false;
    get(r, 1); /* version */
    const char *augmentation = (const char *)r->at;
    while (get(r, 1) && !r->bad)
        ;
    cie->code_align = get_uleb(r);
    cie->data_align = get_sleb(r);
    cie->ra_register = get_uleb(r);
    cie->augmented = augmentation[0] == 'z';
    if (cie->augmented)
        read_augmentation(r, augmentation + 1, cie);
    return !r->bad;
}

enum { MAX_STATES = 8, NO_REGISTER = 0xff };
struct cfi_row {
    struct fm_cfi_rule rule;
    bool unknown; /* the CFA is given by an unsupported expression, or a register is kept in another one */
};

struct cfi_program {
    struct dwarf_reader r;
    const struct fm_cfi_common *cie;
    const struct cfi_row *initial;
    unsigned tracked; /* the register whose rule is read, besides the return address */
    uintptr_t location, pc;
    struct cfi_row *stack; /* remembered states */
    unsigned depth;
};

static void set_saved(const struct cfi_program *run, struct cfi_row *row, uint64_t reg, int64_t offset)
{
    if (reg == run->cie->ra_register) {
        row->rule.ra_kind = FM_RA_SAVED;
        row->rule.ra_offset = (int32_t)offset;
    } else if (reg == run->tracked) {
        row->rule.fp_kind = FM_FP_AT_CFA;
        row->rule.fp_offset = (int32_t)offset;
    }
}

static void restore(const struct cfi_program *run, struct cfi_row *row, uint64_t reg)
{
    const struct fm_cfi_rule *initial = &run->initial->rule;
    if (reg == run->cie->ra_register) {
        row->rule.ra_kind = initial->ra_kind;
        row->rule.ra_offset = initial->ra_offset;
    } else if (reg == run->tracked) {
        row->rule.fp_kind = initial->fp_kind;
        row->rule.fp_offset = initial->fp_offset;
    }
}

static void set_undefined(const struct cfi_program *run, struct cfi_row *row, uint64_t reg)
{
    if (reg == run->cie->ra_register)
        row->rule.ra_kind = FM_RA_NONE;
}

static void set_in_register(const struct cfi_program *run, struct cfi_row *row, uint64_t reg, uint64_t in)
{
    if (reg == run->cie->ra_register) {
        row->rule.ra_kind = FM_RA_IN_REGISTER;
        row->rule.ra_offset = (int32_t)in;
    } else if (reg == run->tracked && reg == in) {
        row->rule.fp_kind = FM_FP_SAME;
    }
    row->unknown |= in >= NO_REGISTER || (reg != in && (reg == FM_DWARF_SP || reg == run->tracked));
}

static void set_cfa(struct cfi_row *row, enum fm_cfa_kind kind, uint64_t reg, int64_t offset)
{
    row->rule.cfa_kind = (uint8_t)kind;
    row->rule.cfa_register = reg < NO_REGISTER ? (uint8_t)reg : NO_REGISTER;
    row->rule.cfa_offset = (int32_t)offset;
    row->unknown = reg >= NO_REGISTER || offset != (int32_t)offset;
}

/* ---- expressions ---- */

enum { OP_DEREF = 0x06, OP_AND = 0x1a, OP_PLUS = 0x22, OP_SHL = 0x24, OP_GE = 0x2a, OP_LIT0 = 0x30, OP_BREG0 = 0x70 };

static struct dwarf_reader get_block(struct dwarf_reader *r)
{
    uint64_t length = get_uleb(r);
    struct dwarf_reader block = {r->at, r->at, r->bad};
    if (r->bad || length > (uint64_t)(r->end - r->at)) {
        r->bad = block.bad = true;
        return block;
    }
    block.end = r->at += length;
    return block;
}

static bool get_register(struct dwarf_reader *r, uint64_t *reg, int64_t *offset)
{
    uint8_t op = (uint8_t)get(r, 1);
    *reg = op - (unsigned)OP_BREG0;
    *offset = get_sleb(r);
    return !r->bad && op >= OP_BREG0 && op < OP_BREG0 + 32;
}

/* The expression that linkers emit for the procedure linkage table on x86-64: 8 bytes more from the given byte of each
 * entry on. */
static bool get_plt_step(struct dwarf_reader *r, uintptr_t pc, int64_t *more)
{
    uint64_t reg;
    int64_t offset;
    if (!get_register(r, &reg, &offset) || reg != FM_DWARF_RA || offset != 0)
        return false;
    uint8_t mask = (uint8_t)get(r, 1), and = (uint8_t)get(r, 1), from = (uint8_t)get(r, 1), ge = (uint8_t)get(r, 1),
            shift = (uint8_t)get(r, 1), shl = (uint8_t)get(r, 1), plus = (uint8_t)get(r, 1);
    if (r->bad || and != OP_AND || ge != OP_GE || shl != OP_SHL || plus != OP_PLUS || mask != OP_LIT0 + 15 ||
        from < OP_LIT0 || from > OP_LIT0 + 15 || shift != OP_LIT0 + 3)
        return false;
    *more = (pc & 15) >= (uintptr_t)(from - OP_LIT0) ? 8 : 0;
    return true;
}

static void set_cfa_expression(struct cfi_row *row, struct dwarf_reader block, uintptr_t pc)
{
    uint64_t reg;
    int64_t offset, more;
    row->unknown = true;
    if (!get_register(&block, &reg, &offset))
        return;
    if (block.at == block.end)
        set_cfa(row, FM_CFA_REGISTER, reg, offset);
    else if (block.end - block.at == 1 && *block.at == OP_DEREF)
        set_cfa(row, FM_CFA_AT_REGISTER, reg, offset);
    else if (get_plt_step(&block, pc, &more))
        set_cfa(row, FM_CFA_REGISTER, reg, offset + more);
}

/* Where a register is saved. A function that realigns its stack saves the old frame pointer where the new one
 * points. */
static void set_saved_expression(const struct cfi_program *run, struct cfi_row *row, uint64_t reg,
                                 struct dwarf_reader block)
{
    uint64_t base;
    int64_t offset;
    bool known = get_register(&block, &base, &offset) && block.at == block.end && base == FM_DWARF_FP;
    if (reg == run->cie->ra_register)
        row->unknown = true;
    else if (reg == run->tracked && known) {
        row->rule.fp_kind = FM_FP_AT_FP;
        row->rule.fp_offset = (int32_t)offset;
    }
}

/* ---- instructions ---- */

enum {
    CFA_NOP,
    CFA_SET_LOC,
    CFA_ADVANCE_LOC1,
    CFA_ADVANCE_LOC2,
    CFA_ADVANCE_LOC4,
    CFA_OFFSET_EXTENDED,
    CFA_RESTORE_EXTENDED,
    CFA_UNDEFINED,
    CFA_SAME_VALUE,
    CFA_IN_REGISTER,
    CFA_REMEMBER_STATE,
    CFA_RESTORE_STATE,
    CFA_DEF_CFA,
    CFA_DEF_CFA_REGISTER,
    CFA_DEF_CFA_OFFSET,
    CFA_DEF_CFA_EXPRESSION,
    CFA_EXPRESSION,
    CFA_OFFSET_EXTENDED_SF,
    CFA_DEF_CFA_SF,
    CFA_DEF_CFA_OFFSET_SF,
    CFA_VAL_OFFSET,
    CFA_VAL_OFFSET_SF,
    CFA_VAL_EXPRESSION,
    CFA_NEGATE_RA_STATE = 0x2d,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_ADVANCE_LOC = 0x40, /* upper two bits only; the rest is the operand */
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0
};

/* Executes an instruction that sets the rule of a register. Returns false if it is another one or not supported. */
static bool run_register(struct cfi_program *run, uint8_t op, struct cfi_row *row)
{
    const struct fm_cfi_common *cie = run->cie;
    uint64_t reg = get_uleb(&run->r);
    switch (op) {
    case CFA_OFFSET_EXTENDED:
        set_saved(run, row, reg, (int64_t)get_uleb(&run->r) * cie->data_align);
        return true;
    case CFA_OFFSET_EXTENDED_SF:
        set_saved(run, row, reg, get_sleb(&run->r) * cie->data_align);
        return true;
    case CFA_RESTORE_EXTENDED:
        restore(run, row, reg);
        return true;
    case CFA_UNDEFINED:
        set_undefined(run, row, reg);
        return true;
    case CFA_SAME_VALUE:
        set_in_register(run, row, reg, reg);
        return true;
    case CFA_EXPRESSION:
        set_saved_expression(run, row, reg, get_block(&run->r));
        return true;
    case CFA_IN_REGISTER:
        set_in_register(run, row, reg, get_uleb(&run->r));
        return true;
    case CFA_VAL_EXPRESSION: /* not supported, but rarely used for registers that we track */
        get_block(&run->r);
        return reg != cie->ra_register && reg != run->tracked;
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        get_uleb(&run->r);
        return reg != cie->ra_register && reg != run->tracked;
    case CFA_DEF_CFA:
        set_cfa(row, FM_CFA_REGISTER, reg, (int64_t)get_uleb(&run->r));
        return true;
    case CFA_DEF_CFA_SF:
        set_cfa(row, FM_CFA_REGISTER, reg, get_sleb(&run->r) * cie->data_align);
        return true;
    case CFA_DEF_CFA_REGISTER:
        set_cfa(row, FM_CFA_REGISTER, reg, row->rule.cfa_offset);
        return true;
    case CFA_DEF_CFA_OFFSET:
        set_cfa(row, FM_CFA_REGISTER, row->rule.cfa_register, (int64_t)reg);
        return true;
    default:
        return false;
    }
}

/* Executes an instruction; those with a register operand are left to run_register. Returns false if it is not
 * supported. */
static bool run_other(struct cfi_program *run, uint8_t op, struct cfi_row *row)
{
    switch (op) {
    case CFA_NOP:
    case CFA_NEGATE_RA_STATE: /* pointer authentication on aarch64: the address is stripped anyway */
        return true;
    case CFA_SET_LOC:
        run->location = get_encoded(&run->r, run->cie->pointer_encoding);
        return true;
    case CFA_ADVANCE_LOC1:
        run->location += get(&run->r, 1) * run->cie->code_align;
        return true;
    case CFA_ADVANCE_LOC2:
        run->location += get(&run->r, 2) * run->cie->code_align;
        return true;
    case CFA_ADVANCE_LOC4:
        run->location += get(&run->r, 4) * run->cie->code_align;
        return true;
    case CFA_REMEMBER_STATE:
        if (run->depth == MAX_STATES)
            return false;
        run->stack[run->depth++] = *row;
        return true;
    case CFA_RESTORE_STATE:
        if (run->depth == 0)
            return false;
        *row = run->stack[--run->depth];
        return true;
    case CFA_DEF_CFA_EXPRESSION:
        set_cfa_expression(row, get_block(&run->r), run->pc);
        return true;
    case CFA_DEF_CFA_OFFSET_SF:
        set_cfa(row, FM_CFA_REGISTER, row->rule.cfa_register, get_sleb(&run->r) * run->cie->data_align);
        return true;
    case CFA_GNU_ARGS_SIZE:
        get_uleb(&run->r);
        return true;
    default:
        return run_register(run, op, row);
    }
}

/* Executes the instructions up to pc. Returns false if one is not supported. */
static bool run_to(struct cfi_program *run, struct cfi_row *row)
{
    while (run->r.at < run->r.end && !run->r.bad) {
        uint8_t op = (uint8_t)get(&run->r, 1), low = op & 0x3f;
        switch (op & 0xc0) {
        case CFA_ADVANCE_LOC:
            run->location += low * run->cie->code_align;
            break;
        case CFA_OFFSET:
            set_saved(run, row, low, (int64_t)get_uleb(&run->r) * run->cie->data_align);
            continue;
        case CFA_RESTORE:
            restore(run, row, low);
            continue;
        default:
            if (!run_other(run, op, row))
                return false;
        }
        if (run->location > run->pc)
            return true;
    }
    return !run->r.bad;
}

/* The common information entry (CIE) at an address; NULL if it is not supported. A signal handler of the program may
 * longjmp out of this: a half-read entry has no address. */
static const struct fm_cfi_common *common_at(const struct fm_cfi_module *m, uintptr_t at, struct fm_cfi_memory *memory)
{
    struct fm_cfi_common *common = &memory->common[at / 8 % FM_CFI_COMMON];
    struct dwarf_reader instructions;
    if (common->at == at)
        return common->rule_known ? common : NULL;
    common->at = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if (!read_cie(m, at, common, &instructions))
        return NULL;
    struct cfi_row row = {.rule = {.ra_kind = FM_RA_IN_REGISTER, .cfa_register = NO_REGISTER}}, stack[MAX_STATES];
    row.rule.ra_offset = (int32_t)common->ra_register;
    struct cfi_program run = {
        .r = instructions, .cie = common, .initial = &row, .tracked = FM_DWARF_FP, .stack = stack};
    common->rule_known = run_to(&run, &row) && !row.unknown;
    common->rule = row.rule;
    atomic_signal_fence(memory_order_seq_cst);
    common->at = at;
    return common->rule_known ? common : NULL;
}

/* Finds the function that contains pc: its CIE, its instructions and its start. */
static const struct fm_cfi_common *open_fde(const struct fm_cfi_module *m, uintptr_t pc, struct fm_cfi_memory *memory,
                                            struct dwarf_reader *r, uintptr_t *start)
{
    uintptr_t fde = find_fde(m, pc);
    if (!fde)
        return NULL;
    *r = record_at(m, fde);
    uintptr_t cie_field = (uintptr_t)r->at;
    uint64_t cie_distance = get(r, 4);
    const struct fm_cfi_common *cie = r->bad || cie_distance == 0 ? NULL
                                                                  : common_at(m, cie_field - cie_distance, memory);
    if (!cie)
        return NULL;
    *start = get_encoded(r, cie->pointer_encoding);
    uint64_t range = get_encoded(r, cie->pointer_encoding & 0x0f);
    if (r->bad || pc - *start >= range)
        return NULL;
    if (cie->augmented)
        get_block(r);
    return r->bad ? NULL : cie;
}

bool fm_cfi_rule_with(const struct fm_cfi_module *m, uintptr_t pc, struct fm_cfi_memory *memory,
                      unsigned register_number, struct fm_cfi_rule *rule)
{
    struct dwarf_reader instructions;
    uintptr_t start;
    const struct fm_cfi_common *cie = open_fde(m, pc, memory, &instructions, &start);
    if (!cie)
        return false;
    struct cfi_row initial = {.rule = cie->rule}, stack[MAX_STATES];
    if (register_number != FM_DWARF_FP)
        initial.rule.fp_kind = FM_FP_SAME;
    struct cfi_row row = initial;
    struct cfi_program run = {.r = instructions,
                              .cie = cie,
                              .initial = &initial,
                              .tracked = register_number,
                              .location = start,
                              .pc = pc,
                              .stack = stack};
    if (!run_to(&run, &row))
        return false;
    *rule = row.rule;
    if (cie->signal_frame)
        rule->ra_kind = FM_RA_SIGNAL;
    return cie->signal_frame || rule->ra_kind == FM_RA_NONE || (!row.unknown && rule->cfa_register != NO_REGISTER);
}

bool fm_cfi_rule_at(const struct fm_cfi_module *m, uintptr_t pc, struct fm_cfi_memory *memory, struct fm_cfi_rule *rule)
{
    return fm_cfi_rule_with(m, pc, memory, FM_DWARF_FP, rule);
}
