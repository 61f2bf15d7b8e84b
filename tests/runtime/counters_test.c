/* Reading counters: through pages made up here, and real software events of the kernel. */
#define _GNU_SOURCE
#include <stdint.h>

static uint64_t made_up_pmc(uint32_t counter);
#define FM_PMC_READ made_up_pmc
#include "runtime/counters/mpi_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/counters/open.h"
#include "runtime/counters/read.h"
#include "tap.h"

/* ---- pages ---- */

static struct perf_event_mmap_page pages[FM_COUNTERS];
static uint64_t pmcs[FM_COUNTERS];
static int changes; /* of the page while it is read */

static uint64_t made_up_pmc(uint32_t counter)
{
    uint64_t value = pmcs[counter];
    if (changes) { /* as if the thread had been switched out and in */
        changes--;
        pages[0].lock += 2;
        pages[0].offset += 1000;
        pmcs[counter] -= 1000;
    }
    return value;
}

static void check_pages(void)
{
    pages[0] = (struct perf_event_mmap_page){.offset = 42, .pmc_width = 48};
    pmcs[0] = 7;
    tap_ok(fm_page_read(&pages[0]) == 42, "an event that is on no counter has its offset");
    pages[0].index = 1;
    tap_ok(fm_page_read(&pages[0]) == 49, "one on a counter has the sum");
    pmcs[0] = 0xfffffffffff0;
    tap_ok(fm_page_read(&pages[0]) == 42 - 16, "the counter is sign-extended from 48 bits");
    pages[0].pmc_width = 64;
    pmcs[0] = UINT64_MAX;
    tap_ok(fm_page_read(&pages[0]) == 41, "a counter of 64 bits");
    pmcs[0] = 5000;
    changes = 2;
    tap_ok(fm_page_read(&pages[0]) == 5042 && changes == 0, "a page that changes meanwhile is read again");
    uint64_t count;
    tap_ok(!fm_page_read_other(&pages[0], &count), "of another thread that runs nothing is known");
    pages[0].index = 0;
    tap_ok(fm_page_read_other(&pages[0], &count) && count == 2042, "of one that does not run, all");
}

/* ---- calls ---- */

static struct fm_segment_counters segment;
static struct fm_counted_thread threads[1];

static void check_calls(void)
{
    memset(&segment, 0, sizeof segment);
    threads[0] = (struct fm_counted_thread){.n = 3, .split = 2, .seg = &segment, .before = {100}};
    for (int i = 0; i < 3; i++) {
        pages[i] = (struct perf_event_mmap_page){.offset = 10 * i, .time_enabled = 900, .time_running = 300};
        threads[0].pages[i] = &pages[i];
    }
    fm_counted = threads;
    fm_counters_enter_call();
    pages[0].offset += 5, pages[1].offset += 6, pages[2].offset += 7;
    fm_counters_enter_call(); /* in a callback */
    pages[0].offset += 1;
    fm_counters_leave_call();
    tap_ok(segment.counts[0].mpi == 0, "a call inside a callback is part of the outer one");
    fm_counters_leave_call();
    tap_ok(segment.counts[0].mpi == 6 && segment.counts[1].mpi == 6 && segment.counts[0].total == 106 &&
               segment.counts[1].total == 16,
           "what was counted between entry and return is of MPI");
    tap_ok(segment.counts[2].mpi == 0 && segment.counts[2].total == 0, "what cannot be read is not split");
    fm_counters_enter_call();
    pages[0].offset += 50;
    fm_counters_abandon_call();
    fm_counters_leave_call();
    tap_ok(segment.counts[0].mpi == 6, "of a call left by longjmp nothing is of MPI");
    fm_counters_update(threads, false);
    tap_ok(segment.counts[0].total == 156 && segment.counts[2].total == 27 && segment.counts[0].enabled_ns == 900 &&
               segment.counts[0].running_ns == 300,
           "totals, and for how long it was counted");
    memset(threads, 0, sizeof threads); /* as the kernel does in a child */
    fm_counters_enter_call();
    fm_counters_leave_call();
    tap_ok(segment.counts[0].mpi == 6, "a forked child changes nothing");
    fm_counted = NULL;
    fm_counters_enter_call();
    fm_counters_leave_call();
}

