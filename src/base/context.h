/* The registers of a thread that a signal has interrupted, and where the kernel leaves them for a stack to be followed
 * through a handler. */
#ifndef FM_BASE_CONTEXT_H
#define FM_BASE_CONTEXT_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#if defined __aarch64__
static inline uintptr_t fm_context_pc(const ucontext_t *c)
{
    return c->uc_mcontext.pc;
}

static inline uintptr_t fm_context_sp(const ucontext_t *c)
{
    return c->uc_mcontext.sp;
}

/* A register by its DWARF number; 0: not kept. */
static inline uintptr_t fm_context_register(const ucontext_t *c, unsigned number)
{
    return number < 31 ? c->uc_mcontext.regs[number] : number == 31 ? c->uc_mcontext.sp : 0;
}

/* From the stack pointer in the function that a handler returns to. */
enum { FM_CONTEXT_FROM_SP = sizeof(siginfo_t) };

/* Whether a handler returns to this place: the kernel's two instructions for it, which may have no tables. */
static inline int fm_is_signal_return(uintptr_t pc)
{
    const uint32_t *code = (const uint32_t *)pc;
    return pc % sizeof *code == 0 && code[0] == 0xd2801168 && code[1] == 0xd4000001; /* mov x8, 139; svc 0 */
}

/* Bits of an address beyond the 48 of a program may be a signature. */
static inline uintptr_t fm_plain_address(uintptr_t address)
{
    return address & 0xffffffffffffu;
}
#elif defined __x86_64__
/* As the kernel numbers them; libc has names for them only with _GNU_SOURCE. */
enum { FM_GREG_RSP = 15, FM_GREG_RIP = 16 };

static inline uintptr_t fm_context_pc(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.gregs[FM_GREG_RIP];
}

static inline uintptr_t fm_context_sp(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.gregs[FM_GREG_RSP];
}

static inline uintptr_t fm_context_register(const ucontext_t *c, unsigned number)
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

static inline uintptr_t fm_plain_address(uintptr_t address)
{
    return address;
}
#endif

#endif
