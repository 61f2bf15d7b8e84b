/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/scan.h"

#include <elf.h>
#include <string.h>

enum { WINDOW = 64, PAGE = 4096, MAX_DISTANCE = 64 << 10 }; /* words, bytes, bytes */

/* ---- code ---- */

/* From the program headers, which are in the first page of the module; there may be holes between its segments. */
struct fm_code_bounds fm_code_around(const struct fm_cfi_module *module, uintptr_t address)
{
    const Elf64_Word readable_code = PF_R | PF_X;
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)module->start;
    uintptr_t bias = module->start, first = UINTPTR_MAX;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_phoff % 8 || elf->e_phoff >= PAGE ||
        elf->e_phnum > (PAGE - elf->e_phoff) / sizeof(Elf64_Phdr))
        return (struct fm_code_bounds){0};
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(module->start + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && first == UINTPTR_MAX)
            bias -= (first = segments[i].p_vaddr & ~(uintptr_t)(PAGE - 1));
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        struct fm_code_bounds code = {bias + segments[i].p_vaddr, bias + segments[i].p_vaddr + segments[i].p_memsz};
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & readable_code) == readable_code &&
            address >= code.start && address < code.end)
            return code;
    }
    return (struct fm_code_bounds){0};
}

bool fm_is_return_address(uintptr_t address)
{
    struct fm_cfi_module module;
    if (address <= PAGE || address >> 48 != 0 || !fm_cfi_find_module(address, &module))
        return false;
    struct fm_code_bounds code = fm_code_around(&module, address);
    return code.end && address - code.start >= FM_LONGEST_CALL && fm_follows_call(address);
}

/* ---- the stack ---- */

struct range {
    uintptr_t from, end;
};

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

/* Whether it points to a word further out. */
static bool is_in(struct range stack, uintptr_t at)
{
    return at % sizeof at == 0 && at > stack.from && at < stack.end && stack.end - at >= sizeof at;
}

/* Next to the saved frame pointer of its caller a function has its return address. */
static bool is_frame_pointer(struct range stack, uintptr_t fp)
{
    return is_in(stack, fp) && is_in(stack, fp + sizeof fp) && fm_is_return_address(word_at(fp + sizeof fp));
}

static bool scan(struct range stack, struct fm_scanned *found)
{
    const uintptr_t window = WINDOW * sizeof window, from = stack.from;
    uintptr_t end = stack.end - from > window ? from + window : stack.end;
    for (uintptr_t at = from; at < end; at += sizeof at)
        if (fm_is_return_address(word_at(at))) {
            *found = (struct fm_scanned){.return_at = at};
            return true;
        }
    return false;
}

/* A function that has aligned its stack pointer to a page, to have room for a buffer, keeps the old value in a
 * register. */
static bool scan_beyond_buffer(struct range stack, const ucontext_t *context, uintptr_t *from, struct fm_scanned *found)
{
    for (unsigned i = 0; i < sizeof fm_kept_registers; i++) {
        uintptr_t kept = fm_ucontext_register(context, fm_kept_registers[i]);
        if (is_in(stack, kept) && kept - stack.from <= MAX_DISTANCE && scan((struct range){kept, stack.end}, found)) {
            *from = kept;
            return true;
        }
    }
    return false;
}

/* Finds the frame pointer of the caller if the function uses the register for something else: saved with other
 * registers. */
static void find_frame_pointer(uintptr_t from, uintptr_t fp, uintptr_t stack_end, struct fm_scanned *found)
{
    struct range outside = {found->return_at, stack_end};
    if (is_frame_pointer(outside, fp))
        return;
    for (uintptr_t at = from; at < found->return_at && !found->fp_at; at += sizeof at)
        if (is_frame_pointer(outside, word_at(at)))
            found->fp_at = at;
}

bool fm_scan_frame(uintptr_t sp, uintptr_t fp, uintptr_t stack_end, const ucontext_t *context, struct fm_scanned *found)
{
    struct range stack = {sp, stack_end};
    uintptr_t from = sp;
    if (sp % sizeof sp || sp >= stack_end)
        return false;
    if ((context && sp % PAGE == 0 && scan_beyond_buffer(stack, context, &from, found)) || scan(stack, found)) {
        find_frame_pointer(from, fp, stack_end, found);
        return true;
    }
    *found = (struct fm_scanned){fp + sizeof fp, fp};
    return is_frame_pointer(stack, fp);
}
