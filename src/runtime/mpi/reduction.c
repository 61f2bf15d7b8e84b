/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/mpi/reduction.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "collect/node_files.h"
#include "merge/notes.h"
#include "runtime/end.h"
#include "runtime/headroom.h"
#include "runtime/job.h"
#include "runtime/messages.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/leaders.h"
#include "runtime/print.h"
#include "runtime/runtime.h"

/* Several hosts without leaders: each host writes its part, and the parts are merged into one file if the hosts share a
 * directory. With more than a few hosts that would take too long, and their segments are left to the collector. */
enum { MAX_PARTS = 64 };

/* ---- the job's file on this host ---- */

/* The program's signals, and samples, may interrupt it. */
static bool reserve(int fd, off_t bytes)
{
    int error;
    do
        error = posix_fallocate(fd, 0, bytes);
    while (error == EINTR);
    return error == 0;
}

static struct fm_job_file *map_job_file(const char *path)
{
    struct fm_job_file *job = MAP_FAILED;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return NULL;
    fchmod(fd, 0600); /* whatever the umask: the other processes must be able to open it */
    if (fm_file_may_reach(sizeof *job) && reserve(fd, sizeof *job))
        job = mmap(NULL, sizeof *job, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return job == MAP_FAILED ? NULL : job;
}

static struct fm_job_file *job_file_in(const char *directory)
{
    char path[FM_FILE_PATH_BYTES];
    if (fm_node_directory_make(directory, NULL) != FM_OK)
        return NULL;
    snprintf(path, sizeof path, "%.3800s/%s" FM_JOB_SUFFIX, directory, fm_rt.segment->job_key);
    return map_job_file(path);
}

/* The first process creates it; all write the same contents. It is in the usual directory even if there was no room for
 * our own segment there: the other processes must find it. */
static void open_job_file(void)
{
    const struct fm_segment_header *h = fm_rt.segment;
    char directory[FM_FILE_PATH_BYTES];
    if (!fm_rt.path[0])
        return;
    fm_node_directory(directory);
    fm_rt.job = job_file_in(directory);
    if (!fm_rt.job) {
        fm_node_fallback_directory(directory);
        fm_rt.job = job_file_in(directory);
    }
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
    struct fm_job_place place;
    fm_job_find(&place, false);
    if (h->world_size == 1) {
        h->flags |= FM_FLAG_SINGLE_NODE;
        h->local_size = 1;
    }
    bool one_host = h->flags & FM_FLAG_SINGLE_NODE;
    fm_rt.mpi.by_host = !one_host && !(place.all_measured && fm_leaders_make(fm_rt.path[0]));
    if (!fm_rt.mpi.by_host || (h->local_size > 0 && h->world_size / h->local_size <= MAX_PARTS))
        open_job_file();
}

void fm_reduction_stand_aside(void)
{
    struct fm_job_place place;
    int size = 0;
    if (!fm_job_all_measured())
        return;
    fm_job_find(&place, false);
    if (place.all_measured && !place.single_node && fm_abi.pmpi.Comm_size(fm_abi.comm_world, &size) == 0 && size > 1)
        fm_leaders_make(false);
}

/* ---- merging ---- */

/* There are more processes than ranks if a rank has replaced itself by another program (exec). */
static struct fm_profile *merge_host(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_profile *profile = NULL;
    if (fm_node_merge(fm_rt.directory, h->job_key, h, h->segment_bytes, false, &profile, NULL) != FM_OK)
        return NULL;
    if (profile->n_processes >= (size_t)h->local_size)
        return profile;
    fm_profile_destroy(profile);
    return NULL;
}

static bool finish(const char *directory, struct fm_profile *profile, char path[FM_FILE_PATH_BYTES])
{
    struct fm_error error = {0};
    bool written = fm_node_finish(directory, profile, true, path, &error) == FM_OK;
    if (error.status != FM_OK)
        fm_messages_output(&error, written ? path : NULL);
    return written;
}

static bool write_profile(struct fm_profile *profile)
{
    char path[FM_FILE_PATH_BYTES];
    if (!finish(fm_rt.directory, profile, path))
        return false;
    if (fm_rt.job)
        __atomic_store_n(&fm_rt.job->merged, 1, __ATOMIC_RELEASE);
    fm_print_report(path);
    return true;
}

static void reduce_one_host(void)
{
    struct fm_profile *profile = merge_host();
    if (profile && (!fm_rt.mpi.by_host || (fm_profile_note_part(profile) &&
                                           fm_profile_add_missing(profile, (uint32_t)fm_rt.segment->world_size))))
        write_profile(profile);
    fm_profile_destroy(profile);
}

/* Whether a process of this host has ended without entering MPI_Finalize: then there is no point in waiting for it. */
static bool any_vanished(void)
{
    struct fm_node_list list = {0};
    bool gone = true;
    if (fm_node_scan(fm_rt.directory, fm_rt.segment->job_key, NULL, &list, NULL) == FM_OK) {
        gone = list.n < (size_t)fm_rt.segment->local_size;
        for (size_t i = 0; i < list.n; i++)
            gone |= !list.items[i].alive && list.items[i].state == FM_STATE_RUNNING;
    }
    fm_node_list_destroy(&list);
    return gone;
}

/* Waits without a timeout, like the real MPI_Finalize. Returns false if a process has vanished. */
static bool wait_for_host(void)
{
    struct timespec pause = {0, 200000};
    uint64_t checked = fm_clock_ns(CLOCK_MONOTONIC);
    while (__atomic_load_n(&fm_rt.job->entered, __ATOMIC_ACQUIRE) < (uint32_t)fm_rt.segment->local_size) {
        nanosleep(&pause, NULL);
        fm_leaders_progress();
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        if (now - checked > 1000000000u) {
            if (any_vanished())
                return false;
            checked = now;
        }
    }
    return true;
}

static void reduce_many_hosts(void)
{
    struct fm_profile *profile = fm_rt.job && wait_for_host() ? merge_host() : NULL;
    bool written = fm_leaders_reduce(profile) && fm_profile_add_missing(profile, (uint32_t)fm_rt.segment->world_size) &&
                   write_profile(profile);
    if (fm_leaders_agree(written) && profile)
        fm_node_remove(fm_rt.directory, profile);
    fm_profile_destroy(profile);
}

/* There was no directory for our segment and no other process can read it: each process adds itself to the profile. The
 * file name is made only of what all of them know. */
static void add_own_process(void)
{
    const struct fm_segment_header *h = fm_rt.segment;
    struct fm_profile *profile = NULL;
    char path[FM_FILE_PATH_BYTES];
    if (fm_node_merge(NULL, h->job_key, h, h->segment_bytes, false, &profile, NULL) != FM_OK)
        return;
    if (h->world_size > 1)
        profile->job.id = profile->job.key;
    if (finish(NULL, profile, path) && h->world_size == 1)
        fm_print_report(path);
    fm_profile_destroy(profile);
}

void fm_reduction_without_mpi(void)
{
    const struct fm_segment_header *h = fm_rt.segment;
    struct fm_profile *profile = NULL;
    fm_messages_settings(0);
    if (h->flags & FM_FLAG_ANONYMOUS)
        add_own_process();
    else if (fm_node_merge(fm_rt.directory, h->job_key, h, h->segment_bytes, false, &profile, NULL) == FM_OK)
        write_profile(profile);
    fm_profile_destroy(profile);
}

/* Only MPI may be used, or there is not enough stack: the segments of this host are left to the others, to `fathom run`
 * or to the collector. But other leaders wait for this one. */
static void contribute_nothing(void)
{
    if (!fm_leaders_am_one())
        return;
    fm_leaders_never_sleep();
    fm_leaders_reduce(NULL);
    fm_leaders_agree(false);
}

/* Number of processes of this host that have entered MPI_Finalize, including this one; 0 if unknown. */
static uint32_t enter_finalize(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    h->leave = FM_LEAVE_FINALIZE;
    fm_runtime_note_end();
    h->state = FM_STATE_FINALIZING;
    return fm_rt.job ? __atomic_add_fetch(&fm_rt.job->entered, 1, __ATOMIC_ACQ_REL) : 0;
}

void fm_reduction_run(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (fm_syscalls_forbidden() || !fm_stack_has_headroom()) {
        enter_finalize();
        contribute_nothing();
        return;
    }
    uint64_t before = fm_clock_ns(CLOCK_MONOTONIC);
    uint32_t entered = enter_finalize();
    h->finish_ns = fm_clock_ns(CLOCK_MONOTONIC) - before;
    if (fm_leaders_am_one())
        reduce_many_hosts();
    else if ((fm_rt.mpi.by_host || (h->flags & FM_FLAG_SINGLE_NODE)) && fm_rt.job && entered == (uint32_t)h->local_size)
        reduce_one_host();
    if (h->flags & FM_FLAG_ANONYMOUS)
        add_own_process();
}
