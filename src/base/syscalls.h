/* System calls that sleep and that the kernel does not begin anew after a stop: they end with EINTR (epoll_wait, semop,
 * sigtimedwait, io_getevents; on sockets with a time limit all that wait), or with a part of their bytes. */
#ifndef FM_BASE_SYSCALLS_H
#define FM_BASE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

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
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == number)
            return true;
    return false;
}

#endif
