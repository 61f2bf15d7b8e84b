/* SPDX-License-Identifier: BSD-3-Clause */
/* The libc functions that are interposed, and for whom. To interpose another function, add a line to one of the lists
 * and define its wrapper, fm_wrapped_NAME, anywhere in the library. To add a list for another purpose, add a line to
 * FM_INTERPOSED. This file contains only macros: the build reads them, too (own_calls.in). */
#ifndef FM_RUNTIME_INTERPOSE_LIST_H
#define FM_RUNTIME_INTERPOSE_LIST_H

/* X(list, interposers: enum fm_interposer in functions.h). */
#define FM_INTERPOSED(X)                                                \
    X(FM_LIBC_UNLOADS, FM_FOR_UNLOADING)                                \
    X(FM_LIBC_SYSCALLS, FM_FOR_FILTERS | FM_FOR_SAMPLES)                \
    X(FM_LIBC_NOTED, FM_FOR_NOTES | FM_FOR_SAMPLES)                     \
    X(FM_LIBC_THREADS, FM_FOR_NOTES | FM_FOR_SAMPLES | FM_FOR_COUNTERS) \
    X(FM_LIBC_WAITS, FM_FOR_SAMPLES)                                    \
    X(FM_LIBC_RESTARTED, FM_FOR_SAMPLES)                                \
    X(FM_LIBC_OPENS, FM_FOR_SAMPLES | FM_FOR_FILES)                     \
    X(FM_LIBC_OTHER_WAITS, FM_FOR_SAMPLES)                              \
    X(FM_LIBC_RECEIVES, FM_FOR_SAMPLES)                                 \
    X(FM_LIBC_TRANSFERS, FM_FOR_SAMPLES)                                \
    X(FM_LIBC_READS, FM_FOR_SAMPLES | FM_FOR_FILES)                     \
    X(FM_LIBC_WRITES, FM_FOR_SAMPLES | FM_FOR_FILES)                    \
    X(FM_LIBC_LIMITS, FM_FOR_SAMPLES)                                   \
    X(FM_LIBC_COPIES, FM_FOR_SAMPLES | FM_FOR_FILES)                    \
    X(FM_LIBC_FILES, FM_FOR_FILES)                                      \
    X(FM_LIBC_STREAMS, FM_FOR_FILES)                                    \
    X(FM_LIBC_SENDS, FM_FOR_SAMPLES)                                    \
    X(FM_LIBC_SIGNALS, FM_FOR_SAMPLES)                                  \
    X(FM_LIBC_ACTIONS, FM_FOR_SAMPLES)

/* ---- the lists: X(type, name, parameters, arguments) ---- */

/* Unloading of load modules: interpose/loads.c. */
#define FM_LIBC_UNLOADS(X) X(int, dlclose, (void *module), (module))

/* The seventh argument of a call is on the stack on x86-64, and stays there when the call is passed on by a jump. It
 * must not be accessed: in a call with fewer arguments that is the caller's own memory. */
#if defined __x86_64__
#define FM_IN_REGISTER(...)
#else
#define FM_IN_REGISTER(...) __VA_ARGS__
#endif

/* System calls by number, and system call filters: libc/syscalls.c. */
#define FM_LIBC_SYSCALLS(X)                                                                          \
    X(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d),  \
      (option, a, b, c, d))                                                                          \
    X(long, syscall, (long number, long a, long b, long c, long d, long e FM_IN_REGISTER(, long f)), \
      (number, a, b, c, d, e FM_IN_REGISTER(, f)))

/* What must be known about the program's signals when sampling begins: libc/signals.c. */
#define FM_LIBC_NOTED(X)                                                                                     \
    X(int, sigaddset, (sigset_t * set, int signal), (set, signal))                                           \
    X(int, sigaltstack, (const stack_t *stack, stack_t *before), (stack, before))                            \
    X(int, timer_create, (clockid_t clock, struct sigevent * event, timer_t * timer), (clock, event, timer)) \
    X(int, mq_notify, (int queue, const struct sigevent *event), (queue, event))                             \
    X(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))

/* Thread creation: libc/threads.c. */
#define FM_LIBC_THREADS(X)                                                                            \
    X(int, pthread_create,                                                                            \
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument), \
      (thread, attributes, start, argument))                                                          \
    X(int, thrd_create, (thrd_t * thread, thrd_start_t start, void *argument), (thread, start, argument))

