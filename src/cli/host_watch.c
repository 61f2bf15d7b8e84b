/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/host_watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/host.h"
#include "collect/node_files.h"
#include "format/segment_header.h"

struct fm_host_watch {
    const char *run_id;
    char boot_id[40]; /* a shared directory has segments of other hosts */
    int fd;
    bool locked;
    uint64_t least_bytes;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopping;
};

/* A change of less than this is not worth writing. */
static bool is_less(uint64_t bytes, uint64_t than)
{
    return !than || bytes < than - than / 128;
}

static bool note_least(void *context, const struct fm_node_file *file)
{
    const struct fm_host_watch *watch = context;
    const struct fm_segment_header *header = &file->header;
    if (!file->readable || strcmp(header->run_id, watch->run_id) != 0 || strcmp(header->boot_id, watch->boot_id) != 0 ||
        !FM_SEGMENT_HAS(header, seen_available_bytes) || !is_less(watch->least_bytes, header->seen_available_bytes))
        return true;
    int fd = openat(file->directory_fd, file->file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return true;
    ssize_t n = pwrite(fd, &watch->least_bytes, sizeof watch->least_bytes,
                       offsetof(struct fm_segment_header, seen_available_bytes));
    (void)n; /* without it the host has what its processes have seen */
    close(fd);
    return true;
}

/* The lock ends with the process that has it. */
static bool is_ours(struct fm_host_watch *watch)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (watch->fd < 0)
        return true;
    return watch->locked = watch->locked || fcntl(watch->fd, F_OFD_SETLK, &lock) == 0;
}

static void look(struct fm_host_watch *watch)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    uint64_t bytes = fm_host_available("");
    if (!bytes)
        return;
    watch->least_bytes = !watch->least_bytes || bytes < watch->least_bytes ? bytes : watch->least_bytes;
    size_t n = fm_node_directories(directories);
    for (size_t i = 0; i < n; i++)
        fm_node_visit(directories[i], NULL, note_least, watch, NULL);
}

static void *run(void *context)
{
    struct fm_host_watch *watch = context;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    pthread_mutex_lock(&watch->lock);
    while (!watch->stopping) {
        next.tv_sec++;
        while (!watch->stopping && pthread_cond_timedwait(&watch->changed, &watch->lock, &next) == 0)
            ;
        if (!watch->stopping && is_ours(watch))
            look(watch);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

/* All signals are for the main thread, which passes them on to the command. */
static bool start_thread(struct fm_host_watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&watch->thread, NULL, run, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct fm_host_watch *fm_host_watch_start(const char *run_id, int fd)
{
    struct fm_host_watch *watch = calloc(1, sizeof *watch);
    pthread_condattr_t clock;
    if (!watch)
        return NULL;
    watch->run_id = run_id;
    fm_boot_id(watch->boot_id);
    watch->fd = fd;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (start_thread(watch))
        return watch;
    free(watch);
    return NULL;
}

void fm_host_watch_stop(struct fm_host_watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->stopping = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
