/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the segments of one job on this host.
 *
 * Only the used parts of a segment are copied, into an anonymous mapping: for a segment of 4 MiB that is usually a few
 * hundred kilobytes, and what has been checked cannot change or be truncated afterwards. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/node_files.h"
#include "format/segment_header.h"
#include "merge/from_segment.h"
#include "merge/notes.h"
#include "merge/reduction_tree.h"

enum { MAX_MISSING_RANKS = 1 << 20 }; /* a hostile world size must not exhaust the memory */

struct node_merge {
    const char *directory, *job_key;
    struct fm_node_here here;
    const struct fm_segment_header *own;
    bool for_collector;
    uint64_t now_mono_ns;
    uint32_t world_size;
    size_t segments, damaged;
    struct fm_reduction_tree tree;
    enum fm_status status;
    struct fm_error *error;
    struct fm_error first_damage;
};

/* Bytes that cannot be read stay zero; fm_profile_from_segment checks what they mean. */
static void read_at(int fd, char *copy, uint64_t offset, uint64_t bytes)
{
    while (bytes > 0) {
        ssize_t n = pread(fd, copy + offset, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        offset += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
}

/* The copy has the layout of the segment, with the header of the build that wrote it. *header: the members that this
 * build knows. */
static void copy_used(const struct fm_node_file *file, char *copy, struct fm_segment_header *header)
{
    read_at(file->fd, copy, 0, file->header.header_bytes);
    memcpy(copy + offsetof(struct fm_segment_header, job_key), file->name.job_key,
           sizeof header->job_key); /* the file may have been renamed before the header was updated */
    if (fm_segment_header_read(header, copy, file->size) || !fm_segment_sections_fit(header))
        return;
    for (int id = 0; id < FM_SECTION_COUNT; id++) {
        const struct fm_segment_section *section = &header->sections[id];
        uint64_t bytes = (uint64_t)fm_segment_used(header, id) * section->item_bytes;
        if (section->offset <= file->size && bytes <= file->size - section->offset)
            read_at(file->fd, copy, section->offset, bytes);
    }
}

/* How the process ended, if more is known than the segment itself says; otherwise FM_END_UNKNOWN. */
static enum fm_end known_end(const struct fm_segment_header *header, bool dead, int *code)
{
    *code = 0;
    if (!dead)
        return FM_END_UNKNOWN;
    if (header->leave == FM_LEAVE_ABORT || header->leave == FM_LEAVE_EXEC)
        return FM_END_UNKNOWN; /* this is the cause; a wait status would only show its consequence */
    *code = header->seen_code;
    if (header->seen_end == FM_END_SIGNALLED)
        return FM_END_SIGNALLED;
    if (header->seen_end == FM_END_EXITED)
        return header->leave == FM_LEAVE_FINALIZE || header->flags & FM_FLAG_NO_MPI ? FM_END_FINALIZED : FM_END_EXITED;
    *code = 0;
    return header->leave == FM_LEAVE_UNKNOWN ? FM_END_VANISHED : FM_END_UNKNOWN;
}

static void note_damage(struct node_merge *merging, const struct fm_error *error)
{
    if (merging->damaged++ == 0)
        merging->first_damage = *error;
}

/* header: that of the segment `bytes`, in the layout of this build. */
static enum fm_status add_bytes(struct node_merge *merging, const struct fm_segment_header *header, const void *bytes,
                                size_t size, const char *origin, bool dead)
{
    struct fm_profile *profile;
    struct fm_error error = {0};
    int code = 0;
    enum fm_end end = merging->for_collector ? known_end(header, dead, &code) : FM_END_UNKNOWN;
    uint64_t now = dead ? 0 : merging->now_mono_ns;
    enum fm_status status = fm_profile_from_segment(&merging->tree.spare, bytes, size, origin, end, code, now, &profile,
                                                    &error);
    if (status == FM_ERR_INPUT) {
        note_damage(merging, &error);
        return FM_OK;
    }
    if (status != FM_OK) {
        if (merging->error)
            *merging->error = error;
        return status;
    }
    if (header->world_size > 0 && (uint32_t)header->world_size > merging->world_size)
        merging->world_size = (uint32_t)header->world_size;
    merging->segments++;
    return fm_reduction_tree_add(&merging->tree, profile, merging->error);
}

static bool is_own(const struct node_merge *merging, const struct fm_segment_name *name)
{
    const struct fm_segment_header *own = merging->own;
    return own && !name->replaced && own->pid == name->pid && own->start_time == name->start_time &&
           own->pid_namespace == name->pid_namespace;
}

/* In a directory shared by several hosts: in MPI_Finalize each host merges its own segments. */
static bool is_for_another_host(const struct node_merge *merging, const struct fm_node_file *file)
{
    return merging->own && file->readable && strcmp(file->header.host, merging->own->host) != 0;
}

static bool add_file(void *context, const struct fm_node_file *file)
{
    struct node_merge *merging = context;
    char origin[FM_FILE_PATH_BYTES];
    snprintf(origin, sizeof origin, "%.3000s/%s", file->directory, file->file);
    if (is_own(merging, &file->name) || is_for_another_host(merging, file))
        return true;
    if (!file->readable) {
        struct fm_error error;
        fm_fail(&error, FM_ERR_INPUT, "%s: %s", origin, file->why);
        note_damage(merging, &error);
        return true;
    }
    void *copy = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) {
        merging->status = fm_fail(merging->error, FM_ERR_MEMORY, "not enough memory to read %s", origin);
        return false;
    }
    struct fm_segment_header header;
    copy_used(file, copy, &header);
    /* The caller of the collector has decided that foreign processes have ended. */
    bool dead = merging->for_collector &&
                (fm_node_foreign(&merging->here, &file->header) || !fm_node_alive(&merging->here, &file->header));
    merging->status = add_bytes(merging, &header, copy, file->size, origin, dead);
    munmap(copy, file->size);
    return merging->status == FM_OK;
}

bool fm_profile_add_missing(struct fm_profile *profile, uint32_t world_size)
{
    uint32_t limit = world_size < MAX_MISSING_RANKS ? world_size : MAX_MISSING_RANKS;
    size_t present = 0, old = profile->n_processes;
    for (size_t i = 0; i < old; i++)
        present += profile->processes[i].rank < limit &&
                   (i == 0 || profile->processes[i - 1].rank != profile->processes[i].rank);
    if (present >= limit)
        return true;
    size_t n = old + (limit - present);
    struct fm_process *all = fm_arena_alloc(&profile->arena, n * sizeof *all);
    if (!all)
        return false;
    size_t from = 0, to = 0;
    for (uint32_t rank = 0; rank < limit; rank++) {
        if (from < old && profile->processes[from].rank == rank)
            while (from < old && profile->processes[from].rank == rank)
                all[to++] = profile->processes[from++];
        else
            all[to++] = fm_process_of(rank, FM_END_MISSING);
    }
    while (from < old)
        all[to++] = profile->processes[from++];
    profile->processes = all;
    profile->n_processes = profile->processes_capacity = to;
    return true;
}

static enum fm_status no_segments(const struct node_merge *merging)
{
    if (merging->damaged)
        return fm_fail(merging->error, FM_ERR_INPUT, "%s", merging->first_damage.text);
    return fm_fail(merging->error, FM_ERR_INPUT, "%s: no segments of job %s", merging->directory, merging->job_key);
}

static enum fm_status finish_merge(struct node_merge *merging, struct fm_profile *all, struct fm_profile **profile)
{
    bool ok = !merging->for_collector || fm_profile_add_missing(all, merging->world_size);
    if (ok && merging->damaged)
        ok = fm_profile_note(all, FM_NOTE_DAMAGED_SEGMENTS, "", merging->damaged, &(struct fm_rankset){0});
    if (!ok) {
        fm_profile_destroy(all);
        return fm_fail(merging->error, FM_ERR_MEMORY, "not enough memory to merge job %s", merging->job_key);
    }
    *profile = all;
    return FM_OK;
}

enum fm_status fm_node_merge(const char *directory, const char *job_key, const void *own, size_t own_bytes,
                             bool for_collector, struct fm_profile **profile, struct fm_error *error)
{
    struct node_merge merging = {.directory = directory,
                                 .job_key = job_key,
                                 .own = own,
                                 .for_collector = for_collector,
                                 .now_mono_ns = fm_clock_ns(CLOCK_MONOTONIC),
                                 .error = error};
    fm_node_here(&merging.here);
    if (own)
        merging.status = add_bytes(&merging, own, own, own_bytes, "this process's segment", false);
    if (merging.status == FM_OK && directory && *directory) {
        enum fm_status visited = fm_node_visit(directory, job_key, add_file, &merging, error);
        if (merging.status == FM_OK)
            merging.status = visited;
    }
    struct fm_profile *all = NULL;
    enum fm_status finished = fm_reduction_tree_finish(&merging.tree, &all, merging.status ? NULL : error);
    if (merging.status == FM_OK)
        merging.status = finished;
    if (merging.status == FM_OK && merging.segments)
        return finish_merge(&merging, all, profile);
    fm_profile_destroy(all);
    return merging.status ? merging.status : no_segments(&merging);
}
