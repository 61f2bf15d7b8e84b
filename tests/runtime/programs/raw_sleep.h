/* A sleep past libc, by an instruction of the program's own: a sample breaks it, which shows that samples come. */
#ifndef FM_TESTS_RAW_SLEEP_H
#define FM_TESTS_RAW_SLEEP_H

#include <sys/syscall.h>
#include <time.h>

/* Whether it was broken. */
static inline int raw_sleep(const struct timespec *time)
{
#if defined __aarch64__
    register long number __asm__("x8") = SYS_nanosleep;
    register long result __asm__("x0") = (long)time;
    register long rest __asm__("x1") = 0;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(rest) : "memory");
#else
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_nanosleep), "D"(time), "S"(0L) : "rcx", "r11", "memory");
#endif
    return result != 0;
}

#endif
