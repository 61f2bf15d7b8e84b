#define _GNU_SOURCE
#include "measure/unwind/cfi.h"

#include <link.h>
#include <string.h>

#include "base/platform.h"

/* A reader that never leaves [at, end): past the end it gives zeros and remembers. */
struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t get(struct reader *r, size_t bytes)
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

static uint64_t get_uleb(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = (uint8_t)get(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80) || r->bad)
            return value;
    }
}

static int64_t get_sleb(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        uint8_t byte = (uint8_t)get(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80) || r->bad) {
            if (shift < 64 && (byte & 0x40))
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
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

struct module {
    uintptr_t pc;
    uintptr_t eh_frame_hdr;
    size_t eh_frame_hdr_bytes;
    uintptr_t load_start, load_end; /* the readable part that holds .eh_frame_hdr, and .eh_frame with it */
};

static int find_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct module *m = data;
    bool inside = false;
    const ElfW(Phdr) *hdr = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && m->pc - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            inside = true;
        else if (p->p_type == PT_GNU_EH_FRAME)
            hdr = p;
    }
    if (!inside)
        return 0;
    if (!hdr)
        return 1;
    m->eh_frame_hdr = info->dlpi_addr + hdr->p_vaddr;
    m->eh_frame_hdr_bytes = hdr->p_memsz;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && m->eh_frame_hdr - start < p->p_memsz) {
            m->load_start = start;
            m->load_end = start + p->p_memsz;
        }
    }
    return 1;
}

/* The frame description whose range holds pc, from the sorted table in .eh_frame_hdr. */
static uintptr_t find_fde(const struct module *m, uintptr_t pc)
{
    struct reader r = {(const uint8_t *)m->eh_frame_hdr, (const uint8_t *)m->eh_frame_hdr + m->eh_frame_hdr_bytes,
                       false};
    uint8_t version = (uint8_t)get(&r, 1), frame_encoding = (uint8_t)get(&r, 1), count_encoding = (uint8_t)get(&r, 1),
            table_encoding = (uint8_t)get(&r, 1);
    if (version != 1 || count_encoding == PE_OMIT || table_encoding != (PE_DATAREL | 0x0b))
        return 0;
    get_encoded(&r, frame_encoding, m->eh_frame_hdr);
    uint64_t count = get_encoded(&r, count_encoding, m->eh_frame_hdr);
    if (r.bad || count == 0 || (uint64_t)(r.end - r.at) / 8 < count)
        return 0;
    const int32_t *table = (const int32_t *)(const void *)r.at;
    uint64_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (m->eh_frame_hdr + (uintptr_t)(intptr_t)table[2 * middle] <= pc)
            low = middle;
        else
            high = middle;
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
    bool augmented;
    struct reader instructions;
};

static struct reader record_at(const struct module *m, uintptr_t at)
{
    struct reader r = {(const uint8_t *)at, (const uint8_t *)m->load_end, at < m->load_start || at >= m->load_end};
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

static bool read_cie(const struct module *m, uintptr_t at, struct cie *cie)
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
                return false; /* a signal frame is no call */
        }
        r.at = after;
    }
    cie->instructions = r;
    return !r.bad;
}

enum { MAX_STATES = 4 };
struct row {
    uint64_t cfa_register;
    int64_t cfa_offset, ra_offset, fp_offset;
    bool ra_saved, fp_saved, unknown;
};

static void set_offset(struct row *row, const struct cie *cie, uint64_t reg, int64_t factored)
{
    int64_t offset = factored * cie->data_align;
    if (reg == cie->ra_register) {
        row->ra_saved = true;
        row->ra_offset = offset;
    } else if (reg == FM_DWARF_FP) {
        row->fp_saved = true;
        row->fp_offset = offset;
    }
}

static void forget(struct row *row, const struct cie *cie, const struct row *initial, uint64_t reg)
{
    if (reg == cie->ra_register) {
        row->ra_saved = initial->ra_saved;
        row->ra_offset = initial->ra_offset;
    } else if (reg == FM_DWARF_FP) {
        row->fp_saved = initial->fp_saved;
        row->fp_offset = initial->fp_offset;
    }
}

