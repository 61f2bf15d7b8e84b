/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/counters/open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/pmc.h"

/* System calls are made directly: the program's or our own wrappers of ioctl, fcntl and close must not see them. */
static bool has_id(int fd, uint64_t *id)
{
    return fm_kernel(SYS_ioctl, fd, PERF_EVENT_IOC_ID, id) == 0;
}

static void close_descriptor(long fd)
{
    if (fd >= 0)
        fm_kernel(SYS_close, fd);
}

/* ---- one event ---- */

/* The leader is enabled after the others have joined it: a kernel may start one that joins a running group only with the
 * next context switch. */
static struct perf_event_attr attributes_of(const struct fm_perf_event *event, bool user_only, bool leads)
{
    return (struct perf_event_attr){
        .type = event->type,
        .size = sizeof(struct perf_event_attr),
        .config = event->config,
        .config1 = event->config1,
        .config2 = event->config2,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = user_only,
        .exclude_hv = 1,
        .disabled = leads,
    };
}

/* What the kernel counts happens in the kernel: in user space alone there are neither context switches nor migrations. */
static bool needs_kernel(const struct fm_perf_event *event)
{
    return fm_perf_event_is_software(event) &&
           (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES || event->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static long open_event(const struct fm_perf_event *event, int32_t tid, long leader)
{
    bool software = fm_perf_event_is_software(event);
    struct perf_event_attr attributes = attributes_of(event, !software, leader < 0);
    if (!software)
        attributes.config1 |= FM_PMC_REQUEST;
    long fd = fm_kernel(SYS_perf_event_open, &attributes, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 || (software && needs_kernel(event)))
        return fd;
    attributes = attributes_of(event, true, leader < 0);
    return fm_kernel(SYS_perf_event_open, &attributes, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static fm_event_page *map_page(long fd)
{
    long map = fm_kernel(SYS_mmap, NULL, fm_counting.page_bytes, PROT_READ, MAP_SHARED, fd, 0);
    return map < 0 && map > -4096 ? NULL : (fm_event_page *)map;
}

int fm_counters_probe(struct fm_perf_events *events, struct fm_perf_event *dropped)
{
    size_t n = 0;
    long error = 0;
    for (size_t i = 0; i < events->n; i++) {
        long fd = open_event(&events->list[i], 0, -1);
        if (fd >= 0)
            events->list[n++] = events->list[i];
        else if (!error) {
            error = fd;
            *dropped = events->list[i];
        }
        close_descriptor(fd);
    }
    events->n = n;
    return n ? 0 : (int)-error;
}

/* ---- descriptors that stay open ---- */

/* Descriptors are put at high numbers, where a program neither expects nor gets its own, and are few in proportion to
 * the limit. */
static int keep_descriptor(long fd)
{
    enum { FIRST = 960, SHARE = 16 };
    struct rlimit limit = {0};
    if (fm_kernel(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) != 0)
        return -1;
    uint64_t most = limit.rlim_cur / SHARE;
    if (__atomic_load_n(&fm_counting.n_descriptors, __ATOMIC_RELAXED) >= most)
        return -1;
    uint64_t first = limit.rlim_cur - most < FIRST ? limit.rlim_cur - most : FIRST;
    long high = fm_kernel(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first);
    if (high < 0)
        return -1;
    __atomic_add_fetch(&fm_counting.n_descriptors, 1, __ATOMIC_RELAXED);
    return (int)high;
}

static struct fm_counter_descriptor *descriptor_of(const struct fm_counted_thread *thread)
{
    return &fm_counting.descriptors[thread - fm_counting.threads];
}

static bool is_ours(const struct fm_counter_descriptor *descriptor)
{
    uint64_t id = 0;
    return descriptor->fd && has_id(descriptor->fd - 1, &id) && id == descriptor->id;
}

int fm_counters_descriptor(const struct fm_counted_thread *thread)
{
    const struct fm_counter_descriptor *descriptor = descriptor_of(thread);
    return is_ours(descriptor) ? descriptor->fd - 1 : -1;
}

/* Its thread may end while the process does. */
static void drop_descriptor(struct fm_counter_descriptor *descriptor)
{
    struct fm_counter_descriptor dropped = {__atomic_exchange_n(&descriptor->fd, 0, __ATOMIC_ACQ_REL), descriptor->id};
    if (!dropped.fd)
        return;
    if (is_ours(&dropped))
        close_descriptor(dropped.fd - 1);
    __atomic_sub_fetch(&fm_counting.n_descriptors, 1, __ATOMIC_RELAXED);
}

void fm_counters_close_inherited(void)
{
    for (uint32_t i = 0; i < fm_counting.n_places; i++)
        drop_descriptor(&fm_counting.descriptors[i]);
}

/* ---- the events of a thread ---- */

/* The number of events, from the first, that the processor's instruction can read. */
static uint32_t count_readable(const struct fm_counted_thread *thread)
{
    uint32_t n = 0;
    while (n < thread->n && thread->pages[n]->cap_user_rdpmc && !fm_perf_event_is_software(&fm_counting.events.list[n]))
        n++;
    return n;
}

static bool keep_leader(const struct fm_counted_thread *thread, long leader)
{
    struct fm_counter_descriptor *descriptor = descriptor_of(thread);
    uint64_t id;
    int fd = has_id((int)leader, &id) ? keep_descriptor(leader) : -1;
    if (fd < 0)
        return false;
    descriptor->id = id;
    descriptor->fd = fd + 1;
    return true;
}

int fm_counters_open(struct fm_counted_thread *thread, int32_t tid)
{
    long leader = -1, error = 0;
    const struct fm_perf_events *events = &fm_counting.events;
    thread->n = 0;
    for (size_t i = 0; i < events->n && !error; i++) {
        long fd = open_event(&events->list[i], tid, leader);
        thread->pages[i] = fd >= 0 ? map_page(fd) : NULL;
        if (!thread->pages[i])
            error = fd < 0 ? fd : -EPERM;
        thread->n += !error;
        if (i == 0)
            leader = fd;
        else
            close_descriptor(fd);
    }
    if (!error)
        error = fm_kernel(SYS_ioctl, leader, PERF_EVENT_IOC_ENABLE, 0);
    uint32_t readable = error ? 0 : count_readable(thread);
    if (!error && readable < thread->n && !keep_leader(thread, leader))
        error = -EMFILE;
    close_descriptor(leader);
    if (error)
        fm_counters_close(thread);
    else
        thread->split = thread->seg->split = readable;
    return (int)-error;
}

void fm_counters_close(struct fm_counted_thread *thread)
{
    uint32_t n = thread->n;
    thread->split = 0;
    thread->n = 0;
    for (uint32_t i = 0; i < n; i++)
        fm_kernel(SYS_munmap, thread->pages[i], fm_counting.page_bytes);
    drop_descriptor(descriptor_of(thread));
}