/* Calls that a signal interrupts even with SA_RESTART, whatever their arguments. The sampling signal is held back
 * around them: libc/waits.c. */
#define FM_LIBC_WAITS(X)                                                                                             \
    X(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest))                            \
    X(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),        \
      (clock, flags, time, rest))                                                                                    \
    X(int, usleep, (useconds_t time), (time))                                                                        \
    X(unsigned, sleep, (unsigned time), (time))                                                                      \
    X(int, thrd_sleep, (const struct timespec *time, struct timespec *rest), (time, rest))                           \
    X(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))                     \
    X(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until),                        \
      (semaphore, clock, until))                                                                                     \
    X(ssize_t, msgrcv, (int queue, void *message, size_t size, long type, int flags),                                \
      (queue, message, size, type, flags))                                                                           \
    X(int, msgsnd, (int queue, const void *message, size_t size, int flags), (queue, message, size, flags))          \
    X(int, semop, (int set, struct sembuf *operations, size_t n), (set, operations, n))                              \
    X(int, semtimedop, (int set, struct sembuf *operations, size_t n, const struct timespec *time),                  \
      (set, operations, n, time))                                                                                    \
    X(int, pause, (void), ())                                                                                        \
    X(int, __xpg_sigpause, (int signal), (signal))                                                                   \
    X(int, fallocate, (int fd, int mode, off_t offset, off_t size), (fd, mode, offset, size))                        \
    X(int, fallocate64, (int fd, int mode, off64_t offset, off64_t size), (fd, mode, offset, size))                  \
    X(int, posix_fallocate, (int fd, off_t offset, off_t size), (fd, offset, size))                                  \
    X(int, posix_fallocate64, (int fd, off64_t offset, off64_t size), (fd, offset, size))                            \
    X(int, aio_suspend, (const struct aiocb *const list[], int n, const struct timespec *time), (list, n, time))     \
    X(int, aio_suspend64, (const struct aiocb64 *const list[], int n, const struct timespec *time), (list, n, time)) \
    X(int, gai_suspend, (const struct gaicb *const list[], int n, const struct timespec *time), (list, n, time))     \
    X(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t length), (fd, address, length))

/* With SA_RESTART these calls are restarted, so a sample does them no harm, unless it coincides with a signal of the
 * program that was meant to interrupt them. So samples are held back as above in a program that has handlers without
 * SA_RESTART: libc/waits.c. */
#define FM_LIBC_RESTARTED(X)                                                                                          \
    X(pid_t, wait, (int *status), (status))                                                                           \
    X(pid_t, waitpid, (pid_t process, int *status, int options), (process, status, options))                          \
    X(pid_t, wait3, (int *status, int options, struct rusage *used), (status, options, used))                         \
    X(pid_t, wait4, (pid_t process, int *status, int options, struct rusage *used), (process, status, options, used)) \
    X(int, waitid, (int type, id_t id, siginfo_t *info, int options), (type, id, info, options))                      \
    X(int, flock, (int fd, int operation), (fd, operation))                                                           \
    X(int, lockf, (int fd, int command, off_t size), (fd, command, size))                                             \
    X(int, lockf64, (int fd, int command, off64_t size), (fd, command, size))                                         \
    X(int, sem_wait, (sem_t * semaphore), (semaphore))                                                                \
    X(ssize_t, mq_receive, (int queue, char *message, size_t size, unsigned *priority),                               \
      (queue, message, size, priority))                                                                               \
    X(int, mq_send, (int queue, const char *message, size_t size, unsigned priority),                                 \
      (queue, message, size, priority))                                                                               \
    X(ssize_t, mq_timedreceive,                                                                                       \
      (int queue, char *message, size_t size, unsigned *priority, const struct timespec *until),                      \
      (queue, message, size, priority, until))                                                                        \
    X(int, mq_timedsend,                                                                                              \
      (int queue, const char *message, size_t size, unsigned priority, const struct timespec *until),                 \
      (queue, message, size, priority, until))                                                                        \
    X(ssize_t, tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags))                         \
    X(ssize_t, vmsplice, (int fd, const struct iovec *vector, size_t n, unsigned flags), (fd, vector, n, flags))      \
    X(int, tcdrain, (int fd), (fd))

