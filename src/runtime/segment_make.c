/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/segment_make.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/limits.h"
#include "base/platform.h"
#include "base/settings.h"
#include "format/segment_header.h"
#include "generated/routines.h"
#include "runtime/counters/state.h"

static uint64_t wanted_bytes(void)
{
    const char *text = getenv("FATHOM_MEMORY");
    uint64_t bytes = FM_SEGMENT_DEFAULT_BYTES;
    if (text && *text)
        fm_setting_memory(text, &bytes);
    if (bytes < FM_SEGMENT_MIN_BYTES)
        return FM_SEGMENT_MIN_BYTES;
    return bytes > FM_SEGMENT_MAX_BYTES ? FM_SEGMENT_MAX_BYTES : bytes & ~(uint64_t)0xffff;
}

/* The processes of a host use at most a quarter of the free space together. Returns 0 if not even the smallest segment
 * fits. */
static uint64_t affordable_bytes(const char *directory, uint64_t wanted, int neighbours)
{
    struct statvfs fs;
    if (statvfs(directory, &fs) != 0)
        return 0;
    uint64_t share = (uint64_t)fs.f_bavail * fs.f_frsize / 4 / (uint64_t)(neighbours > 0 ? neighbours : 1);
    while (wanted > share && wanted > FM_SEGMENT_MIN_BYTES)
        wanted = wanted / 2 < FM_SEGMENT_MIN_BYTES ? FM_SEGMENT_MIN_BYTES : wanted / 2;
    while (wanted > FM_SEGMENT_MIN_BYTES && !fm_file_may_reach(wanted))
        wanted /= 2;
    return wanted <= share && wanted >= FM_SEGMENT_MIN_BYTES && fm_file_may_reach(wanted) ? wanted : 0;
}

void fm_segment_file_name(char path[FM_FILE_PATH_BYTES], const char *directory, const char *job_key)
{
    snprintf(path, FM_FILE_PATH_BYTES, "%.3800s/%.72s.%d.%llu.%llu" FM_SEGMENT_SUFFIX, directory, job_key,
             (int)fm_rt.pid, (unsigned long long)fm_process_start_time(fm_rt.pid),
             (unsigned long long)fm_pid_namespace());
}

/* For example a shell that did nothing measurable before it replaced itself with the program by exec. */
static bool is_empty_segment(const struct fm_segment_header *h)
{
    return h->flags & FM_FLAG_NO_MPI && h->n_entries == 0 && h->n_regions <= 1 && h->n_timers == 0;
}

static bool mark_replaced(int fd)
{
    uint32_t leave = FM_LEAVE_EXEC;
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    return pwrite(fd, &leave, sizeof leave, offsetof(struct fm_segment_header, leave)) == sizeof leave &&
           pwrite(fd, &now, sizeof now, offsetof(struct fm_segment_header, ended_mono_ns)) == sizeof now;
}

/* A segment with our own pid and start time was left by the program that exec replaced. It is marked as such and
 * renamed for the collector, or removed if it is empty. */
static bool move_aside(const char *path)
{
    struct fm_segment_header header;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, &header, sizeof header, 0);
    bool read = n > 0 && !fm_segment_header_read(&header, &header, (size_t)n),
         empty = read && is_empty_segment(&header);
    /* never write to a file that is not in our format */
    bool marked = !empty && (!read || header.leave == FM_LEAVE_FINALIZE || mark_replaced(fd));
    close(fd);
    if (empty)
        return unlink(path) == 0;
    char aside[FM_FILE_PATH_BYTES];
    size_t stem = strlen(path) - strlen(FM_SEGMENT_SUFFIX);
    for (int i = 1; marked && i < 1000; i++) {
        snprintf(aside, sizeof aside, "%.*s.%d" FM_SEGMENT_SUFFIX, (int)stem, path, i);
        if (access(aside, F_OK) != 0)
            return rename(path, aside) == 0;
    }
    return false;
}

static void close_file(void)
{
    fm_atomic_file_discard(&fm_rt.segment_file);
    close(fm_rt.segment_file.fd);
    fm_rt.segment_file.fd = -1;
}

/* posix_fallocate reserves the pages, so that a later access cannot fault. If the tmpfs is full, it fails here,
 * cleanly. */
static void *map_file(const char *path, uint64_t bytes)
{
    if (!fm_atomic_file_open(&fm_rt.segment_file, path, 0600, true))
        return NULL;
    void *map = MAP_FAILED;
    fchmod(fm_rt.segment_file.fd, 0600); /* regardless of the umask: collectors must be able to open it */
    errno = posix_fallocate(fm_rt.segment_file.fd, 0, (off_t)bytes);
    if (errno == 0)
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fm_rt.segment_file.fd, 0);
    if (map != MAP_FAILED)
        return map;
    close_file();
    return NULL;
}

