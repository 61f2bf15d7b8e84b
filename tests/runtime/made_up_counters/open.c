/* Instead of src/runtime/counters/open.c: a processor with counters that the program itself advances. The pages of the
 * events are those of the file $MADE_UP_COUNTERS.PID, one after the other, which the program fills in as the kernel
 * would. Threads other than the first count nothing. */
#define _GNU_SOURCE
#include "runtime/counters/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int fm_counters_probe(struct fm_perf_events *events, struct fm_perf_event *dropped)
{
    (void)dropped;
    return events->n ? 0 : ENOENT;
}

int fm_counters_open(struct fm_counted_thread *thread, int32_t tid)
{
    char path[4096];
    const char *prefix = getenv("MADE_UP_COUNTERS");
    bool first = !tid && gettid() == getpid();
    snprintf(path, sizeof path, "%s.%d", prefix ? prefix : "", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ENOENT;
    for (size_t i = 0; i < fm_counting.events.n; i++) {
        void *page = mmap(NULL, 4096, PROT_READ, first ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, first ? fd : -1,
                          first ? (off_t)i * 4096 : 0);
        if (page == MAP_FAILED)
            abort();
        thread->pages[i] = page;
    }
    close(fd);
    thread->n = thread->split = thread->seg->split = (uint32_t)fm_counting.events.n;
    return 0;
}

void fm_counters_close(struct fm_counted_thread *thread)
{
    thread->n = thread->split = 0;
}

void fm_counters_close_inherited(void)
{
}

int fm_counters_descriptor(const struct fm_counted_thread *thread)
{
    (void)thread;
    return -1;
}
