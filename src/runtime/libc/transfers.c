/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing: not harmed by samples, and counted if on a file. A small read or write is restarted after a sample
 * and costs only a branch here. But a sample would interrupt calls on sockets with a timeout (SO_RCVTIMEO, SO_SNDTIMEO),
 * and calls that wait until everything is transferred, or transfer it piece by piece, would return early with only a part
 * of it. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* so that fcntl and fcntl64 are different names */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/sendfile.h>
#include <termios.h>

#include "runtime/interpose/functions.h"
#include "runtime/io/io.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/libc/transfers.h"

static bool is_timed(int fd)
{
    return (unsigned)fd < FM_TIMED_DESCRIPTORS ? fm_rt.sampler.timed[fd / 64] >> fd % 64 & 1
                                               : fm_rt.sampler.timed_beyond;
}

/* Returns true if a sample could change the result of a call on a descriptor, however small the transfer. */
FM_INLINE bool is_fragile(int fd)
{
    return fm_rt.sampler.program_ends_calls || is_timed(fd);
}

static void set_timed(int fd)
{
    if ((unsigned)fd < FM_TIMED_DESCRIPTORS)
        __atomic_or_fetch(&fm_rt.sampler.timed[fd / 64], 1ull << fd % 64, __ATOMIC_RELAXED);
    else
        fm_rt.sampler.timed_beyond = true;
}

/* ---- calls ---- */

#define RECEIVE(type, name, parameters, arguments)                                         \
    type fm_wrapped_##name parameters                                                      \
    {                                                                                      \
        uint64_t held = (flags & MSG_WAITALL) || is_fragile(fd) ? fm_sampling_block() : 0; \
        type result = fm_real.name arguments;                                              \
        fm_sampling_unblock(held);                                                         \
        return result;                                                                     \
    }
FM_LIBC_RECEIVES(RECEIVE)

#define TRANSFER(type, name, parameters, arguments, bytes)                                                     \
    type fm_wrapped_##name parameters                                                                          \
    {                                                                                                          \
        uint64_t held = fm_sampled_self() && ((bytes) > PIPE_BUF || is_fragile(fd)) ? fm_sampling_block() : 0; \
        type result = fm_real.name arguments;                                                                  \
        fm_sampling_unblock(held);                                                                             \
        return result;                                                                                         \
    }
FM_LIBC_TRANSFERS(TRANSFER)

/* Most file systems do not let a signal interrupt reading and writing (io/descriptors.c): then there is only a request to
 * count. All other cases are in a function of their own, which reports know by its name. */
#define FILE_TRANSFER(count, add, type, name, parameters, arguments, bytes, offset)              \
    static __attribute__((noinline)) type fm_wrapped_slow_##name parameters                      \
    {                                                                                            \
        struct fm_io_call io;                                                                    \
        bool counted = fm_io_begin(&io, fd);                                                     \
        uint64_t held = 0;                                                                       \
        if (!fm_io_is_steady(fd) && fm_sampled_self() && ((bytes) > PIPE_BUF || is_fragile(fd))) \
            held = fm_sampling_block();                                                          \
        type result = fm_real.name arguments;                                                    \
        fm_sampling_unblock(held);                                                               \
        if (counted)                                                                             \
            count(&io, result, offset, fm_io_ticks(&io));                                        \
        return result;                                                                           \
    }                                                                                            \
    type fm_wrapped_##name parameters                                                            \
    {                                                                                            \
        struct fm_io_request request;                                                            \
        uint64_t ticks;                                                                          \
        if (!fm_io_request_begin(&request, fd, (uintptr_t)__builtin_frame_address(0)))           \
            return fm_wrapped_slow_##name arguments;                                             \
        type result = fm_real.name arguments;                                                    \
        if (fm_io_request_returned(&request, &ticks))                                            \
            add(&request, result, offset, ticks);                                                \
        fm_io_end();                                                                             \
        return result;                                                                           \
    }

FM_INLINE void add_read(const struct fm_io_request *request, ssize_t bytes, off64_t offset, uint64_t ticks)
{
    fm_io_add_read(request->io, false, request->descriptor, bytes, offset, ticks);
}

FM_INLINE void add_write(const struct fm_io_request *request, ssize_t bytes, off64_t offset, uint64_t ticks)
{
    fm_io_add_write(request->io, &request->file->written, request->descriptor, bytes, offset, ticks);
}

#define READ(...) FILE_TRANSFER(fm_io_count_read, add_read, __VA_ARGS__)
#define WRITE(...) FILE_TRANSFER(fm_io_count_write, add_write, __VA_ARGS__)
FM_LIBC_READS(READ)
FM_LIBC_WRITES(WRITE)

