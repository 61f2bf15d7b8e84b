/* A made-up job on this host: its segments in a directory of the test, of processes that have ended. */
#ifndef TESTS_COLLECT_ONE_NODE_H
#define TESTS_COLLECT_ONE_NODE_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/node.h"
#include "collect/node_files.h"
#include "collect/synthetic_hosts.h"
#include "format/encode.h"
#include "tap.h"

static const struct fm_synthetic job = {
    .ranks = 4, .routines = 5, .sites = 6, .neighbours = 2, .ranks_per_host = 4, .regions = 2, .seed = 1};
enum { SEGMENT_BYTES = 512 << 10 };

static char top[FM_FILE_PATH_BYTES / 4], segments[FM_FILE_PATH_BYTES / 2], out[FM_FILE_PATH_BYTES / 2];
static struct fm_node_here here;
static pid_t dead_pid; /* of a process that has ended */
static uint64_t dead_start;

static inline char *in(const char *directory, const char *name)
{
    static char paths[4][FM_FILE_PATH_BYTES];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, FM_FILE_PATH_BYTES, "%s/%s", directory, name);
    return path;
}

static inline void empty(const char *directory)
{
    char command[2 * FM_FILE_PATH_BYTES + 32];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir -m 700 '%s'", directory, directory);
    if (system(command) != 0)
        exit(1);
}

static inline size_t count_files(const char *directory, const char *end)
{
    char command[FM_FILE_PATH_BYTES], text[32] = "";
    snprintf(command, sizeof command, "find '%s' -mindepth 1 -name '*%s' | wc -l", directory, end);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(text, sizeof text, pipe))
        exit(1);
    pclose(pipe);
    return (size_t)atoi(text);
}

/* The segment of a rank whose process was dead_pid + rank (there is none with that start time). */
static inline struct fm_segment_header *fresh(uint32_t rank)
{
    size_t bytes = fm_synthetic_bytes(&job);
    if (bytes > SEGMENT_BYTES)
        exit(1);
    struct fm_segment_header *header = aligned_alloc(64, SEGMENT_BYTES);
    memset(header, 0, SEGMENT_BYTES);
    fm_synthetic_segment(&job, rank, header);
    header->segment_bytes = SEGMENT_BYTES;
    memcpy(header->magic, FM_SEGMENT_MAGIC, sizeof header->magic);
    snprintf(header->boot_id, sizeof header->boot_id, "%s", here.boot_id);
    snprintf(header->host, sizeof header->host, "%s", here.host);
    snprintf(header->job_key, sizeof header->job_key, "job-1");
    snprintf(header->run_id, sizeof header->run_id, "run-1");
    header->pid_namespace = here.pid_namespace;
    header->pid = (int32_t)(dead_pid + (int)rank);
    header->start_time = dead_start;
    return header;
}

static inline char *segment_path(const struct fm_segment_header *header)
{
    static char path[FM_FILE_PATH_BYTES];
    fm_segment_file_path(segments, header, path);
    return path;
}

/* Writes the file and frees the segment. */
static inline void put(struct fm_segment_header *header)
{
    fm_write_file(segment_path(header), header, SEGMENT_BYTES);
    free(header);
}

static inline void put_all(void)
{
    empty(segments);
    for (uint32_t rank = 0; rank < job.ranks; rank++)
        put(fresh(rank));
}

static inline struct fm_profile *merge(bool for_collector)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_node_merge(segments, "job-1", NULL, 0, for_collector, &profile, &error) != FM_OK)
        printf("# %s\n", error.text);
    return profile;
}

static inline bool same(const struct fm_profile *a, const struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *bytes_a, *bytes_b;
    size_t size_a, size_b;
    bool equal = a && b && fm_profile_encode_exact(a, &arena, &bytes_a, &size_a, NULL) == FM_OK &&
                 fm_profile_encode_exact(b, &arena, &bytes_b, &size_b, NULL) == FM_OK && size_a == size_b &&
                 memcmp(bytes_a, bytes_b, size_a) == 0;
    fm_arena_destroy(&arena);
    return equal;
}

static inline uint64_t calls(const struct fm_profile *profile)
{
    uint64_t sum = 0;
    for (size_t i = 0; profile && i < profile->n_routines; i++)
        sum += profile->routines[i].stats.count;
    return sum;
}

/* Directories of its own, and a process that has ended. */
static inline void begin_node(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(top, sizeof top, "%.900s/node-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(top))
        exit(1);
    snprintf(segments, sizeof segments, "%s/segments", top);
    snprintf(out, sizeof out, "%s/out", top);
    empty(segments);
    empty(out);
    fm_node_here(&here);
    dead_pid = fork();
    if (dead_pid == 0) {
        pause();
        _exit(0);
    }
    dead_start = fm_process_start_time(dead_pid);
    kill(dead_pid, SIGKILL);
    waitpid(dead_pid, NULL, 0);
}

/* The exit status of the test. */
static inline int end_node(void)
{
    char command[FM_FILE_PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    return system(command) != 0 ? 1 : tap_done();
}

#endif
