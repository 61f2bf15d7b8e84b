/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyse/balance/summary.h"
#include "base/atomic_file.h"
#include "collect/node.h"
#include "collect/node_files.h"
#include "format/encode.h"

enum { STALE_SECONDS = 60 }; /* a newer one may still be being created on another host */

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

size_t fm_gather_living(const char *directory, const char *run_id)
{
    struct fm_node_list list;
    size_t live = 0;
    if (fm_node_scan(directory, NULL, run_id, &list, NULL) != FM_OK)
        return 0;
    for (size_t i = 0; i < list.n; i++)
        live += list.items[i].alive && !list.items[i].foreign;
    fm_node_list_destroy(&list);
    return live;
}

const char *fm_profile_ends_text(const struct fm_profile *profile, char *buffer, size_t size)
{
    struct fm_arena arena = {0};
    struct fm_summary summary;
    size_t used = 0;
    buffer[0] = 0;
    if (fm_summarise(profile, &arena, &summary, NULL) == FM_OK)
        for (size_t i = 0; i < summary.n_ends && used < size; i++) {
            const struct fm_end_group *group = &summary.ends[i];
            const char *ranks = fm_rankset_text(&group->ranks, &arena, 60);
            char how[160];
            used += (size_t)snprintf(buffer + used, size - used, "%s%s %s %s%s%s", i ? "; " : "",
                                     fm_rankset_count(&group->ranks) == 1 ? "rank" : "ranks", ranks ? ranks : "?",
                                     fm_end_text(group->end, group->code, how, sizeof how),
                                     *group->inside ? " in " : "", group->inside);
        }
    fm_arena_destroy(&arena);
    return buffer;
}

/* ---- runs ---- */

enum { FM_RUN_NAME_BYTES = 72 };

static bool run_name(char name[FM_RUN_NAME_BYTES], const char *run_id)
{
    snprintf(name, FM_RUN_NAME_BYTES, "%.64s.run", run_id);
    return *run_id && !strchr(run_id, '/');
}

bool fm_gather_profiles(const char *directory, const char *run_id, void (*tell)(void *context, const char *path),
                        void *context)
{
    char name[FM_RUN_NAME_BYTES], line[FM_FILE_PATH_BYTES + 2];
    struct stat st;
    if (!run_name(name, run_id))
        return false;
    int directory_fd = fm_node_directory_open(directory, NULL);
    int fd = directory_fd < 0 ? -1 : openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close_if_open(directory_fd);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !fm_node_is_own_file(&st))) {
        close(fd);
        return false;
    }
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    bool unseen = false;
    while (file && fgets(line, sizeof line, file)) {
        unseen = unseen || strcmp(line, FM_RUN_UNSEEN_MPI) == 0;
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '/')
            tell(context, line);
    }
    if (file)
        fclose(file);
    return unseen;
}

void fm_gather_forget(const char *directory, const char *run_id)
{
    char name[FM_RUN_NAME_BYTES];
    int directory_fd = run_name(name, run_id) ? fm_node_directory_open(directory, NULL) : -1;
    if (directory_fd >= 0)
        unlinkat(directory_fd, name, 0);
    close_if_open(directory_fd);
}

/* ---- programs without MPI ---- */

struct plain {
    bool plain, remove;
    size_t files;
};

static bool visit_plain(void *context, const struct fm_node_file *file)
{
    struct plain *plain = context;
    plain->files++;
    plain->plain = plain->plain && file->readable && file->header.flags & FM_FLAG_NO_MPI;
    if (plain->remove && plain->plain)
        unlinkat(file->directory_fd, file->file, 0);
    return plain->plain;
}

/* 1: a program without MPI; 0: an MPI job; -1: no files of it are left. */
static int is_plain(const char *directory, const char *job_key)
{
    struct plain plain = {.plain = true};
    if (fm_node_visit(directory, job_key, visit_plain, &plain, NULL) != FM_OK || plain.files == 0)
        return -1;
    return plain.plain;
}

static bool is_mpi_profile(const char *path)
{
    struct fm_profile *profile;
    if (fm_profile_read(path, &profile, NULL) != FM_OK)
        return false;
    bool mpi = profile->n_routines > 0 || *profile->job.mpi;
    fm_profile_destroy(profile);
    return mpi;
}

