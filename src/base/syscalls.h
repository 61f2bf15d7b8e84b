/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking system calls that the kernel does not restart after a stop: they fail with EINTR (epoll_wait, semop,
 * sigtimedwait, io_getevents; every blocking call on a socket with a timeout) or return a short count. */
#ifndef FM_BASE_SYSCALLS_H
#define FM_BASE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

static inline bool fm_syscall_is_among(long number, const long *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (calls[i] == number)
            return true;
    return false;
}

/* Calls that behave this way on pipes, terminals and sockets (their first argument), but not on files. */
static inline bool fm_syscall_is_fragile_on_streams(long number)
{
    static const long calls[] = {SYS_read,     SYS_readv,  SYS_write, SYS_writev,
                                 SYS_sendfile, SYS_splice, SYS_tee,   SYS_vmsplice};
    return fm_syscall_is_among(number, calls, sizeof calls / sizeof *calls);
}

/* Calls that a handler with SA_RESTART resumes and one without interrupts, unless they have transferred something. */
static inline bool fm_syscall_is_restarted(long number)
{
    static const long calls[] = {
#if defined __x86_64__
        SYS_open,
        SYS_creat,
#endif
        SYS_read,
        SYS_readv,
        SYS_pread64,
        SYS_preadv,
        SYS_preadv2,
        SYS_write,
        SYS_writev,
        SYS_pwrite64,
        SYS_pwritev,
        SYS_pwritev2,
        SYS_recvfrom,
        SYS_recvmsg,
        SYS_recvmmsg,
        SYS_sendto,
        SYS_sendmsg,
        SYS_sendmmsg,
        SYS_accept,
        SYS_accept4,
        SYS_connect,
        SYS_wait4,
        SYS_waitid,
        SYS_flock,
        SYS_fcntl,
        SYS_openat,
        SYS_ioctl,
        SYS_mq_timedreceive,
        SYS_mq_timedsend,
        SYS_splice,
        SYS_tee,
        SYS_vmsplice
    };
    return fm_syscall_is_among(number, calls, sizeof calls / sizeof *calls);
}

/* Calls that can return a short count although they do not sleep: the index, from 0, of the argument that holds the
 * requested length; -1 for others. */
static inline int fm_syscall_length(long number)
{
    switch (number) {
    case SYS_getrandom:
        return 1;
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_tee:
        return 2;
    case SYS_sendfile:
        return 3;
    case SYS_splice:
    case SYS_copy_file_range:
        return 4;
    default:
        return -1;
    }
}

static inline bool fm_syscall_is_fragile(long number)
{
    static const long calls[] = {
#if defined __x86_64__
        SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
        SYS_epoll_pwait2,
#endif
        SYS_epoll_pwait,
        SYS_semop,
        SYS_semtimedop,
        SYS_rt_sigtimedwait,
        SYS_io_getevents,
#ifdef SYS_io_pgetevents
        SYS_io_pgetevents,
#endif
#ifdef SYS_io_uring_enter
        SYS_io_uring_enter,
#endif
        SYS_recvfrom,
        SYS_recvmsg,
        SYS_recvmmsg,
        SYS_accept,
        SYS_accept4,
        SYS_connect,
        SYS_sendto,
        SYS_sendmsg,
        SYS_sendmmsg,
    };
    return fm_syscall_is_among(number, calls, sizeof calls / sizeof *calls);
}

#endif