static void *map_in(const char *directory, const char *job_key, uint64_t wanted, int neighbours, uint64_t *bytes)
{
    if (fm_node_directory_make(directory, NULL) != FM_OK)
        return NULL;
    *bytes = affordable_bytes(directory, wanted, neighbours);
    for (; *bytes >= FM_SEGMENT_MIN_BYTES; *bytes /= 2) {
        fm_segment_file_name(fm_rt.path, directory, job_key);
        void *map = map_file(fm_rt.path, *bytes);
        if (map) {
            snprintf(fm_rt.directory, sizeof fm_rt.directory, "%s", directory);
            return map;
        }
        if (errno != ENOSPC && errno != EFBIG)
            break;
    }
    return NULL;
}

static void *map_segment(const char *job_key, int neighbours, uint64_t *bytes, uint32_t *flags)
{
    uint64_t wanted = wanted_bytes();
    char directory[FM_FILE_PATH_BYTES];
    fm_node_directory(directory);
    void *map = map_in(directory, job_key, wanted, neighbours, bytes);
    if (!map) {
        fm_node_fallback_directory(directory);
        map = map_in(directory, job_key, wanted, neighbours, bytes);
        *flags |= FM_FLAG_FALLBACK_DIR;
    }
    if (fm_node_directory_refused(NULL))
        *flags = (*flags & ~FM_FLAG_FALLBACK_DIR) | FM_FLAG_OTHER_DIR;
    if (!map) {
        *bytes = wanted;
        fm_rt.path[0] = fm_rt.directory[0] = 0;
        *flags = (*flags & ~(FM_FLAG_FALLBACK_DIR | FM_FLAG_OTHER_DIR)) | FM_FLAG_ANONYMOUS;
        map = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED)
            return NULL;
    }
    if (*bytes < wanted)
        *flags |= FM_FLAG_SMALLER;
    return map;
}

static uint64_t place(struct fm_segment_header *h, enum fm_segment_section_id id, uint64_t offset, uint64_t capacity,
                      uint64_t item_bytes)
{
    h->sections[id] = (struct fm_segment_section){offset, (uint32_t)capacity, (uint32_t)item_bytes};
    return (offset + capacity * item_bytes + 63) & ~(uint64_t)63;
}

static uint64_t power_of_two_below(uint64_t value)
{
    return 1ull << (63 - __builtin_clzll(value));
}

