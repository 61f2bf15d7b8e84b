/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pcontrol(level, ...): regions, pause and snapshots. The call is then passed on to the next definition.
 *
 *   (1, "name") and (-1, "name")  begin and end a region        (0)  pause       (1) while paused: resume
 *   (2, "label")                  snapshot of this process      (3, "label")     of all processes
 *
 * In C the routine is variadic, so every register that may hold an argument is preserved and passed on, by a small
 * trampoline. From Fortran it has one argument. So the second one is read only in calls from C, through the kernel,
 * which rejects an unreadable address instead of faulting. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/mpi/hooks.h"
#include "runtime/region.h"

/* Copies up to size bytes of our own memory, which may not be mapped. Returns the number of bytes copied. */
static size_t copy_if_readable(const void *from, char *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)from, size};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (n >= 0)
        return (size_t)n;
    /* not permitted in some containers; a write to a pipe rejects a bad address as well */
    int fds[2];
    size_t copied = 0;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return 0;
    while (copied < size && write(fds[1], (const char *)from + copied, 1) == 1 && read(fds[0], to + copied, 1) == 1)
        copied++;
    close(fds[0]);
    close(fds[1]);
    return copied;
}

/* Reads up to the end of the page first: the next page may not be mapped. */
static bool read_name(const void *address, char name[FM_NAME_BYTES])
{
    if ((uintptr_t)address < 4096 || fm_syscalls_forbidden())
        return false;
    size_t in_page = 4096 - (uintptr_t)address % 4096;
    size_t n = copy_if_readable(address, name, in_page < FM_NAME_BYTES ? in_page : FM_NAME_BYTES);
    if (n == in_page && n < FM_NAME_BYTES && !memchr(name, 0, n))
        n += copy_if_readable((const char *)address + n, name + n, FM_NAME_BYTES - n);
    const char *end = memchr(name, 0, n);
    if (!end || end == name)
        return false;
    for (const char *c = name; c < end; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return true;
}

static void apply(int level, bool named, const char *name)
{
    if (level == 0)
        fm_runtime_pause(true);
    else if (level == 1 && fm_rt.paused)
        fm_runtime_pause(false);
    else if (level == 1 && named)
        fm_region_begin(name);
    else if (level == -1 && named)
        fm_region_end(name);
    else if (level == 2 || level == 3)
        fm_snapshot(named ? name : "", level == 3);
}

/* Called only by the trampolines below. Returns the function to continue with. */
fm_function *fm_pcontrol(int level, const void *second, fm_word is_pmpi, uintptr_t pc, uintptr_t sp,
                         const uintptr_t *fp);
__attribute__((used, visibility("hidden"))) fm_function *fm_pcontrol(int level, const void *second, fm_word is_pmpi,
                                                                     uintptr_t pc, uintptr_t sp, const uintptr_t *fp)
{
    unsigned slot = 2 * FM_R_MPI_Pcontrol + (is_pmpi != 0);
    fm_function *next = fm_next(slot);
    struct fm_call call;
    if (!fm_call_enter(&call, FM_R_MPI_Pcontrol, is_pmpi != 0, (struct fm_frame){pc, sp, fp}))
        return next;
    fm_call_returned(&call); /* what follows is overhead, not MPI time */
    struct fm_caller_state saved = fm_caller_state_save();
    char name[FM_NAME_BYTES];
    bool named = !fm_site_in_mpi(pc) && read_name(second, name);
    fm_finish_plain(&call, FM_PEER_NONE);
    apply(level, named, name);
    fm_caller_state_restore(saved);
    return next;
}

#if defined __aarch64__
#define TRAMPOLINE(NAME, IS_PMPI)                                                                               \
    __asm__(".text\n.balign 16\n.globl " NAME "\n.type " NAME ", %function\n" NAME ":\n"                        \
            ".cfi_startproc\n"                                                                                  \
            "stp x29, x30, [sp, #-224]!\n.cfi_def_cfa_offset 224\n.cfi_offset 29, -224\n.cfi_offset 30, -216\n" \
            "mov x29, sp\n"                                                                                     \
            "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n"      \
            "stp q0, q1, [sp, #80]\nstp q2, q3, [sp, #112]\nstp q4, q5, [sp, #144]\nstp q6, q7, [sp, #176]\n"   \
            "str x8, [sp, #208]\n"                                                                              \
            "mov x2, #" IS_PMPI "\nmov x3, x30\nadd x4, sp, #224\nmov x5, sp\n"                                 \
            "bl fm_pcontrol\n"                                                                                  \
            "mov x16, x0\n"                                                                                     \
            "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"      \
            "ldp q0, q1, [sp, #80]\nldp q2, q3, [sp, #112]\nldp q4, q5, [sp, #144]\nldp q6, q7, [sp, #176]\n"   \
            "ldr x8, [sp, #208]\n"                                                                              \
            "ldp x29, x30, [sp], #224\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"               \
            "br x16\n"                                                                                          \
            ".cfi_endproc\n.size " NAME ", .-" NAME "\n")
#elif defined __x86_64__
#define TRAMPOLINE(NAME, IS_PMPI)                                                                                      \
    __asm__(".text\n.balign 16\n.globl " NAME "\n.type " NAME ", @function\n" NAME ":\n"                               \
            ".cfi_startproc\n"                                                                                         \
            "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\nmov %rsp, %rbp\n.cfi_def_cfa_register 6\n"         \
            "sub $192, %rsp\n"                                                                                         \
            "mov %rdi, -8(%rbp)\nmov %rsi, -16(%rbp)\nmov %rdx, -24(%rbp)\nmov %rcx, -32(%rbp)\n"                      \
            "mov %r8, -40(%rbp)\nmov %r9, -48(%rbp)\nmov %rax, -56(%rbp)\n"                                            \
            "movaps %xmm0, -80(%rbp)\nmovaps %xmm1, -96(%rbp)\nmovaps %xmm2, -112(%rbp)\nmovaps %xmm3, -128(%rbp)\n"   \
            "movaps %xmm4, -144(%rbp)\nmovaps %xmm5, -160(%rbp)\nmovaps %xmm6, -176(%rbp)\nmovaps %xmm7, -192(%rbp)\n" \
            "mov $" IS_PMPI ", %edx\nmov 8(%rbp), %rcx\nlea 16(%rbp), %r8\nmov %rbp, %r9\n"                            \
            "call fm_pcontrol\n"                                                                                       \
            "mov %rax, %r11\n"                                                                                         \
            "mov -8(%rbp), %rdi\nmov -16(%rbp), %rsi\nmov -24(%rbp), %rdx\nmov -32(%rbp), %rcx\n"                      \
            "mov -40(%rbp), %r8\nmov -48(%rbp), %r9\nmov -56(%rbp), %rax\n"                                            \
            "movaps -80(%rbp), %xmm0\nmovaps -96(%rbp), %xmm1\nmovaps -112(%rbp), %xmm2\nmovaps -128(%rbp), %xmm3\n"   \
            "movaps -144(%rbp), %xmm4\nmovaps -160(%rbp), %xmm5\nmovaps -176(%rbp), %xmm6\nmovaps -192(%rbp), %xmm7\n" \
            "leave\n.cfi_def_cfa 7, 8\n.cfi_restore 6\n"                                                               \
            "jmp *%r11\n"                                                                                              \
            ".cfi_endproc\n.size " NAME ", .-" NAME "\n")
#endif

TRAMPOLINE("MPI_Pcontrol", "0");
TRAMPOLINE("PMPI_Pcontrol", "1");