/* Runs the instructions up to pc. false: something we do not understand. */
static bool run(struct reader r, const struct cie *cie, const struct row *initial, uintptr_t location, uintptr_t pc,
                struct row *row)
{
    struct row stack[MAX_STATES];
    unsigned depth = 0;
    while (r.at < r.end && !r.bad) {
        uint8_t op = (uint8_t)get(&r, 1), low = op & 0x3f;
        uint64_t reg;
        switch (op & 0xc0) {
        case 0x40: /* advance_loc */
            location += low * cie->code_align;
            if (location > pc)
                return true;
            continue;
        case 0x80: /* offset */
            set_offset(row, cie, low, (int64_t)get_uleb(&r));
            continue;
        case 0xc0: /* restore */
            forget(row, cie, initial, low);
            continue;
        default:
            break;
        }
        switch (op) {
        case 0x00:
            break; /* nop */
        case 0x01:
            location = get_encoded(&r, cie->fde_encoding, 0);
            goto moved;
        case 0x02:
            location += get(&r, 1) * cie->code_align;
            goto moved;
        case 0x03:
            location += get(&r, 2) * cie->code_align;
            goto moved;
        case 0x04:
            location += get(&r, 4) * cie->code_align;
            goto moved;
        case 0x05: /* offset_extended */
            reg = get_uleb(&r);
            set_offset(row, cie, reg, (int64_t)get_uleb(&r));
            break;
        case 0x06:
            forget(row, cie, initial, get_uleb(&r));
            break;
        case 0x07:
        case 0x08:
            forget(row, cie, initial, get_uleb(&r));
            break; /* undefined, same_value */
        case 0x09: /* register: not used for what we follow */
            get_uleb(&r);
            get_uleb(&r);
            break;
        case 0x0a: /* remember_state */
            if (depth == MAX_STATES)
                return false;
            stack[depth++] = *row;
            break;
        case 0x0b: /* restore_state */
            if (depth == 0)
                return false;
            *row = stack[--depth];
            break;
        case 0x0c: /* def_cfa */
            row->cfa_register = get_uleb(&r);
            row->cfa_offset = (int64_t)get_uleb(&r);
            row->unknown = false;
            break;
        case 0x0d:
            row->cfa_register = get_uleb(&r);
            break;
        case 0x0e:
            row->cfa_offset = (int64_t)get_uleb(&r);
            break;
        case 0x11: /* offset_extended_sf */
            reg = get_uleb(&r);
            set_offset(row, cie, reg, get_sleb(&r));
            break;
        case 0x12: /* def_cfa_sf */
            row->cfa_register = get_uleb(&r);
            row->cfa_offset = get_sleb(&r) * cie->data_align;
            break;
        case 0x13:
            row->cfa_offset = get_sleb(&r) * cie->data_align;
            break;
        case 0x2d:
            break; /* AArch64 negate_ra_state: pointer authentication */
        case 0x2e:
            get_uleb(&r);
            break; /* GNU_args_size */
        default:
            return false; /* among them expressions, as the PLT has them: not a function that calls us */
        }
        continue;
    moved:
        if (location > pc)
            return true;
    }
    return !r.bad;
}

bool fm_cfi_rule_at(uintptr_t return_address, struct fm_cfi_rule *rule)
{
    uintptr_t pc = return_address - 1; /* inside the call, which may be the function's last instruction */
    struct module m = {.pc = pc};
    if (!dl_iterate_phdr(find_module, &m) || !m.load_end)
        return false;
    uintptr_t fde = find_fde(&m, pc);
    if (!fde)
        return false;
    struct reader r = record_at(&m, fde);
    uintptr_t cie_field = (uintptr_t)r.at;
    uint64_t cie_distance = get(&r, 4);
    struct cie cie;
    if (r.bad || cie_distance == 0 || !read_cie(&m, cie_field - cie_distance, &cie))
        return false;
    uintptr_t start = get_encoded(&r, cie.fde_encoding, 0);
    uint64_t range = get_encoded(&r, cie.fde_encoding & 0x0f, 0);
    if (r.bad || pc - start >= range)
        return false;
    if (cie.augmented) {
        uint64_t length = get_uleb(&r);
        if (length > (uint64_t)(r.end - r.at))
            return false;
        r.at += length;
    }
    struct row row = {0}, initial = {0};
    if (!run(cie.instructions, &cie, &initial, start, start, &row))
        return false;
    initial = row;
    if (!run(r, &cie, &initial, start, pc, &row))
        return false;
    if (row.cfa_register != FM_DWARF_SP && row.cfa_register != FM_DWARF_FP)
        return false;
    *rule = (struct fm_cfi_rule){row.cfa_register == FM_DWARF_FP, row.fp_saved,           !row.ra_saved,
                                 (int32_t)row.cfa_offset,         (int32_t)row.ra_offset, (int32_t)row.fp_offset};
    return true;
}