static void note_mpi(void *context, const char *path)
{
    bool *found = context;
    *found = *found || is_mpi_profile(path);
}

/* Whether the run has written the profile of an MPI job. */
static bool run_has_mpi(const char *directory, const char *run_id)
{
    char other[FM_FILE_PATH_BYTES];
    bool found = false;
    fm_gather_profiles(directory, run_id, note_mpi, &found);
    if (!found && fm_node_other_directory(directory, other))
        fm_gather_profiles(other, run_id, note_mpi, &found);
    return found;
}

/* ---- one job ---- */

/* Removes temporary files next to a profile: its writer may have been killed. */
static void remove_abandoned_files(const char *path)
{
    char folder[FM_FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = 0;
    DIR *stream = opendir(slash ? folder : ".");
    const struct dirent *entry;
    while (stream && (entry = readdir(stream)))
        if (fm_atomic_file_is_abandoned(dirfd(stream), entry->d_name))
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
}

struct found_job {
    const char *key, *run_id;
    size_t processes, alive;
    bool foreign, of_run;
};

struct gathering {
    const char *directory;
    const struct fm_gather_options *options;
    void (*tell)(void *context, const struct fm_gather_event *event);
    void *context;
};

static void collect_job(const struct gathering *gathering, const char *job_key)
{
    struct fm_gather_event event = {.job_key = job_key};
    struct fm_error error = {0};
    struct fm_profile *profile = NULL;
    char path[FM_FILE_PATH_BYTES] = "";
    enum fm_status status = fm_node_merge(gathering->directory, job_key, NULL, 0, true, &profile, &error);
    if (status == FM_OK) {
        if (gathering->options->output)
            profile->job.output = gathering->options->output;
        status = fm_node_finish(gathering->directory, profile, !gathering->options->output, path, &error);
        if (status == FM_OK)
            remove_abandoned_files(path);
    }
    event.kind = status == FM_OK ? FM_GATHER_WRITTEN : FM_GATHER_FAILED;
    event.path = path;
    event.profile = profile;
    event.error = &error;
    gathering->tell(gathering->context, &event);
    fm_profile_destroy(profile);
}

/* If the run has a profile of an MPI job, the program given to `fathom run` was only a script, and its data are
 * dropped. */
static void handle_job(const struct gathering *gathering, const struct found_job *job, bool plain)
{
    if (job->alive) {
        gathering->tell(gathering->context, &(struct fm_gather_event){.kind = FM_GATHER_RUNNING,
                                                                      .job_key = job->key,
                                                                      .processes = job->alive,
                                                                      .foreign = job->foreign});
    } else if (plain && run_has_mpi(gathering->directory, job->run_id)) {
        struct plain removal = {.plain = true, .remove = true};
        fm_node_visit(gathering->directory, job->key, visit_plain, &removal, NULL);
    } else {
        collect_job(gathering, job->key);
    }
}

/* The job that starts at items[at]; *next is the start of the following one. */
static struct found_job job_at(const struct fm_node_list *list, size_t at, const struct fm_gather_options *options,
                               size_t *next)
{
    struct found_job job = {
        .key = list->items[at].job_key, .run_id = list->items[at].run_id, .of_run = !options->run_id};
    for (*next = at; *next < list->n && strcmp(list->items[*next].job_key, job.key) == 0; ++*next) {
        const struct fm_node_segment *item = &list->items[*next];
        job.processes++;
        job.alive += item->alive && !(item->foreign && options->force);
        job.foreign |= item->foreign;
        job.of_run |= options->run_id && strcmp(item->run_id, options->run_id) == 0;
    }
    return job;
}

/* Some of its processes may have their segments in the other directory. */
static void count_other_directory(const char *directory, const struct fm_gather_options *options, struct found_job *job)
{
    char other[FM_FILE_PATH_BYTES];
    struct fm_node_list list;
    size_t next;
    if (!fm_node_other_directory(directory, other) || fm_node_scan(directory, job->key, NULL, &list, NULL) != FM_OK)
        return;
    if (list.n) {
        struct found_job both = job_at(&list, 0, options, &next);
        job->processes = both.processes;
        job->alive = both.alive;
        job->foreign = both.foreign;
    }
    fm_node_list_destroy(&list);
}

enum fm_status fm_gather(const char *directory, const struct fm_gather_options *options,
                         void (*tell)(void *context, const struct fm_gather_event *event), void *context,
                         struct fm_error *error)
{
    struct gathering gathering = {directory, options, tell, context};
    struct fm_node_list list;
    int lock = fm_node_lock(directory);
    enum fm_status status = fm_node_scan(directory, NULL, NULL, &list, error);
    if (status == FM_OK) {
        if (list.damaged && !options->run_id)
            tell(context, &(struct fm_gather_event){
                              .kind = FM_GATHER_DAMAGED, .processes = list.damaged, .path = list.damaged_example});
        for (int plain = 0; plain < 2; plain++) /* MPI jobs first: whether there are any decides about the others */
            for (size_t at = 0, next; at < list.n; at = next) {
                struct found_job job = job_at(&list, at, options, &next);
                if (!job.of_run || is_plain(directory, job.key) != plain)
                    continue;
                count_other_directory(directory, options, &job);
                handle_job(&gathering, &job, plain);
            }
        fm_node_list_destroy(&list);
    }
    close_if_open(lock);
    return status;
}

/* ---- stale files ---- */

static bool has_suffix(const char *name, const char *suffix, size_t *stem)
{
    size_t length = strlen(name), tail = strlen(suffix);
    *stem = length - tail;
    return length > tail && strcmp(name + *stem, suffix) == 0;
}

static bool mentions_run(const struct fm_node_list *list, const char *run_id, size_t length)
{
    for (size_t i = 0; i < list->n; i++)
        if (strlen(list->items[i].run_id) == length && memcmp(list->items[i].run_id, run_id, length) == 0)
            return true;
    return false;
}

/* Not locked: a running `fathom run` holds a lock on its .run file. */
static bool unlocked(int directory_fd, const char *name)
{
    int fd = openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    close_if_open(fd);
    return free;
}

/* Scans again: whoever creates such a file has created its segment before. */
static bool has_segments(const char *directory, const char *job_key, size_t length)
{
    struct fm_node_list list;
    char key[72];
    snprintf(key, sizeof key, "%.*s", (int)length, job_key);
    if (fm_node_scan(directory, key, NULL, &list, NULL) != FM_OK)
        return true;
    bool has = list.n > 0 || list.damaged > 0;
    fm_node_list_destroy(&list);
    return has;
}

/* In a directory shared by several hosts, the process may live on another host, but creating a segment never takes this
 * long. */
static bool is_uninitialised(int directory_fd, const char *name, const struct stat *st)
{
    struct fm_segment_name segment;
    return fm_node_half_made(directory_fd, name, &segment) &&
           !(segment.pid_namespace == fm_pid_namespace() && fm_process_alive(segment.pid, segment.start_time)) &&
           time(NULL) - st->st_mtime >= STALE_SECONDS;
}

static bool is_recent(const struct stat *st)
{
    return st->st_size > 0 && time(NULL) - st->st_mtime < STALE_SECONDS;
}

static bool is_stale(const char *directory, const struct fm_node_list *list, int directory_fd, const char *name,
                     bool spare_recent)
{
    size_t stem;
    struct stat st;
    if (fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !fm_node_is_own_file(&st))
        return false;
    if (has_suffix(name, FM_JOB_SUFFIX, &stem))
        return !has_segments(directory, name, stem);
    if (has_suffix(name, ".run", &stem))
        return !mentions_run(list, name, stem) && !(spare_recent && is_recent(&st)) && unlocked(directory_fd, name);
    return fm_atomic_file_is_abandoned(directory_fd, name) || is_uninitialised(directory_fd, name, &st);
}

void fm_gather_sweep(const char *directory, bool spare_recent)
{
    struct fm_node_list list;
    if (fm_node_scan(directory, NULL, NULL, &list, NULL) != FM_OK)
        return;
    int fd = fm_node_directory_open(directory, NULL);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    while (stream && (entry = readdir(stream)))
        if (is_stale(directory, &list, dirfd(stream), entry->d_name, spare_recent))
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
    fm_node_list_destroy(&list);
}
