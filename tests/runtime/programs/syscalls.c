/* Waits by system calls that it makes itself, over and over, while it is sampled: syscalls THEME [CALLS]. Says how many were
 * broken by a signal that the program knows nothing of, and how many ended otherwise than they should. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_LIBURING
#include <liburing.h>
#endif
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { WAIT_NS = 600000, KERNEL_SET_BYTES = 8 };
static const struct timespec wait_time = {0, WAIT_NS};
static const uint64_t no_signals;
static int broken, wrong;

static void ended(long result, long wanted, int error)
{
    if (result < 0 && errno == EINTR)
        broken++;
    else if (result != wanted || (wanted < 0 && errno != error))
        wrong++;
}

/* ---- waits for a time ---- */

static void do_sleep(void)
{
    ended(syscall(SYS_nanosleep, &wait_time, NULL), 0, 0);
    ended(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &wait_time, NULL), 0, 0);
}

static void do_ppoll(void)
{
    struct timespec time = wait_time;
    ended(syscall(SYS_ppoll, NULL, 0, &time, NULL, KERNEL_SET_BYTES), 0, 0);
    time = wait_time;
    ended(syscall(SYS_ppoll, NULL, 0, &time, &no_signals, KERNEL_SET_BYTES), 0, 0);
}

static void do_pselect(void)
{
    struct timespec time = wait_time;
    struct {
        const void *mask;
        size_t size;
    } mask = {&no_signals, KERNEL_SET_BYTES};
    ended(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, NULL), 0, 0);
    time = wait_time;
    ended(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, &mask), 0, 0);
}

static void do_epoll(void)
{
    static int fd = -1;
    struct epoll_event event;
    if (fd < 0)
        fd = epoll_create1(0);
    ended(syscall(SYS_epoll_pwait, fd, &event, 1, 1, NULL, KERNEL_SET_BYTES), 0, 0);
    ended(syscall(SYS_epoll_pwait, fd, &event, 1, 1, &no_signals, KERNEL_SET_BYTES), 0, 0);
}

static void do_futex(void)
{
    uint32_t word = 1;
    ended(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &wait_time, NULL, 0), -1, ETIMEDOUT);
}

static void do_sigtimedwait(void)
{
    uint64_t all = UINT64_MAX;
    sigset_t set, before;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    ended(syscall(SYS_rt_sigtimedwait, &all, NULL, &wait_time, KERNEL_SET_BYTES), -1, EAGAIN);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A wrong address is the kernel's to refuse. */
static void do_wrong(void)
{
    struct timespec time = wait_time;
    ended(syscall(SYS_ppoll, NULL, 0, &time, (void *)8, KERNEL_SET_BYTES), -1, EFAULT);
    ended(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, (void *)8), -1, EFAULT);
    ended(syscall(123456), -1, ENOSYS);
}

/* The child runs in its parent's memory; what lies in the parent's frame must be there afterwards. */
static void do_child(void)
{
    volatile int here = 5;
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        syscall(SYS_exit_group, 7);
    int status = 0;
    waitpid(pid, &status, 0);
    ended(here == 5 && WIFEXITED(status) && WEXITSTATUS(status) == 7, 1, 0);
}

/* ---- io_uring ---- */

static struct {
    int fd;
    struct io_uring_params params;
    char *rings;
    struct io_uring_sqe *sqes;
} ring;

static void make_ring(void)
{
    ring.fd = (int)syscall(SYS_io_uring_setup, 4, &ring.params);
    if (ring.fd < 0 && (errno == ENOSYS || errno == EPERM)) {
        puts("io_uring: not here");
        exit(0);
    }
    size_t bytes = ring.params.cq_off.cqes + ring.params.cq_entries * sizeof(struct io_uring_cqe);
    ring.rings = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
    ring.sqes = mmap(NULL, ring.params.sq_entries * sizeof *ring.sqes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
                     IORING_OFF_SQES);
}

static uint32_t *at(uint32_t offset)
{
    return (uint32_t *)(void *)(ring.rings + offset);
}

static void submit_timeout(void)
{
    static struct __kernel_timespec time = {0, WAIT_NS};
    uint32_t tail = *at(ring.params.sq_off.tail), slot = tail & *at(ring.params.sq_off.ring_mask);
    ring.sqes[slot] = (struct io_uring_sqe){.opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (uintptr_t)&time, .len = 1};
    at(ring.params.sq_off.array)[slot] = slot;
    __atomic_store_n(at(ring.params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
}

/* Whether one has completed; it is taken out. */
static int take_completion(void)
{
    uint32_t *head = at(ring.params.cq_off.head);
    if (*head == __atomic_load_n(at(ring.params.cq_off.tail), __ATOMIC_ACQUIRE))
        return 0;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return 1;
}

/* With a mask of its own or none; together with what is submitted, or after that. */
static void wait_for_completion(const uint64_t *mask, int together)
{
    submit_timeout();
    if (!together)
        ended(syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0), 1, 0);
    ended(syscall(SYS_io_uring_enter, ring.fd, together, 1, IORING_ENTER_GETEVENTS, mask, mask ? KERNEL_SET_BYTES : 0),
          together, 0);
    ended(take_completion(), 1, 0);
}

static void wait_for_time(const uint64_t *mask)
{
    struct __kernel_timespec time = {0, WAIT_NS};
    struct io_uring_getevents_arg how = {
        .sigmask = (uintptr_t)mask, .sigmask_sz = mask ? KERNEL_SET_BYTES : 0, .ts = (uintptr_t)&time};
    ended(syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &how, sizeof how),
          -1, ETIME);
}

static void do_io_uring(void)
{
    if (!ring.rings)
        make_ring();
    wait_for_completion(NULL, 0);
    wait_for_completion(&no_signals, 0);
    wait_for_completion(NULL, 1);
    wait_for_time(NULL);
    wait_for_time(&no_signals);
}

#ifdef WITH_LIBURING
static void do_liburing(void)
{
    static struct io_uring uring;
    static int made;
    struct io_uring_cqe *cqe;
    struct __kernel_timespec time = {0, WAIT_NS};
    int result = made ? 0 : io_uring_queue_init(4, &uring, 0);
    if (result == -ENOSYS || result == -EPERM) {
        puts("liburing: not here");
        exit(0);
    }
    made = 1;
    io_uring_prep_timeout(io_uring_get_sqe(&uring), &time, 0, 0);
    io_uring_submit(&uring);
    errno = -(result = io_uring_wait_cqe(&uring, &cqe));
    ended(result < 0 ? -1 : 0, 0, 0);
    if (result == 0)
        io_uring_cqe_seen(&uring, cqe);
    errno = -(result = io_uring_wait_cqe_timeout(&uring, &cqe, &time));
    ended(result < 0 ? -1 : 0, -1, ETIME);
}
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*one)(void);
    } themes[] = {{"sleep", do_sleep},       {"ppoll", do_ppoll}, {"pselect", do_pselect},
                  {"epoll", do_epoll},       {"futex", do_futex}, {"sigtimedwait", do_sigtimedwait},
                  {"wrong", do_wrong},       {"child", do_child},
#ifdef WITH_LIBURING
                  {"liburing", do_liburing},
#endif
                  {"io_uring", do_io_uring}};
    const char *theme = argc > 1 ? argv[1] : "";
    int calls = argc > 2 ? atoi(argv[2]) : 1000;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++)
        for (int n = 0; strcmp(theme, themes[i].name) == 0 && n < calls; n++)
            themes[i].one();
    printf("%s: %d broken, %d wrong\n", theme, broken, wrong);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
