/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of an interrupted thread in a signal handler, and where the kernel saves them, so that a stack can be
 * unwound through a handler. */
#ifndef FM_BASE_UCONTEXT_H
#define FM_BASE_UCONTEXT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined __aarch64__
static inline uintptr_t fm_ucontext_pc(const ucontext_t *c)
{
    return c->uc_mcontext.pc;
}

static inline uintptr_t fm_ucontext_sp(const ucontext_t *c)
{
    return c->uc_mcontext.sp;
}

/* A register by its DWARF number; 0 if not saved. */
static inline uintptr_t fm_ucontext_register(const ucontext_t *c, unsigned number)
{
    return number < 31 ? c->uc_mcontext.regs[number] : number == 31 ? c->uc_mcontext.sp : 0;
}

/* Offset of the context from the stack pointer in the function that a handler returns to. */
enum { FM_CONTEXT_FROM_SP = sizeof(siginfo_t) };

/* Whether a handler returns to this address: the kernel's signal trampoline, which may have no unwind tables. */
static inline int fm_is_signal_return(uintptr_t pc)
{
    const uint32_t *code = (const uint32_t *)pc;
    return pc % sizeof *code == 0 && code[0] == 0xd2801168 && code[1] == 0xd4000001; /* mov x8, 139; svc 0 */
}

/* The number of the system call that a thread is about to make, or to restart; -1: none. */
static inline long fm_ucontext_call(const ucontext_t *c)
{
    return *(const uint32_t *)fm_ucontext_pc(c) == 0xd4000001 ? (long)c->uc_mcontext.regs[8] : -1;
}

/* Completes that system call with a result, without making it. */
static inline void fm_ucontext_end_call(ucontext_t *c, long result)
{
    c->uc_mcontext.regs[0] = (unsigned long long)result;
    c->uc_mcontext.pc += sizeof(uint32_t);
}

/* Address bits above the 48 of user space may be a pointer authentication code. */
static inline uintptr_t fm_plain_address(uintptr_t address)
{
    return address & 0xffffffffffffu;
}

/* Whether the instruction before this address is a call. FM_LONGEST_CALL bytes before it must be readable. */
enum { FM_LONGEST_CALL = 4 };
static inline int fm_follows_call(uintptr_t pc)
{
    uint32_t code = pc % sizeof code ? 0 : *(const uint32_t *)(pc - sizeof code);
    return (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
}

/* Callee-saved registers. */
static const unsigned char fm_kept_registers[] = {29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
#elif defined __x86_64__
/* The kernel's numbers; libc names them only with _GNU_SOURCE. */
enum { FM_GREG_RAX = 13, FM_GREG_RSP = 15, FM_GREG_RIP = 16 };

static inline uintptr_t fm_ucontext_pc(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.gregs[FM_GREG_RIP];
}

static inline uintptr_t fm_ucontext_sp(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.gregs[FM_GREG_RSP];
}

static inline uintptr_t fm_ucontext_register(const ucontext_t *c, unsigned number)
{
    /* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 ... r15 */
    static const signed char by_number[] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7};
    return number < sizeof by_number ? (uintptr_t)c->uc_mcontext.gregs[by_number[number]] : 0;
}

enum { FM_CONTEXT_FROM_SP = 0 };

static inline int fm_is_signal_return(uintptr_t pc)
{
    static const unsigned char code[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}; /* mov 15, rax; syscall */
    return __builtin_memcmp((const void *)pc, code, sizeof code) == 0;
}

static inline long fm_ucontext_call(const ucontext_t *c)
{
    enum { PAGE = 4096 };
    const unsigned char *code = (const unsigned char *)fm_ucontext_pc(c);
    bool whole = (uintptr_t)code % PAGE < PAGE - 1; /* the second byte could be on an unmapped page */
    return whole && code[0] == 0x0f && code[1] == 0x05 ? (long)c->uc_mcontext.gregs[FM_GREG_RAX] : -1;
}

static inline void fm_ucontext_end_call(ucontext_t *c, long result)
{
    c->uc_mcontext.gregs[FM_GREG_RAX] = result;
    c->uc_mcontext.gregs[FM_GREG_RIP] += 2;
}

static inline uintptr_t fm_plain_address(uintptr_t address)
{
    return address;
}

/* Length of the indirect call whose opcode, after any prefixes, begins here; 0 if it is not one. */
static inline unsigned fm_indirect_call_bytes(const unsigned char *code)
{
    unsigned mode = code[1] >> 6, base = code[1] & 7, scaled = mode < 3 && base == 4;
    if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
        return 0;
    unsigned wide = mode == 2 || (mode == 0 && (scaled ? code[2] & 7 : base) == 5);
    return 2 + scaled + (wide ? 4 : mode == 1);
}

enum { FM_LONGEST_CALL = 7 };
static inline int fm_follows_call(uintptr_t pc)
{
    const unsigned char *code = (const unsigned char *)pc;
    if (code[-5] == 0xe8)
        return 1;
    for (unsigned n = 2; n <= FM_LONGEST_CALL; n++)
        if (fm_indirect_call_bytes(code - n) == n)
            return 1;
    return 0;
}

static const unsigned char fm_kept_registers[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 ... r15 */
#endif

#endif