/* The same, for calls that open files: io/opens.c. X(type, name, parameters, arguments, directory, flags). Those that make
 * a temporary file put its name into `path`. */
#define FM_LIBC_OPENS(X)                                                                                           \
    X(int, creat, (const char *path, mode_t mode), (path, mode), AT_FDCWD, 0)                                      \
    X(int, creat64, (const char *path, mode_t mode), (path, mode), AT_FDCWD, 0)                                    \
    X(int, __open_2, (const char *path, int flags), (path, flags), AT_FDCWD, flags)                                \
    X(int, __open64_2, (const char *path, int flags), (path, flags), AT_FDCWD, flags)                              \
    X(int, __openat_2, (int directory, const char *path, int flags), (directory, path, flags), directory, flags)   \
    X(int, __openat64_2, (int directory, const char *path, int flags), (directory, path, flags), directory, flags) \
    X(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), AT_FDCWD, flags)                 \
    X(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode), AT_FDCWD, flags)               \
    X(int, openat, (int directory, const char *path, int flags, mode_t mode), (directory, path, flags, mode),      \
      directory, flags)                                                                                            \
    X(int, openat64, (int directory, const char *path, int flags, mode_t mode), (directory, path, flags, mode),    \
      directory, flags)                                                                                            \
    X(int, mkstemp, (char *path), (path), AT_FDCWD, 0)                                                             \
    X(int, mkstemp64, (char *path), (path), AT_FDCWD, 0)                                                           \
    X(int, mkostemp, (char *path, int flags), (path, flags), AT_FDCWD, flags)                                      \
    X(int, mkostemp64, (char *path, int flags), (path, flags), AT_FDCWD, flags)                                    \
    X(int, mkstemps, (char *path, int suffix), (path, suffix), AT_FDCWD, 0)                                        \
    X(int, mkstemps64, (char *path, int suffix), (path, suffix), AT_FDCWD, 0)                                      \
    X(int, mkostemps, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD, flags)                 \
    X(int, mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD, flags)

/* Waits with hand-written wrappers: libc/waits.c. */
#define FM_LIBC_OTHER_WAITS(X)                                                                                 \
    X(int, poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))                              \
    X(int, __poll_chk, (struct pollfd * fds, nfds_t n, int timeout, size_t room), (fds, n, timeout, room))     \
    X(int, ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *time, const sigset_t *mask),          \
      (fds, n, time, mask))                                                                                    \
    X(int, __ppoll_chk,                                                                                        \
      (struct pollfd * fds, nfds_t n, const struct timespec *time, const sigset_t *mask, size_t room),         \
      (fds, n, time, mask, room))                                                                              \
    X(int, select, (int n, fd_set *in, fd_set *out, fd_set *exceptions, struct timeval *time),                 \
      (n, in, out, exceptions, time))                                                                          \
    X(int, pselect,                                                                                            \
      (int n, fd_set *in, fd_set *out, fd_set *exceptions, const struct timespec *time, const sigset_t *mask), \
      (n, in, out, exceptions, time, mask))                                                                    \
    X(int, epoll_wait, (int fd, struct epoll_event *events, int n, int timeout), (fd, events, n, timeout))     \
    X(int, epoll_pwait, (int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask),        \
      (fd, events, n, timeout, mask))                                                                          \
    X(int, epoll_pwait2,                                                                                       \
      (int fd, struct epoll_event *events, int n, const struct timespec *time, const sigset_t *mask),          \
      (fd, events, n, time, mask))                                                                             \
    X(ssize_t, getrandom, (void *buffer, size_t size, unsigned flags), (buffer, size, flags))                  \
    X(int, sigsuspend, (const sigset_t *mask), (mask))                                                         \
    X(int, sigpause, (int mask), (mask))                                                                       \
    X(int, sigwait, (const sigset_t *set, int *signal), (set, signal))                                         \
    X(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))                                   \
    X(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time), (set, info, time))

/* Like RESTARTED, but only if the call waits for all data, and for sockets with a timeout; they have `fd` and `flags`:
 * libc/transfers.c. */
