/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between processors: the frame of a caller, where a frame keeps its return address, the size of the red
 * zone below the stack pointer, and the types of relocations that hold an address. */
#ifndef FM_BASE_PLATFORM_H
#define FM_BASE_PLATFORM_H

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __aarch64__
enum { FM_DWARF_SP = 31, FM_DWARF_FP = 29, FM_DWARF_RA = 30, FM_CALL_KEEPS_RA_IN_REGISTER = 1 };
enum { FM_RED_ZONE_BYTES = 0 };
enum { FM_RELOCATION_GOT = 1025, FM_RELOCATION_WORD = 257 }; /* R_AARCH64_GLOB_DAT, R_AARCH64_ABS64 */
#elif defined __x86_64__
enum { FM_DWARF_SP = 7, FM_DWARF_FP = 6, FM_DWARF_RA = 16, FM_CALL_KEEPS_RA_IN_REGISTER = 0 };
enum { FM_RED_ZONE_BYTES = 128 };
enum { FM_RELOCATION_GOT = 6, FM_RELOCATION_WORD = 1 }; /* R_X86_64_GLOB_DAT, R_X86_64_64 */
#else
#error "Fathom measures on x86-64 and aarch64"
#endif

/* A variable used within this library only: it is accessed without the indirection that an exported one needs. */
#define FM_HIDDEN __attribute__((visibility("hidden")))
/* What programs and other libraries may call. */
#define FM_EXPORT __attribute__((visibility("default")))

/* For the few functions on the path of every measured call. */
#define FM_INLINE static inline __attribute__((always_inline))
#define FM_LIKELY(x) __builtin_expect(!!(x), 1)
#define FM_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The state of a caller at a call: its return address, its stack pointer (the CFA of the callee), and where the callee
 * saved the frame pointer. */
struct fm_frame {
    uintptr_t pc, sp;
    const uintptr_t *fp;
};

/* Use in a function compiled with a frame pointer. */
#define FM_CALLER_FRAME()                                                                     \
    ((struct fm_frame){(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)), \
                       (uintptr_t)__builtin_dwarf_cfa(), (const uintptr_t *)__builtin_frame_address(0)})

/* A system call without going through libc: it cannot reach an interposed function (such as `syscall`), needs no lazy
 * binding (a thousand instructions), leaves errno alone and is no cancellation point. Returns the result or a negative
 * error number. */
FM_INLINE long fm_kernel_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __aarch64__
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
    long result = number;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#endif
}
/* With up to six arguments, integers or pointers. */
#define FM_KERNEL_7(number, a, b, c, d, e, f, ...) \
    fm_kernel_call((long)(number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define fm_kernel(...) FM_KERNEL_7(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#ifdef __clang_analyzer__ /* the analyzer does not know that a system call writes to its arguments */
#undef fm_kernel
#define fm_kernel syscall
#endif

FM_INLINE long fm_own_pid(void)
{
    return fm_kernel(SYS_getpid);
}

/* The return address of the calling function, which must do this first. On aarch64 the builtin would force a frame. */
FM_INLINE uintptr_t fm_return_address(void)
{
#if defined __aarch64__ && !defined __ARM_FEATURE_PAC_DEFAULT
    uintptr_t address;
    __asm__ volatile("mov %0, x30" : "=r"(address));
    return address;
#else
    return (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
#endif
}

#endif
