/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of a thread stopped by ptrace, by DWARF number. */
#ifndef FM_BASE_REGISTERS_H
#define FM_BASE_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

#include "base/platform.h"

enum { FM_CALL_ARGUMENTS = 5 };

#if defined __aarch64__
enum { FM_REGISTERS = 32 }; /* x0 ... x30, sp */

static inline uint64_t fm_registers_read(const struct user_regs_struct *from, uint64_t to[FM_REGISTERS])
{
    for (int i = 0; i < 31; i++)
        to[i] = from->regs[i];
    to[FM_DWARF_SP] = from->sp;
    return from->pc;
}

/* The system call that a thread has just returned from, provided that the instruction before pc is a system call:
 * returns its number; all arguments but the first are set, as the result has overwritten that. */
static inline long fm_registers_call(const struct user_regs_struct *from, uint64_t arguments[FM_CALL_ARGUMENTS],
                                     uint64_t *result)
{
    for (int i = 1; i < FM_CALL_ARGUMENTS; i++)
        arguments[i] = from->regs[i];
    arguments[0] = 0;
    *result = from->regs[0];
    return (long)(int)from->regs[8];
}
#define FM_CALL_INSTRUCTION 0xd4000001u /* svc 0 */
#define FM_CALL_AT(registers) ((registers)->pc - 4)
#elif defined __x86_64__
enum { FM_REGISTERS = 17 }; /* rax ... r15, return address */

static inline uint64_t fm_registers_read(const struct user_regs_struct *from, uint64_t to[FM_REGISTERS])
{
    const uint64_t all[FM_REGISTERS] = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
                                        from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
                                        from->r12, from->r13, from->r14, from->r15, from->rip};
    for (int i = 0; i < FM_REGISTERS; i++)
        to[i] = all[i];
    return from->rip;
}

static inline long fm_registers_call(const struct user_regs_struct *from, uint64_t arguments[FM_CALL_ARGUMENTS],
                                     uint64_t *result)
{
    const uint64_t all[FM_CALL_ARGUMENTS] = {from->rdi, from->rsi, from->rdx, from->r10, from->r8};
    for (int i = 0; i < FM_CALL_ARGUMENTS; i++)
        arguments[i] = all[i];
    *result = from->rax;
    return (long)from->orig_rax;
}
#define FM_CALL_INSTRUCTION 0x050fu /* syscall */
#define FM_CALL_AT(registers) ((registers)->rip - 2)
#endif

#endif