#define FM_LIBC_RECEIVES(X)                                                                                         \
    X(ssize_t, recv, (int fd, void *buffer, size_t size, int flags), (fd, buffer, size, flags))                     \
    X(ssize_t, __recv_chk, (int fd, void *buffer, size_t size, size_t room, int flags),                             \
      (fd, buffer, size, room, flags))                                                                              \
    X(ssize_t, recvfrom, (int fd, void *buffer, size_t size, int flags, __SOCKADDR_ARG address, socklen_t *length), \
      (fd, buffer, size, flags, address, length))                                                                   \
    X(ssize_t, __recvfrom_chk,                                                                                      \
      (int fd, void *buffer, size_t size, size_t room, int flags, __SOCKADDR_ARG address, socklen_t *length),       \
      (fd, buffer, size, room, flags, address, length))                                                             \
    X(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))

/* Calls that transfer only a part of the data after a signal, and that it interrupts on sockets with a timeout:
 * libc/transfers.c. X(type, name, parameters, arguments, bytes). Vectors of the program are not read: they may be
 * invalid. */
#define FM_LIBC_TRANSFERS(X)                                                                                        \
    X(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *time),              \
      (fd, messages, n, flags, time), SIZE_MAX)                                                                     \
    X(ssize_t, send, (int fd, const void *buffer, size_t size, int flags), (fd, buffer, size, flags), size)         \
    X(ssize_t, sendto,                                                                                              \
      (int fd, const void *buffer, size_t size, int flags, __CONST_SOCKADDR_ARG address, socklen_t length),         \
      (fd, buffer, size, flags, address, length), size)                                                             \
    X(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), SIZE_MAX)          \
    X(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags), (fd, messages, n, flags), SIZE_MAX) \
    X(ssize_t, sendfile, (int fd, int from, off_t *offset, size_t size), (fd, from, offset, size), size)            \
    X(ssize_t, sendfile64, (int fd, int from, off64_t *offset, size_t size), (fd, from, offset, size), size)        \
    X(ssize_t, splice, (int from, off64_t *offset, int fd, off64_t *to, size_t size, unsigned flags),               \
      (from, offset, fd, to, size, flags), size)                                                                    \
    X(ssize_t, copy_file_range, (int from, off64_t *offset, int fd, off64_t *to, size_t size, unsigned flags),      \
      (from, offset, fd, to, size, flags), size)

/* The same, for files too. X(type, name, parameters, arguments, bytes, offset); -1: at the current position. */
#define FM_LIBC_READS(X)                                                                                               \
    X(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), size, -1)                                \
    X(ssize_t, __read_chk, (int fd, void *buffer, size_t size, size_t room), (fd, buffer, size, room), size, -1)       \
    X(ssize_t, readv, (int fd, const struct iovec *vector, int n), (fd, vector, n), SIZE_MAX, -1)                      \
    X(ssize_t, pread, (int fd, void *buffer, size_t size, off_t offset), (fd, buffer, size, offset), size, offset)     \
    X(ssize_t, pread64, (int fd, void *buffer, size_t size, off64_t offset), (fd, buffer, size, offset), size, offset) \
    X(ssize_t, __pread_chk, (int fd, void *buffer, size_t size, off_t offset, size_t room),                            \
      (fd, buffer, size, offset, room), size, offset)                                                                  \
    X(ssize_t, __pread64_chk, (int fd, void *buffer, size_t size, off64_t offset, size_t room),                        \
      (fd, buffer, size, offset, room), size, offset)                                                                  \
    X(ssize_t, preadv, (int fd, const struct iovec *vector, int n, off_t offset), (fd, vector, n, offset), SIZE_MAX,   \
      offset)                                                                                                          \
    X(ssize_t, preadv64, (int fd, const struct iovec *vector, int n, off64_t offset), (fd, vector, n, offset),         \
      SIZE_MAX, offset)                                                                                                \
    X(ssize_t, preadv2, (int fd, const struct iovec *vector, int n, off_t offset, int flags),                          \
      (fd, vector, n, offset, flags), SIZE_MAX, offset)                                                                \
    X(ssize_t, preadv64v2, (int fd, const struct iovec *vector, int n, off64_t offset, int flags),                     \
      (fd, vector, n, offset, flags), SIZE_MAX, offset)