/* ---- real events ---- */

static size_t count_descriptors(void)
{
    size_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void touch(size_t n)
{
    size_t bytes = n * (size_t)sysconf(_SC_PAGESIZE);
    volatile char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)map, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += (size_t)sysconf(_SC_PAGESIZE))
        map[i] = 1;
    munmap((void *)map, bytes);
}

static bool open_events(const char *names)
{
    size_t length;
    struct fm_perf_event dropped;
    memset(&segment, 0, sizeof segment);
    threads[0] = (struct fm_counted_thread){.seg = &segment};
    fm_counting.threads = threads;
    fm_counting.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    fm_counting.n_places = 1;
    return !fm_perf_events_parse(names, &fm_counting.events, &length) &&
           !fm_counters_probe(&fm_counting.events, &dropped) && !fm_counters_open(threads, 0);
}

static void check_events(void)
{
    size_t descriptors = count_descriptors();
    if (!tap_ok(open_events("task-clock,page-faults"), "software events are opened as a group"))
        return;
    int fd = fm_counting.descriptors[0].fd - 1;
    tap_ok(count_descriptors() == descriptors + 1 && fd >= 960 && fcntl(fd, F_GETFD) == FD_CLOEXEC,
           "one descriptor stays open, at a high number, and ends with exec");
    fm_counters_update(threads, true);
    uint64_t before = segment.counts[1].total;
    touch(500);
    fm_counters_update(threads, true);
    uint64_t faults = segment.counts[1].total - before;
    tap_ok(faults >= 500 && faults < 600, "page faults of 500 pages: %llu", (unsigned long long)faults);
    tap_ok(segment.counts[0].total > 0 && segment.counts[0].enabled_ns == segment.counts[0].running_ns,
           "software events are never multiplexed");
    int ends[2];
    char byte = 0;
    if (pipe2(ends, O_NONBLOCK) || write(ends[1], "x", 1) != 1 || dup2(ends[0], fd) != fd)
        tap_ok(false, "a pipe under the number of our descriptor");
    before = segment.counts[1].total;
    fm_counters_update(threads, true);
    tap_ok(read(fd, &byte, 1) == 1 && byte == 'x' && segment.counts[1].total >= before,
           "a file that the program opened under its number is not read");
    fm_counters_close(threads);
    tap_ok(fcntl(fd, F_GETFD) >= 0, "nor closed");
    close(fd);
    tap_ok(open_events("page-faults"), "opened again");
    close(fm_counting.descriptors[0].fd - 1);
    sched_yield();
    fm_counters_update(threads, true);
    tap_ok(threads[0].n == 1, "a program that closes all descriptors does no harm");
    fm_counters_close(threads);
}

static void check_limits(void)
{
    struct rlimit old, low;
    getrlimit(RLIMIT_NOFILE, &old);
    size_t descriptors = count_descriptors();
    low = (struct rlimit){15, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    bool opened = open_events("page-faults");
    size_t left = count_descriptors();
    setrlimit(RLIMIT_NOFILE, &old);
    tap_ok(!opened && left == descriptors && !threads[0].n, "with few descriptors allowed none is taken");
    tap_ok(open_events("page-faults"), "with many, one");
    fm_counters_close_inherited();
    tap_ok(count_descriptors() == descriptors && fm_counting.n_descriptors == 0, "which a forked child closes");
}

/* An emulator has none. */
static bool has_perf_events(void)
{
    return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) != -1 || errno != ENOSYS;
}

int main(void)
{
    check_pages();
    check_calls();
    if (has_perf_events()) {
        check_events();
        check_limits();
    } else {
        printf("ok %d - software events # skip the system has no perf_event_open\n", ++tap_count);
    }
    return tap_done();
}
