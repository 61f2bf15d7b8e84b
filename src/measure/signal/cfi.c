#define _GNU_SOURCE
#include "measure/signal/cfi.h"

#include <dlfcn.h>
#include <string.h>

#include "base/platform.h"

/* A reader that never leaves [at, end): past the end it gives zeros and remembers. */
struct reader {
    const uint8_t *at, *end;
    bool bad;
};

FM_INLINE uint64_t get(struct reader *r, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes); /* both processors are little-endian */
    r->at += bytes;
    return value;
}

/* A number in groups of seven bits, the lowest first; bits is how many there were. */
static uint64_t get_long_leb(struct reader *r, uint8_t byte, unsigned *bits)
{
    uint64_t value = byte & 0x7f;
    unsigned shift = 7;
    for (; byte & 0x80 && !r->bad; shift += 7) {
        byte = (uint8_t)get(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
    }
    *bits = shift;
    return value;
}

FM_INLINE uint64_t get_uleb(struct reader *r)
{
    uint8_t byte = (uint8_t)get(r, 1);
    unsigned bits;
    return byte & 0x80 ? get_long_leb(r, byte, &bits) : byte;
}

FM_INLINE int64_t get_sleb(struct reader *r)
{
    unsigned bits;
    uint64_t value = get_long_leb(r, (uint8_t)get(r, 1), &bits);
    if (bits < 64 && value >> (bits - 1))
        value |= ~(uint64_t)0 << bits;
    return (int64_t)value;
}

enum { PE_OMIT = 0xff, PE_PCREL = 0x10, PE_DATAREL = 0x30 };

/* A DW_EH_PE encoded pointer; data_base for values relative to .eh_frame_hdr. */
static uint64_t get_encoded(struct reader *r, uint8_t encoding, uintptr_t data_base)
{
    uintptr_t here = (uintptr_t)r->at;
    uint64_t value;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = get(r, 8);
        break;
    case 0x01:
        value = get_uleb(r);
        break;
    case 0x02:
        value = get(r, 2);
        break;
    case 0x03:
        value = get(r, 4);
        break;
    case 0x09:
        value = (uint64_t)get_sleb(r);
        break;
    case 0x0a:
        value = (uint64_t)(int64_t)(int16_t)get(r, 2);
        break;
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)get(r, 4);
        break;
    default:
        r->bad = true;
        return 0;
    }
    switch (encoding & 0x70) {
    case 0:
        return value;
    case PE_PCREL:
        return value + here;
    case PE_DATAREL:
        return value + data_base;
    default:
        r->bad = true;
        return 0;
    }
}

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

/* The frame description whose range holds pc, from the sorted table in .eh_frame_hdr. */
static uintptr_t find_fde(const struct fm_cfi_module *m, uintptr_t pc)
{
    if (m->eh_frame_hdr - m->start >= m->end - m->start)
        return 0;
    struct reader r = {(const uint8_t *)m->eh_frame_hdr, (const uint8_t *)m->end, false};
    uint8_t version = (uint8_t)get(&r, 1), frame_encoding = (uint8_t)get(&r, 1), count_encoding = (uint8_t)get(&r, 1),
            table_encoding = (uint8_t)get(&r, 1);
    if (version != 1 || count_encoding == PE_OMIT || table_encoding != (PE_DATAREL | 0x0b))
        return 0;
    get_encoded(&r, frame_encoding, m->eh_frame_hdr);
    uint64_t count = get_encoded(&r, count_encoding, m->eh_frame_hdr);
    if (r.bad || count == 0 || (uint64_t)(r.end - r.at) / 8 < count)
        return 0;
    const int32_t *table = (const int32_t *)(const void *)r.at;
    uint64_t low = 0;
    for (uint64_t rest = count; rest > 1; rest -= rest / 2) { /* no branch that would be guessed wrongly */
        uint64_t middle = low + rest / 2;
        low = m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * middle] <= pc ? middle : low;
    }
    if (m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * low] > pc)
        return 0;
    return m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * low + 1];
}

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_register;
    uint8_t fde_encoding;
    bool augmented, signal_frame;
    struct reader instructions;
};