#define FM_LIBC_WRITES(X)                                                                                             \
    X(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size), size, -1)                        \
    X(ssize_t, writev, (int fd, const struct iovec *vector, int n), (fd, vector, n), SIZE_MAX, -1)                    \
    X(ssize_t, pwrite, (int fd, const void *buffer, size_t size, off_t offset), (fd, buffer, size, offset), size,     \
      offset)                                                                                                         \
    X(ssize_t, pwrite64, (int fd, const void *buffer, size_t size, off64_t offset), (fd, buffer, size, offset), size, \
      offset)                                                                                                         \
    X(ssize_t, pwritev, (int fd, const struct iovec *vector, int n, off_t offset), (fd, vector, n, offset), SIZE_MAX, \
      offset)                                                                                                         \
    X(ssize_t, pwritev64, (int fd, const struct iovec *vector, int n, off64_t offset), (fd, vector, n, offset),       \
      SIZE_MAX, offset)                                                                                               \
    X(ssize_t, pwritev2, (int fd, const struct iovec *vector, int n, off_t offset, int flags),                        \
      (fd, vector, n, offset, flags), SIZE_MAX, offset)                                                               \
    X(ssize_t, pwritev64v2, (int fd, const struct iovec *vector, int n, off64_t offset, int flags),                   \
      (fd, vector, n, offset, flags), SIZE_MAX, offset)

/* Timeouts: libc/transfers.c. */
#define FM_LIBC_LIMITS(X)                                                                                         \
    X(int, accept, (int fd, __SOCKADDR_ARG address, socklen_t *length), (fd, address, length))                    \
    X(int, accept4, (int fd, __SOCKADDR_ARG address, socklen_t *length, int flags), (fd, address, length, flags)) \
    X(int, setsockopt, (int fd, int level, int option, const void *value, socklen_t length),                      \
      (fd, level, option, value, length))                                                                         \
    X(int, tcsetattr, (int fd, int when, const struct termios *mode), (fd, when, mode))

/* Copies of file descriptors: libc/transfers.c. */
#define FM_LIBC_COPIES(X)                                                         \
    X(int, dup, (int fd), (fd))                                                   \
    X(int, dup2, (int fd, int copy), (fd, copy))                                  \
    X(int, dup3, (int fd, int copy, int flags), (fd, copy, flags))                \
    X(int, fcntl, (int fd, int command, void *argument), (fd, command, argument)) \
    X(int, fcntl64, (int fd, int command, void *argument), (fd, command, argument))

/* Other calls on files, and those that leave one: io/calls.c. */
#define FM_LIBC_FILES(X)                                                                  \
    X(int, close, (int fd), (fd))                                                         \
    X(int, close_range, (unsigned first, unsigned last, int flags), (first, last, flags)) \
    X(void, closefrom, (int first), (first))                                              \
    X(int, closedir, (DIR * directory), (directory))                                      \
    X(int, pclose, (FILE * stream), (stream))                                             \
    X(void, longjmp, (struct __jmp_buf_tag * to, int value), (to, value))                 \
    X(void, _longjmp, (struct __jmp_buf_tag * to, int value), (to, value))                \
    X(void, siglongjmp, (struct __jmp_buf_tag * to, int value), (to, value))              \
    X(void, __longjmp_chk, (struct __jmp_buf_tag * to, int value), (to, value))           \
    X(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from))                 \
    X(off64_t, lseek64, (int fd, off64_t offset, int from), (fd, offset, from))           \
    X(int, fsync, (int fd), (fd))                                                         \
    X(int, fdatasync, (int fd), (fd))