static uint64_t min(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

/* About half of a segment is for the table of events. A good part stays free for future kinds of data. */
static void lay_out(struct fm_segment_header *h, uint64_t bytes)
{
    uint64_t entries = bytes / 2 / sizeof(struct fm_entry);
    uint64_t requests = power_of_two_below(bytes / 24 / sizeof(struct fm_request));
    uint64_t at = (sizeof *h + 63) & ~(uint64_t)63;
    at = place(h, FM_SECTION_TEXT, at, min(bytes / 64, 65536), 1);
    at = place(h, FM_SECTION_MODULES, at, bytes >= 2 << 20 ? 512 : 128, sizeof(struct fm_segment_module));
    uint64_t regions = bytes >= 1 << 20 ? 512 : bytes / 4096;
    at = place(h, FM_SECTION_REGIONS, at, regions, sizeof(struct fm_segment_region));
    at = place(h, FM_SECTION_THREADS, at, bytes >= 2 << 20 ? FM_THREAD_SLOTS : 32, sizeof(struct fm_segment_thread));
    at = place(h, FM_SECTION_INDEX, at, power_of_two_below(entries) * 8, sizeof(uint32_t));
    at = place(h, FM_SECTION_ENTRIES, at, entries, sizeof(struct fm_entry));
    at = place(h, FM_SECTION_REQUESTS, at, requests, sizeof(struct fm_request));
    at = place(h, FM_SECTION_SNAPSHOTS, at, bytes >= 2 << 20 ? 16 : 4, sizeof(struct fm_segment_snapshot));
    at = place(h, FM_SECTION_TIMERS, at, bytes >= 4 << 20 ? FM_TIMERS : 64, sizeof(struct fm_segment_timer));
    at = place(h, FM_SECTION_TIMINGS, at, min(bytes / 8 / sizeof(struct fm_segment_timing), UINT16_MAX),
               sizeof(struct fm_segment_timing));
    at = place(h, FM_SECTION_TIMER_BINS, at, min(bytes / 24 / sizeof(struct fm_segment_bins), UINT16_MAX),
               sizeof(struct fm_segment_bins));
    at = place(h, FM_SECTION_SEQUENCE, at, 1, sizeof(struct fm_segment_sequence));
    at = place(h, FM_SECTION_ROUTINES, at, FM_ROUTINES_ADDED_BYTES, 1);
    at = place(h, FM_SECTION_SUCCESSIONS, at, bytes >= 2 << 20 ? 512 : 64, sizeof(struct fm_segment_succession));
    at = place(h, FM_SECTION_FILES, at, bytes >= 512 << 10 ? min(bytes / 32768, 256) : 2,
               sizeof(struct fm_segment_file));
    at = place(h, FM_SECTION_COUNTERS, at, bytes >= 512 << 10 ? min(bytes / 32768, FM_COUNTED_THREADS) : 4,
               sizeof(struct fm_segment_counters));
    /* in a small segment the remaining space; an index takes at most a quarter of the size of its table */
    uint64_t paths = min(bytes / 12, (bytes - at) * 3 / 4) / sizeof(struct fm_segment_path);
    at = place(h, FM_SECTION_PATHS, at, paths, sizeof(struct fm_segment_path));
    place(h, FM_SECTION_PATH_INDEX, at, 2 * power_of_two_below(paths), sizeof(uint32_t));
}

bool fm_segment_make(const char *job_key, int neighbours)
{
    uint64_t bytes = 0;
    uint32_t flags = 0;
    fm_rt.segment_file.fd = -1;
    struct fm_segment_header *h = map_segment(job_key, neighbours, &bytes, &flags);
    if (!h)
        return false;
    h->version = FM_SEGMENT_VERSION;
    h->header_bytes = sizeof *h;
    h->segment_bytes = bytes;
    h->flags = flags;
    snprintf(h->job_key, sizeof h->job_key, "%s", job_key);
    lay_out(h, bytes);
    memcpy(fm_section(h, FM_SECTION_ROUTINES), fm_routines_added, FM_ROUTINES_ADDED_BYTES);
    h->n_text = 1; /* offset 0 means "no text" */
    h->n_regions = 1;
    fm_rt.segment = h;
    fm_rt.entries = fm_section(h, FM_SECTION_ENTRIES);
    fm_rt.entries_capacity = h->sections[FM_SECTION_ENTRIES].capacity;
    fm_rt.index = fm_section(h, FM_SECTION_INDEX);
    fm_rt.index_mask = fm_rt.fast_mask = h->sections[FM_SECTION_INDEX].capacity - 1;
    fm_rt.timer_bins = fm_section(h, FM_SECTION_TIMER_BINS);
    fm_rt.successions = fm_section(h, FM_SECTION_SUCCESSIONS);
    fm_rt.requests = fm_section(h, FM_SECTION_REQUESTS);
    fm_rt.request_bucket_mask = h->sections[FM_SECTION_REQUESTS].capacity / FM_REQUEST_BUCKET - 1;
    return true;
}

static bool publish(struct fm_atomic_file *made)
{
    return fm_atomic_file_publish(made, fm_rt.path, false) ||
           (errno == EEXIST && move_aside(fm_rt.path) && fm_atomic_file_publish(made, fm_rt.path, false));
}

/* If an unnamed file cannot be given a name (a security module forbids links), copies the segment to a file that had a
 * temporary name from the beginning, which replaces the old mapping at the same address. */
static bool publish_copy(struct fm_segment_header *h)
{
    struct fm_atomic_file other = {.fd = -1};
    size_t bytes = h->segment_bytes;
    if (fm_rt.segment_file.named || !fm_atomic_file_open(&other, fm_rt.path, 0600, false))
        return false;
    void *map = MAP_FAILED;
    if (posix_fallocate(other.fd, 0, (off_t)bytes) == 0)
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, other.fd, 0);
    bool named = map != MAP_FAILED && memcpy(map, h, bytes) && publish(&other);
    if (!named)
        fm_atomic_file_discard(&other);
    close(other.fd);
    /* direct system call: MPI libraries have an mremap that drops the address argument */
    if (named && fm_kernel(SYS_mremap, map, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, h) == (long)h)
        return true;
    if (named)
        unlink(fm_rt.path);
    if (map != MAP_FAILED)
        munmap(map, bytes);
    return false;
}

void fm_segment_publish(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    memcpy(h->magic, FM_SEGMENT_MAGIC, sizeof h->magic);
    h->state = FM_STATE_RUNNING;
    if (fm_rt.segment_file.fd < 0)
        return;
    bool named = publish(&fm_rt.segment_file) || (errno != EEXIST && publish_copy(h));
    close_file();
    if (named)
        return;
    fm_rt.path[0] = fm_rt.directory[0] = 0; /* the mapping stays, but no other process will read it */
    h->flags = (h->flags & ~(uint32_t)(FM_FLAG_FALLBACK_DIR | FM_FLAG_OTHER_DIR)) | FM_FLAG_ANONYMOUS;
}

void fm_segment_rekey(const char *job_key)
{
    char path[FM_FILE_PATH_BYTES];
    if (fm_rt.path[0]) {
        fm_segment_file_name(path, fm_rt.directory, job_key);
        if (rename(fm_rt.path, path) != 0)
            return;
        memcpy(fm_rt.path, path, sizeof path);
    }
    snprintf(fm_rt.segment->job_key, sizeof fm_rt.segment->job_key, "%s", job_key);
}
