#include "collect/synthetic_hosts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/encode.h"
#include "merge/merge.h"
#include "mpi/rank_tree.h"

struct reduction {
    const struct fm_synthetic *job;
    const char *directory;
    size_t segment_bytes;
    int leaders;
    struct fm_reduction_times *times;
};

/* The part of a leader and of those below it. */
struct message {
    void *bytes;
    size_t size;
    double ready; /* when it is passed up */
};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Adds what has passed since `then` to *sum, and returns it. */
static double lap(double *sum, double then)
{
    double passed = cpu_seconds() - then;
    *sum += passed;
    return passed;
}

static void check(enum fm_status status, const struct fm_error *error)
{
    if (status == FM_OK)
        return;
    fprintf(stderr, "synthetic hosts: %s\n", error->text);
    exit(1);
}

/* ---- segments ---- */

void fm_segment_file_path(const char *directory, const struct fm_segment_header *segment, char path[FM_FILE_PATH_BYTES])
{
    snprintf(path, FM_FILE_PATH_BYTES, "%.3800s/%s.%d.%llu.%llu" FM_SEGMENT_SUFFIX, directory, segment->job_key,
             segment->pid, (unsigned long long)segment->start_time, (unsigned long long)segment->pid_namespace);
}

void fm_write_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
}

static struct fm_segment_header *make_segment(const struct reduction *reduction, uint32_t rank)
{
    struct fm_segment_header *segment = aligned_alloc(64, reduction->segment_bytes);
    memset(segment, 0, reduction->segment_bytes);
    fm_synthetic_segment(reduction->job, rank, segment);
    segment->segment_bytes = reduction->segment_bytes;
    return segment;
}

/* All segments of a host; that of its leader stays in memory, too. */
static struct fm_segment_header *make_segments(const struct reduction *reduction, uint32_t first, uint32_t end)
{
    struct fm_segment_header *own = NULL;
    char path[FM_FILE_PATH_BYTES];
    for (uint32_t rank = first; rank < end; rank++) {
        struct fm_segment_header *segment = make_segment(reduction, rank);
        fm_segment_file_path(reduction->directory, segment, path);
        fm_write_file(path, segment, reduction->segment_bytes);
        if (rank == first)
            own = segment;
        else
            free(segment);
    }
    return own;
}

/* ---- leaders ---- */

/* The profile of the leader's host; *ready is when it is made. */
static struct fm_profile *host_part(const struct reduction *reduction, int leader, double *ready)
{
    uint32_t each = reduction->job->ranks_per_host, first = (uint32_t)leader * each, end = first + each;
    double then = cpu_seconds();
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (end > reduction->job->ranks)
        end = reduction->job->ranks;
    struct fm_segment_header *own = make_segments(reduction, first, end);
    lap(&reduction->times->make, then);
    then = cpu_seconds();
    check(fm_node_merge(reduction->directory, own->job_key, own, reduction->segment_bytes, false, &profile, &error),
          &error);
    *ready = lap(&reduction->times->hosts, then);
    then = cpu_seconds();
    if (profile->n_processes != end - first)
        check(fm_fail(&error, FM_ERR_INPUT, "%zu processes of %u", profile->n_processes, end - first), &error);
    fm_node_remove(reduction->directory, profile);
    free(own);
    lap(&reduction->times->make, then);
    return profile;
}

/* Uses up the message. */
static double add_message(const struct reduction *reduction, struct fm_profile *profile, struct message *message)
{
    struct fm_profile *part = NULL;
    struct fm_error error = {0};
    double then = cpu_seconds(), passed;
    check(fm_profile_decode(message->bytes, message->size, "a message from another host", &part, &error), &error);
    passed = lap(&reduction->times->messages, then);
    then = cpu_seconds();
    check(fm_profile_merge(profile, part, &error), &error);
    passed += lap(&reduction->times->merge, then);
    fm_profile_destroy(part);
    free(message->bytes);
    return passed;
}

static struct message encode(const struct reduction *reduction, const struct fm_profile *profile, double ready)
{
    struct fm_arena arena = {0};
    struct fm_error error = {0};
    struct message message = {0};
    const void *bytes;
    double then = cpu_seconds();
    check(fm_profile_encode_exact(profile, &arena, &bytes, &message.size, &error), &error);
    message.ready = ready + lap(&reduction->times->messages, then);
    message.bytes = malloc(message.size);
    memcpy(message.bytes, bytes, message.size);
    fm_arena_destroy(&arena);
    return message;
}

static struct fm_profile *reduce(const struct reduction *reduction, int leader, double *ready);

static struct message message_of(const struct reduction *reduction, int leader)
{
    double ready = 0;
    struct fm_profile *profile = reduce(reduction, leader, &ready);
    struct message message = encode(reduction, profile, ready);
    fm_profile_destroy(profile);
    return message;
}

/* The messages of its children, which are made first here, are added one after the other when they have come. */
static struct fm_profile *reduce(const struct reduction *reduction, int leader, double *ready)
{
    const struct fm_rank_tree tree = {.place = leader, .n = reduction->leaders};
    struct message messages[FM_RANK_TREE_CHILDREN];
    int n = 0;
    for (; n < FM_RANK_TREE_CHILDREN && fm_rank_tree_child(&tree, n) >= 0; n++)
        messages[n] = message_of(reduction, fm_rank_tree_child(&tree, n));
    struct fm_profile *profile = host_part(reduction, leader, ready);
    for (int i = 0; i < n; i++) {
        if (messages[i].ready > *ready)
            *ready = messages[i].ready;
        *ready += add_message(reduction, profile, &messages[i]);
    }
    return profile;
}

struct fm_profile *fm_reduce_synthetic(const struct fm_synthetic *job, const char *directory,
                                       struct fm_reduction_times *times)
{
    size_t bytes = (fm_synthetic_bytes(job) + 63) / 64 * 64;
    const struct reduction reduction = {.job = job,
                                        .directory = directory,
                                        .segment_bytes = bytes > FM_SEGMENT_MIN_BYTES ? bytes : FM_SEGMENT_MIN_BYTES,
                                        .leaders = (int)((job->ranks + job->ranks_per_host - 1) / job->ranks_per_host),
                                        .times = times};
    double ready = 0;
    struct fm_profile *profile = reduce(&reduction, 0, &ready);
    times->root += ready;
    return profile;
}