/* Streams of stdio: io/streams.c. Libc reads and writes their files without calling the functions above by name. */
#define FM_LIBC_STREAMS(X)                                                                                        \
    X(FILE *, fopen, (const char *path, const char *mode), (path, mode))                                          \
    X(FILE *, fopen64, (const char *path, const char *mode), (path, mode))                                        \
    X(FILE *, tmpfile, (void), ())                                                                                \
    X(FILE *, tmpfile64, (void), ())                                                                              \
    X(FILE *, freopen, (const char *path, const char *mode, FILE *stream), (path, mode, stream))                  \
    X(FILE *, freopen64, (const char *path, const char *mode, FILE *stream), (path, mode, stream))                \
    X(int, fclose, (FILE * stream), (stream))                                                                     \
    X(size_t, fread, (void *buffer, size_t size, size_t n, FILE *stream), (buffer, size, n, stream))              \
    X(size_t, __fread_chk, (void *buffer, size_t room, size_t size, size_t n, FILE *stream),                      \
      (buffer, room, size, n, stream))                                                                            \
    X(size_t, fwrite, (const void *buffer, size_t size, size_t n, FILE *stream), (buffer, size, n, stream))       \
    X(char *, fgets, (char *buffer, int size, FILE *stream), (buffer, size, stream))                              \
    X(char *, __fgets_chk, (char *buffer, size_t room, int size, FILE *stream), (buffer, room, size, stream))     \
    X(ssize_t, getline, (char **line, size_t *size, FILE *stream), (line, size, stream))                          \
    X(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream))           \
    X(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream))         \
    X(int, fscanf, (FILE * stream, const char *format, ...), (stream, format))                                    \
    X(int, vfscanf, (FILE * stream, const char *format, va_list arguments), (stream, format, arguments))          \
    X(int, __isoc99_fscanf, (FILE * stream, const char *format, ...), (stream, format))                           \
    X(int, __isoc99_vfscanf, (FILE * stream, const char *format, va_list arguments), (stream, format, arguments)) \
    X(int, __isoc23_fscanf, (FILE * stream, const char *format, ...), (stream, format))                           \
    X(int, __isoc23_vfscanf, (FILE * stream, const char *format, va_list arguments), (stream, format, arguments)) \
    X(int, fputs, (const char *text, FILE *stream), (text, stream))                                               \
    X(int, fprintf, (FILE * stream, const char *format, ...), (stream, format))                                   \
    X(int, vfprintf, (FILE * stream, const char *format, va_list arguments), (stream, format, arguments))         \
    X(int, __fprintf_chk, (FILE * stream, int flag, const char *format, ...), (stream, flag, format))             \
    X(int, __vfprintf_chk, (FILE * stream, int flag, const char *format, va_list arguments),                      \
      (stream, flag, format, arguments))                                                                          \
    X(int, fflush, (FILE * stream), (stream))                                                                     \
    X(int, fseek, (FILE * stream, long offset, int from), (stream, offset, from))                                 \
    X(int, fseeko, (FILE * stream, off_t offset, int from), (stream, offset, from))                               \
    X(int, fseeko64, (FILE * stream, off64_t offset, int from), (stream, offset, from))                           \
    X(void, rewind, (FILE * stream), (stream))

/* Calls that send a signal, and so show that the program uses it; they have `signal`: libc/signals.c. */
#define FM_LIBC_SENDS(X)                                                                              \
    X(int, raise, (int signal), (signal))                                                             \
    X(int, gsignal, (int signal), (signal))                                                           \
    X(int, kill, (pid_t process, int signal), (process, signal))                                      \
    X(int, killpg, (pid_t group, int signal), (group, signal))                                        \
    X(int, tgkill, (pid_t process, pid_t thread, int signal), (process, thread, signal))              \
    X(int, sigqueue, (pid_t process, int signal, const union sigval value), (process, signal, value)) \
    X(int, pthread_kill, (pthread_t thread, int signal), (thread, signal))                            \
    X(int, pthread_sigqueue, (pthread_t thread, int signal, const union sigval value), (thread, signal, value))

/* Pending signals: libc/signals.c. */
#define FM_LIBC_SIGNALS(X) X(int, sigpending, (sigset_t * set), (set))

/* Signal actions of the program: libc/actions.c. */
#define FM_LIBC_ACTIONS(X)                                                                    \
    X(int, sigaction, (int signal, const struct sigaction *action, struct sigaction *before), \
      (signal, action, before))                                                               \
    X(__sighandler_t, signal, (int signal, __sighandler_t handler), (signal, handler))        \
    X(__sighandler_t, ssignal, (int signal, __sighandler_t handler), (signal, handler))       \
    X(__sighandler_t, bsd_signal, (int signal, __sighandler_t handler), (signal, handler))    \
    X(__sighandler_t, sysv_signal, (int signal, __sighandler_t handler), (signal, handler))   \
    X(__sighandler_t, __sysv_signal, (int signal, __sighandler_t handler), (signal, handler)) \
    X(__sighandler_t, sigset, (int signal, __sighandler_t handler), (signal, handler))        \
    X(int, sigignore, (int signal), (signal))                                                 \
    X(int, siginterrupt, (int signal, int interrupt), (signal, interrupt))

#endif
