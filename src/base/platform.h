/* What differs between processors, in one place: the frame of a caller, where a frame keeps its return address, and how
 * much below the stack pointer no signal handler touches. */
#ifndef FM_BASE_PLATFORM_H
#define FM_BASE_PLATFORM_H

#include <stdint.h>
#include <sys/syscall.h>

#if defined __aarch64__
enum { FM_DWARF_SP = 31, FM_DWARF_FP = 29, FM_DWARF_RA = 30, FM_CALL_KEEPS_RA_IN_REGISTER = 1 };
enum { FM_RED_ZONE_BYTES = 0 };
#elif defined __x86_64__
enum { FM_DWARF_SP = 7, FM_DWARF_FP = 6, FM_DWARF_RA = 16, FM_CALL_KEEPS_RA_IN_REGISTER = 0 };
enum { FM_RED_ZONE_BYTES = 128 };
#else
#error "Fathom measures on x86-64 and aarch64"
#endif

/* A variable of this library alone: it is reached without the indirection that an exported one needs. */
#define FM_HIDDEN __attribute__((visibility("hidden")))
/* What programs and other libraries may call; libfathom.map lists the names. */
#define FM_EXPORT __attribute__((visibility("default")))

/* For the few functions that every measured call runs through. */
#define FM_INLINE static inline __attribute__((always_inline))

/* The state of a caller at its call: its return address, its stack pointer (the callee's CFA), and where the callee
 * has saved its frame pointer. */
struct fm_frame {
    uintptr_t pc, sp;
    const uintptr_t *fp;
};

/* To be expanded in a function compiled with a frame pointer. */
#define FM_CALLER_FRAME()                                                                     \
    ((struct fm_frame){(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)), \
                       (uintptr_t)__builtin_dwarf_cfa(), (const uintptr_t *)__builtin_frame_address(0)})

/* getpid, where libc's is not bound yet: to bind it costs a thousand instructions. */
FM_INLINE long fm_own_pid(void)
{
#if defined __aarch64__
    register long number __asm__("x8") = SYS_getpid, result __asm__("x0");
    __asm__ volatile("svc 0" : "=r"(result) : "r"(number) : "memory");
#else
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"((long)SYS_getpid) : "rcx", "r11", "memory");
#endif
    return result;
}

/* The return address of a function that does this first of all. On aarch64 the builtin would make a frame for it. */
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
