/* The registers of a thread that ptrace has stopped, by their numbers in DWARF. */
#ifndef FM_BASE_REGISTERS_H
#define FM_BASE_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

#include "base/platform.h"

#if defined __aarch64__
enum { FM_REGISTERS = 32 }; /* x0 ... x30, sp */

static inline uint64_t fm_registers_read(const struct user_regs_struct *from, uint64_t to[FM_REGISTERS])
{
    for (int i = 0; i < 31; i++)
        to[i] = from->regs[i];
    to[FM_DWARF_SP] = from->sp;
    return from->pc;
}
#elif defined __x86_64__
enum { FM_REGISTERS = 17 }; /* rax ... r15, the return address */

static inline uint64_t fm_registers_read(const struct user_regs_struct *from, uint64_t to[FM_REGISTERS])
{
    const uint64_t all[FM_REGISTERS] = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
                                        from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
                                        from->r12, from->r13, from->r14, from->r15, from->rip};
    for (int i = 0; i < FM_REGISTERS; i++)
        to[i] = all[i];
    return from->rip;
}
#endif

#endif