/* ---- where timeouts are set and inherited ---- */

/* SO_RCVLOWAT is a limit too: fewer bytes are not received. */
static bool is_limit(int option)
{
    return option == SO_RCVTIMEO || option == SO_SNDTIMEO || option == SO_RCVLOWAT;
}

int fm_wrapped_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    int result = fm_real.setsockopt(fd, level, option, value, length);
    if (level == SOL_SOCKET && result == 0 && is_limit(option))
        set_timed(fd);
    return result;
}

/* A terminal can be set to wait for a number of bytes or for a time, which would start again after each sample. */
static bool has_limits(const struct termios *mode)
{
    return !(mode->c_lflag & ICANON) && (mode->c_cc[VMIN] > 1 || mode->c_cc[VTIME]);
}

/* The standard descriptors may be the same terminal. */
int fm_wrapped_tcsetattr(int fd, int when, const struct termios *mode)
{
    int result = fm_real.tcsetattr(fd, when, mode);
    if (result == 0 && has_limits(mode))
        for (set_timed(fd), fd = 0; fd <= STDERR_FILENO; fd++)
            set_timed(fd);
    return result;
}

static int inherit_timed(int fd, int copy)
{
    if (copy >= 0 && is_timed(fd))
        set_timed(copy);
    return copy;
}

/* A new connection inherits the limits of the listening socket. */
int fm_wrapped_accept(int fd, __SOCKADDR_ARG address, socklen_t *length)
{
    uint64_t held = is_fragile(fd) ? fm_sampling_block() : 0;
    int result = fm_real.accept(fd, address, length);
    fm_sampling_unblock(held);
    return inherit_timed(fd, result);
}

int fm_wrapped_accept4(int fd, __SOCKADDR_ARG address, socklen_t *length, int flags)
{
    uint64_t held = is_fragile(fd) ? fm_sampling_block() : 0;
    int result = fm_real.accept4(fd, address, length, flags);
    fm_sampling_unblock(held);
    return inherit_timed(fd, result);
}

static int inherit(int fd, int copy)
{
    fm_io_copied(fd, copy);
    return inherit_timed(fd, copy);
}

int fm_wrapped_dup(int fd)
{
    return inherit(fd, fm_real.dup(fd));
}

/* The copy is closed first. */
int fm_wrapped_dup2(int fd, int copy)
{
    if (copy != fd)
        fm_io_forget(copy);
    return inherit(fd, fm_real.dup2(fd, copy));
}

int fm_wrapped_dup3(int fd, int copy, int flags)
{
    if (copy != fd)
        fm_io_forget(copy);
    return inherit(fd, fm_real.dup3(fd, copy, flags));
}

static bool is_dup(int command)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

static bool waits_for_lock(int command)
{
    return command == F_SETLKW || command == F_OFD_SETLKW;
}

/* Any argument of fcntl is passed through as one register. */
#define FCNTL(name)                                                                  \
    int fm_wrapped_##name(int fd, int command, void *argument)                       \
    {                                                                                \
        if (command == F_SETSIG)                                                     \
            fm_yield_signal((int)(intptr_t)argument);                                \
        uint64_t held = waits_for_lock(command) ? fm_sampling_block_restarted() : 0; \
        int result = fm_real.name(fd, command, argument);                            \
        fm_sampling_unblock(held);                                                   \
        return is_dup(command) ? inherit(fd, result) : result;                       \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

static bool has_limit(int fd, int option)
{
    struct timeval limit = {0};
    socklen_t length = sizeof limit;
    return getsockopt(fd, SOL_SOCKET, option, &limit, &length) == 0 && (limit.tv_sec || limit.tv_usec);
}

static bool waits_for_bytes(int fd)
{
    int bytes = 0;
    socklen_t length = sizeof bytes;
    return getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, &length) == 0 && bytes > 1;
}

static bool is_terminal_with_limits(int fd)
{
    struct termios mode;
    return tcgetattr(fd, &mode) == 0 && has_limits(&mode);
}

static void check_descriptor(int fd)
{
    if (has_limit(fd, SO_RCVTIMEO) || has_limit(fd, SO_SNDTIMEO) || waits_for_bytes(fd) || is_terminal_with_limits(fd))
        set_timed(fd);
    fm_yield_signal(fm_real.fcntl(fd, F_GETSIG, NULL));
}

void fm_transfers_find(unsigned descriptors)
{
    for (int fd = 0; fd < FM_TIMED_DESCRIPTORS && (unsigned)fd < descriptors; fd++)
        if (fm_real.fcntl(fd, F_GETFD, NULL) >= 0)
            check_descriptor(fd);
}
