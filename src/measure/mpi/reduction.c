#define _GNU_SOURCE
#include "measure/mpi/reduction.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/mpi/abi.h"
#include "measure/print.h"
#include "measure/runtime.h"

/* ---- the job's file on this host ---- */

static struct fm_job_file *map_job_file(const char *path)
{
    struct fm_job_file *job = MAP_FAILED;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return NULL;
    if (posix_fallocate(fd, 0, sizeof *job) == 0)
        job = mmap(NULL, sizeof *job, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return job == MAP_FAILED ? NULL : job;
}

/* Whoever comes first makes it; all write the same words into it. */
static void open_job_file(void)
{
    const struct fm_segment_header *h = fm_rt.segment;
    char path[FM_PATH_BYTES];
    if (!fm_rt.path[0])
        return;
    snprintf(path, sizeof path, "%.4000s/%s" FM_JOB_SUFFIX, fm_rt.directory, h->job_key);
    fm_rt.job = map_job_file(path);
    if (!fm_rt.job)
        return;
    fm_rt.job->version = FM_SEGMENT_VERSION;
    fm_rt.job->local_size = (uint32_t)h->local_size;
    memcpy(fm_rt.job->boot_id, h->boot_id, sizeof fm_rt.job->boot_id);
    memcpy(fm_rt.job->magic, FM_JOB_MAGIC, sizeof fm_rt.job->magic);
    __atomic_fetch_add(&fm_rt.job->started, 1, __ATOMIC_ACQ_REL);
}

void fm_reduction_prepare(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (h->world_size == 1) {
        h->flags |= FM_FLAG_SINGLE_NODE;
        h->local_size = 1;
    }
    if (h->flags & FM_FLAG_SINGLE_NODE)
        open_job_file();
}

/* ---- merging ---- */

/* Some of the job's segments may lie in the other directory, where /dev/shm had no room for all. */
static struct fm_profile *merge_host(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_profile *profile = NULL;
    if (fm_node_merge(fm_rt.directory, h->job_key, h, h->segment_bytes, false, &profile, NULL) != FM_OK)
        return NULL;
    if (profile->n_processes == (size_t)h->local_size)
        return profile;
    fm_profile_destroy(profile);
    return NULL;
}

static void write_profile(struct fm_profile *profile)
{
    char path[FM_PATH_BYTES];
    if (fm_node_finish(fm_rt.directory, profile, path, NULL) == FM_OK) {
        if (fm_rt.job)
            __atomic_store_n(&fm_rt.job->merged, 1, __ATOMIC_RELEASE);
        fm_print_report(path);
    }
}

void fm_reduction_run(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    uint64_t before = fm_clock_ns(CLOCK_MONOTONIC);
    h->leave = FM_LEAVE_FINALIZE;
    fm_runtime_note_end();
    h->state = FM_STATE_FINALIZING;
    h->finish_ns = fm_clock_ns(CLOCK_MONOTONIC) - before;
    bool last = h->local_size == 1;
    if (fm_rt.job)
        last = __atomic_add_fetch(&fm_rt.job->entered, 1, __ATOMIC_ACQ_REL) == (uint32_t)h->local_size;
    if (!(h->flags & FM_FLAG_SINGLE_NODE) || !last)
        return;
    struct fm_profile *profile = merge_host();
    if (profile)
        write_profile(profile);
    fm_profile_destroy(profile);
}
