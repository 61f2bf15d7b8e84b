/* Counters of a processor that the program itself advances, for the library of tests/runtime/made_up_counters. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MADE_UP_PAGE = 4096, MADE_UP_NS = 4000 };
static volatile struct perf_event_mmap_page *made_up_pages[8];

/* Before MPI_Init, from which on the library reads them. */
static inline void make_counters(int n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", getenv("MADE_UP_COUNTERS"), (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)n * MADE_UP_PAGE))
        exit(9);
    for (int i = 0; i < n; i++) {
        void *page = mmap(NULL, MADE_UP_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)i * MADE_UP_PAGE);
        if (page == MAP_FAILED)
            exit(9);
        made_up_pages[i] = page;
        made_up_pages[i]->time_enabled = made_up_pages[i]->time_running = MADE_UP_NS;
    }
    close(fd);
}

/* It was counted half of the time. */
static inline void halve_counter(int counter)
{
    made_up_pages[counter]->time_running = MADE_UP_NS / 2;
}

static inline void advance_counter(int counter, int64_t n)
{
    made_up_pages[counter]->lock++;
    made_up_pages[counter]->offset += n;
    made_up_pages[counter]->lock++;
}
