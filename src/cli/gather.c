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

#include "analyse/summary.h"
#include "profile/encode.h"
#include "reduce/node_files.h"

enum { STALE_SECONDS = 60 }; /* a younger file may belong to a job that is just starting */

size_t fm_gather_directories(char paths[FM_GATHER_DIRECTORIES][FM_PATH_BYTES])
{
    fm_node_directory(paths[0]);
    fm_node_fallback_directory(paths[1]);
    return strcmp(paths[0], paths[1]) == 0 ? 1 : 2;
}

size_t fm_gather_living(const char *directory, const char *run_id)
{
    struct fm_node_list list;
    size_t living = 0;
    if (fm_node_scan(directory, NULL, run_id, &list, NULL) != FM_OK)
        return 0;
    for (size_t i = 0; i < list.n; i++)
        living += list.items[i].alive && !list.items[i].foreign;
    fm_node_list_destroy(&list);
    return living;
}

const char *fm_ends_text(const struct fm_profile *profile, char *buffer, size_t size)
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

static bool run_path(char path[FM_PATH_BYTES], const char *directory, const char *run_id)
{
    snprintf(path, FM_PATH_BYTES, "%.3800s/%.64s.run", directory, run_id);
    return *run_id && !strchr(run_id, '/');
}

void fm_gather_profiles(const char *directory, const char *run_id, void (*tell)(void *context, const char *path),
                        void *context)
{
    char path[FM_PATH_BYTES], line[FM_PATH_BYTES + 2];
    if (!run_path(path, directory, run_id))
        return;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        tell(context, line);
    }
    if (file)
        fclose(file);
}

void fm_gather_forget(const char *directory, const char *run_id)
{
    char path[FM_PATH_BYTES];
    if (run_path(path, directory, run_id))
        unlink(path);
}

/* ---- programs without MPI ---- */

struct plain {
    bool plain, remove;
    size_t files;
};

static bool look_plain(void *context, const struct fm_node_file *file)
{
    struct plain *plain = context;
    plain->files++;
    plain->plain = plain->plain && file->readable && file->header.flags & FM_FLAG_NO_MPI;
    if (plain->remove && plain->plain)
        unlinkat(file->directory_fd, file->file, 0);
    return plain->plain;
}

/* 1: a program without MPI; 0: an MPI job; -1: nothing is left of it. */
static int is_plain(const char *directory, const char *job_key)
{
    struct plain plain = {.plain = true};
    if (fm_node_visit(directory, job_key, look_plain, &plain, NULL) != FM_OK || plain.files == 0)
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

static void look_for_mpi(void *context, const char *path)
{
    bool *found = context;
    *found = *found || is_mpi_profile(path);
}

/* Whether the run has written the profile of an MPI job. */
static bool run_has_mpi(const char *directory, const char *run_id)
{
    char other[FM_PATH_BYTES];
    bool found = false;
    fm_gather_profiles(directory, run_id, look_for_mpi, &found);
    if (!found && fm_node_other_directory(directory, other))
        fm_gather_profiles(other, run_id, look_for_mpi, &found);
    return found;
}

/* ---- one job ---- */

struct job {
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
    char path[FM_PATH_BYTES] = "";
    enum fm_status status = fm_node_merge(gathering->directory, job_key, NULL, 0, true, &profile, &error);
    if (status == FM_OK) {
        if (gathering->options->output)
            profile->job.output = gathering->options->output;
        status = fm_node_finish(gathering->directory, profile, path, &error);
    }
    event.kind = status == FM_OK ? FM_GATHER_WRITTEN : FM_GATHER_FAILED;
    event.path = path;
    event.profile = profile;
    event.error = &error;
    gathering->tell(gathering->context, &event);
    fm_profile_destroy(profile);
}

/* The program named to `fathom run` was only a script when the run has a profile of an MPI job: then it is dropped. */
static void handle_job(const struct gathering *gathering, const struct job *job, bool plain)
{
    if (job->alive) {
        gathering->tell(gathering->context, &(struct fm_gather_event){.kind = FM_GATHER_RUNNING,
                                                                      .job_key = job->key,
                                                                      .processes = job->alive,
                                                                      .foreign = job->foreign});
    } else if (plain && run_has_mpi(gathering->directory, job->run_id)) {
        struct plain removal = {.plain = true, .remove = true};
        fm_node_visit(gathering->directory, job->key, look_plain, &removal, NULL);
    } else {
        collect_job(gathering, job->key);
    }
}

/* The job that starts at items[at]; *next: where the next one starts. */
static struct job job_at(const struct fm_node_list *list, size_t at, const struct fm_gather_options *options,
                         size_t *next)
{
    struct job job = {.key = list->items[at].job_key, .run_id = list->items[at].run_id, .of_run = !options->run_id};
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
static void look_elsewhere(const char *directory, const struct fm_gather_options *options, struct job *job)
{
    char other[FM_PATH_BYTES];
    struct fm_node_list list;
    size_t next;
    if (!fm_node_other_directory(directory, other) || fm_node_scan(directory, job->key, NULL, &list, NULL) != FM_OK)
        return;
    if (list.n) {
        struct job both = job_at(&list, 0, options, &next);
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
        for (int plain = 0; plain < 2; plain++) /* MPI jobs first: they decide about the plain ones */
            for (size_t at = 0, next; at < list.n; at = next) {
                struct job job = job_at(&list, at, options, &next);
                if (!job.of_run || is_plain(directory, job.key) != plain)
                    continue;
                look_elsewhere(directory, options, &job);
                handle_job(&gathering, &job, plain);
            }
        fm_node_list_destroy(&list);
    }
    if (lock >= 0)
        close(lock);
    return status;
}

/* ---- stale files ---- */

static bool has_suffix(const char *name, const char *suffix, size_t *stem)
{
    size_t length = strlen(name), tail = strlen(suffix);
    *stem = length - tail;
    return length > tail && strcmp(name + *stem, suffix) == 0;
}

static bool belongs_to_segment(const struct fm_node_list *list, const char *stem, size_t length)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct fm_node_segment *item = &list->items[i];
        if ((strlen(item->job_key) == length && memcmp(item->job_key, stem, length) == 0) ||
            (strlen(item->run_id) == length && memcmp(item->run_id, stem, length) == 0))
            return true;
    }
    return false;
}

/* Nobody has it locked, as a `fathom run` that lives has its .run file. */
static bool unlocked(int directory_fd, const char *name)
{
    int fd = openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return free;
}

/* No segment speaks of it and no `fathom run` holds it. A young empty one may belong to what is just starting. */
static bool is_stale(const struct fm_node_list *list, int directory_fd, const char *name)
{
    size_t stem;
    struct stat st;
    bool job = has_suffix(name, FM_JOB_SUFFIX, &stem), run = !job && has_suffix(name, ".run", &stem);
    if ((!job && !run) || belongs_to_segment(list, name, stem) ||
        fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) || st.st_uid != getuid())
        return false;
    bool over = run && st.st_size > 0;
    return (over || time(NULL) - st.st_mtime >= STALE_SECONDS) && unlocked(directory_fd, name);
}

void fm_gather_sweep(const char *directory)
{
    struct fm_node_list list;
    if (fm_node_scan(directory, NULL, NULL, &list, NULL) != FM_OK)
        return;
    DIR *stream = opendir(directory);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream)))
        if (is_stale(&list, dirfd(stream), entry->d_name))
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
    fm_node_list_destroy(&list);
}