static struct reader record_at(const struct fm_cfi_module *m, uintptr_t at)
{
    struct reader r = {(const uint8_t *)at, (const uint8_t *)m->end, at < m->start || at >= m->end};
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

static bool read_cie(const struct fm_cfi_module *m, uintptr_t at, struct cie *cie)
{
    struct reader r = record_at(m, at);
    if (get(&r, 4) != 0)
        return false;
    get(&r, 1); /* version */
    const char *augmentation = (const char *)r.at;
    while (get(&r, 1) && !r.bad)
        ;
    cie->code_align = get_uleb(&r);
    cie->data_align = get_sleb(&r);
    cie->ra_register = get_uleb(&r);
    cie->fde_encoding = 0;
    cie->signal_frame = false;
    cie->augmented = augmentation[0] == 'z';
    if (cie->augmented) {
        uint64_t length = get_uleb(&r);
        const uint8_t *after = length <= (uint64_t)(r.end - r.at) ? r.at + length : r.end;
        for (const char *c = augmentation + 1; *c && !r.bad; c++) {
            if (*c == 'R')
                cie->fde_encoding = (uint8_t)get(&r, 1);
            else if (*c == 'P')
                get_encoded(&r, (uint8_t)get(&r, 1), 0);
            else if (*c == 'L')
                get(&r, 1);
            else if (*c == 'S')
                cie->signal_frame = true;
        }
        r.at = after;
    }
    cie->instructions = r;
    return !r.bad;
}

enum { MAX_STATES = 8, NO_REGISTER = 0xff };
struct row {
    struct fm_cfi_rule rule;
    bool unknown; /* the CFA is given by an expression that is not understood */
};

static void set_saved(struct row *row, const struct cie *cie, uint64_t reg, int64_t offset)
{
    if (reg == cie->ra_register) {
        row->rule.ra_kind = FM_RA_SAVED;
        row->rule.ra_offset = (int32_t)offset;
    } else if (reg == FM_DWARF_FP) {
        row->rule.fp_kind = FM_FP_AT_CFA;
        row->rule.fp_offset = (int32_t)offset;
    }
}

static void restore(struct row *row, const struct cie *cie, const struct row *initial, uint64_t reg)
{
    if (reg == cie->ra_register) {
        row->rule.ra_kind = initial->rule.ra_kind;
        row->rule.ra_offset = initial->rule.ra_offset;
    } else if (reg == FM_DWARF_FP) {
        row->rule.fp_kind = initial->rule.fp_kind;
        row->rule.fp_offset = initial->rule.fp_offset;
    }
}

static void set_undefined(struct row *row, const struct cie *cie, uint64_t reg)
{
    if (reg == cie->ra_register)
        row->rule.ra_kind = FM_RA_NONE;
}

static void set_same(struct row *row, const struct cie *cie, uint64_t reg)
{
    if (reg == cie->ra_register)
        row->rule.ra_kind = FM_RA_IN_REGISTER;
    else if (reg == FM_DWARF_FP)
        row->rule.fp_kind = FM_FP_SAME;
}

static void set_cfa(struct row *row, enum fm_cfa_kind kind, uint64_t reg, int64_t offset)
{
    row->rule.cfa_kind = (uint8_t)kind;
    row->rule.cfa_register = reg < NO_REGISTER ? (uint8_t)reg : NO_REGISTER;
    row->rule.cfa_offset = (int32_t)offset;
    row->unknown = reg >= NO_REGISTER || offset != (int32_t)offset;
}

/* ---- expressions ---- */

enum { OP_DEREF = 0x06, OP_AND = 0x1a, OP_PLUS = 0x22, OP_SHL = 0x24, OP_GE = 0x2a, OP_LIT0 = 0x30, OP_BREG0 = 0x70 };

static struct reader get_block(struct reader *r)
{
    uint64_t length = get_uleb(r);
    struct reader block = {r->at, r->at, r->bad};
    if (r->bad || length > (uint64_t)(r->end - r->at)) {
        r->bad = block.bad = true;
        return block;
    }
    block.end = r->at += length;
    return block;
}

static bool get_register(struct reader *r, uint64_t *reg, int64_t *offset)
{
    uint8_t op = (uint8_t)get(r, 1);
    *reg = op - (unsigned)OP_BREG0;
    *offset = get_sleb(r);
    return !r->bad && op >= OP_BREG0 && op < OP_BREG0 + 32;
}

/* The linker's for the procedure linkage table on x86-64: 8 bytes more from the given byte of each entry on. */
static bool get_plt_step(struct reader *r, uintptr_t pc, int64_t *more)
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

static void set_cfa_expression(struct row *row, struct reader block, uintptr_t pc)
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

/* Where a register is saved. A realigned frame keeps its frame pointer where the new one points. */
static void set_saved_expression(struct row *row, const struct cie *cie, uint64_t reg, struct reader block)
{
    uint64_t base;
    int64_t offset;
    bool known = get_register(&block, &base, &offset) && block.at == block.end && base == FM_DWARF_FP;
    if (reg == cie->ra_register)
        row->unknown = true;
    else if (reg == FM_DWARF_FP && known) {
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
    CFA_ADVANCE_LOC = 0x40, /* the upper two bits alone; the rest is the operand */
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0
};

struct run {
    struct reader r;
    const struct cie *cie;
    const struct row *initial;
    uintptr_t location, pc;
    struct row *stack; /* remembered states */
    unsigned depth;
};

/* An instruction that gives a register's rule. false: it is none. */
static bool run_register(struct run *run, uint8_t op, struct row *row)
{
    const struct cie *cie = run->cie;
    uint64_t reg = get_uleb(&run->r);
    switch (op) {
    case CFA_OFFSET_EXTENDED:
        set_saved(row, cie, reg, (int64_t)get_uleb(&run->r) * cie->data_align);
        return true;
    case CFA_OFFSET_EXTENDED_SF:
        set_saved(row, cie, reg, get_sleb(&run->r) * cie->data_align);
        return true;
    case CFA_RESTORE_EXTENDED:
        restore(row, cie, run->initial, reg);
        return true;
    case CFA_UNDEFINED:
        set_undefined(row, cie, reg);
        return true;
    case CFA_SAME_VALUE:
        set_same(row, cie, reg);
        return true;
    case CFA_EXPRESSION:
        set_saved_expression(row, cie, reg, get_block(&run->r));
        return true;
    case CFA_VAL_EXPRESSION: /* the next three are of registers that are not followed */
        get_block(&run->r);
        return reg != cie->ra_register;
    case CFA_IN_REGISTER:
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        get_uleb(&run->r);
        return reg != cie->ra_register;
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

/* One that has no register. false: not understood. */
static bool run_other(struct run *run, uint8_t op, struct row *row)
{
    switch (op) {
    case CFA_NOP:
    case CFA_NEGATE_RA_STATE: /* pointer authentication on aarch64: the address is stripped anyway */
        return true;
    case CFA_SET_LOC:
        run->location = get_encoded(&run->r, run->cie->fde_encoding, 0);
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

/* Runs the instructions up to pc. false: something we do not understand. */
static bool run_to(struct run *run, struct row *row)
{
    while (run->r.at < run->r.end && !run->r.bad) {
        uint8_t op = (uint8_t)get(&run->r, 1), low = op & 0x3f;
        switch (op & 0xc0) {
        case CFA_ADVANCE_LOC:
            run->location += low * run->cie->code_align;
            break;
        case CFA_OFFSET:
            set_saved(row, run->cie, low, (int64_t)get_uleb(&run->r) * run->cie->data_align);
            continue;
        case CFA_RESTORE:
            restore(row, run->cie, run->initial, low);
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

/* The instructions of the function that holds pc. */
static bool open_fde(const struct fm_cfi_module *m, uintptr_t pc, struct cie *cie, struct reader *r, uintptr_t *start)
{
    uintptr_t fde = find_fde(m, pc);
    if (!fde)
        return false;
    *r = record_at(m, fde);
    uintptr_t cie_field = (uintptr_t)r->at;
    uint64_t cie_distance = get(r, 4);
    if (r->bad || cie_distance == 0 || !read_cie(m, cie_field - cie_distance, cie))
        return false;
    *start = get_encoded(r, cie->fde_encoding, 0);
    uint64_t range = get_encoded(r, cie->fde_encoding & 0x0f, 0);
    if (r->bad || pc - *start >= range)
        return false;
    if (cie->augmented)
        get_block(r);
    return !r->bad;
}

bool fm_cfi_rule_at(const struct fm_cfi_module *m, uintptr_t pc, struct fm_cfi_rule *rule)
{
    struct cie cie;
    struct reader instructions;
    uintptr_t start;
    if (!open_fde(m, pc, &cie, &instructions, &start))
        return false;
    struct row initial = {.rule = {.ra_kind = FM_RA_IN_REGISTER, .cfa_register = NO_REGISTER}};
    struct row row = initial, stack[MAX_STATES];
    struct run run = {
        .r = cie.instructions, .cie = &cie, .initial = &initial, .location = start, .pc = start, .stack = stack};
    if (!run_to(&run, &row))
        return false;
    initial = row;
    run = (struct run){
        .r = instructions, .cie = &cie, .initial = &initial, .location = start, .pc = pc, .stack = stack};
    if (!run_to(&run, &row))
        return false;
    *rule = row.rule;
    if (cie.signal_frame)
        rule->ra_kind = FM_RA_SIGNAL;
    return cie.signal_frame || rule->ra_kind == FM_RA_NONE || (!row.unknown && rule->cfa_register != NO_REGISTER);
}
