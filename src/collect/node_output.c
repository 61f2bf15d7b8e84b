/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the profile of a job is written, and the removal of its segments.
 *
 * A new profile appears complete, under an unused name: if two jobs end at the same moment, one of them gets an error
 * that the name is taken. An existing profile is locked and then replaced: two collectors of one job (one per host) add
 * to it one after the other. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "collect/lock.h"
#include "collect/node_files.h"
#include "format/encode.h"
#include "merge/merge.h"
#include "merge/notes.h"
#include "model/job_name.h"
#include "model/process_index.h"

enum { MAX_NAMES = 10000, CLAIM_TRIES = 300 };

#define SUFFIX ".fathom"

/* ---- names ---- */

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

/* Names come from segments: only plain characters may become part of a path. */
static void append_plain(char *text, size_t size, const char *more)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+=@-";
    size_t at = strlen(text);
    for (; *more && at + 1 < size; more++)
        text[at++] = strchr(plain, *more) ? *more : '_';
    text[at] = 0;
}

static void default_name(const struct fm_profile *profile, char name[256])
{
    const char *base = fm_job_name(&profile->job);
    name[0] = 0;
    append_plain(name, 120, *base && *base != '.' ? base : "program");
    append(name, 256, ".");
    append_plain(name, 240, *profile->job.id ? profile->job.id : profile->job.key);
    append(name, 256, SUFFIX);
}

/* The first choice: absolute if the directory of the job is known. A profile contains text, so a directory whose name
 * is not valid UTF-8 is not found by it; but usually it is the current one. */
void fm_node_output_path(const struct fm_profile *profile, char path[FM_FILE_PATH_BYTES])
{
    const char *output = profile->job.output;
    const char *cwd = *profile->job.cwd == '/' && is_directory(profile->job.cwd) ? profile->job.cwd : ".";
    char name[256];
    default_name(profile, name);
    size_t length = strlen(output);
    if (length == 0)
        snprintf(path, FM_FILE_PATH_BYTES, "%.3700s", cwd);
    else if (*output == '/')
        snprintf(path, FM_FILE_PATH_BYTES, "%.3700s", output);
    else
        snprintf(path, FM_FILE_PATH_BYTES, "%.1850s/%.1850s", cwd, output);
    if (length != 0 && output[length - 1] != '/' && !is_directory(path))
        return;
    if (path[strlen(path) - 1] != '/')
        append(path, FM_FILE_PATH_BYTES, "/");
    append(path, FM_FILE_PATH_BYTES, name);
}

/* The n-th choice: a.fathom, a-2.fathom, a-3.fathom ... */
static void numbered_path(const char *first, unsigned n, char path[FM_FILE_PATH_BYTES])
{
    size_t length = strlen(first), suffix = strlen(SUFFIX);
    bool suffixed = length > suffix && strcmp(first + length - suffix, SUFFIX) == 0;
    if (n < 2)
        snprintf(path, FM_FILE_PATH_BYTES, "%s", first);
    else
        snprintf(path, FM_FILE_PATH_BYTES, "%.*s-%u%s", (int)(suffixed ? length - suffix : length), first, n,
                 suffixed ? SUFFIX : "");
}

/* ---- claiming a name ---- */

enum claim {
    CLAIM_NEW,      /* no such file */
    CLAIM_REPLACE,  /* the file is to be replaced; it is locked */
    CLAIM_SAME_JOB, /* a profile of the same job; locked */
    CLAIM_TAKEN,    /* used by something else */
    CLAIM_FAILED
};

static bool still_named(int fd, const char *path, struct stat *st)
{
    struct stat named;
    return fstat(fd, st) == 0 && lstat(path, &named) == 0 && st->st_dev == named.st_dev && st->st_ino == named.st_ino;
}

/* A file given to `fathom run -o` is replaced by the next run with the same -o, as users expect of an output file; but
 * never within one run, which may start several jobs. */
static bool replaces(const struct fm_profile *profile, const struct fm_profile *found, const char *path)
{
    const char *output = profile->job.output;
    size_t length = strlen(output), path_length = strlen(path);
    return length && length <= path_length && strcmp(path + path_length - length, output) == 0 &&
           *profile->job.run_id && strcmp(profile->job.run_id, found->job.run_id) != 0;
}

/* What is at `path` now: nothing of value (an empty file: earlier versions may leave some when killed), the profile of
 * this job (read into *existing if not NULL), or something else. */
static enum claim classify(const struct stat *st, const char *path, const struct fm_profile *profile,
                           struct fm_profile **existing)
{
    struct fm_profile *found;
    bool ours = st->st_uid == geteuid() || geteuid() == 0; /* on NFS, files of root may belong to nobody */
    if (!S_ISREG(st->st_mode) || !ours)
        return CLAIM_TAKEN;
    if (st->st_size == 0)
        return CLAIM_REPLACE;
    if (fm_profile_read(path, &found, NULL) != FM_OK)
        return CLAIM_TAKEN;
    enum claim claim = strcmp(found->job.key, profile->job.key) == 0 ? CLAIM_SAME_JOB
                       : replaces(profile, found, path)              ? CLAIM_REPLACE
                                                                     : CLAIM_TAKEN;
    if (claim == CLAIM_SAME_JOB && existing)
        *existing = found;
    else
        fm_profile_destroy(found);
    return claim;
}

/* Opens and locks the file at `path`, unless it is used by something else. */
static enum claim claim_path(const char *path, const struct fm_profile *profile, int *fd, struct fm_profile **existing)
{
    for (int i = 0; i < CLAIM_TRIES; i++) {
        struct stat st;
        *fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (*fd < 0) /* a symbolic link, a directory, another user's file: use another name */
            return lstat(path, &st) == 0 ? CLAIM_TAKEN : CLAIM_NEW;
        if (fstat(*fd, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) {
            close(*fd);
            errno = EINVAL; /* -o /dev/null must not create /dev/null-2 */
            return CLAIM_FAILED;
        }
        fm_file_lock(*fd); /* if the file system has no locks, continue without */
        if (still_named(*fd, path, &st)) {
            enum claim claim = classify(&st, path, profile, existing);
            if (claim == CLAIM_TAKEN)
                close(*fd);
            return claim;
        }
        close(*fd); /* replaced while we waited for the lock */
    }
    errno = EBUSY;
    return CLAIM_FAILED;
}

/* ---- adding to a profile of the same job ---- */

/* Whether the profile contains the data of this process. */
static bool has_process(const struct fm_profile *profile, uint32_t rank, int32_t pid)
{
    for (size_t i = fm_process_index(profile, rank); i < profile->n_processes && profile->processes[i].rank == rank;
         i++)
        if (profile->processes[i].pid == pid && profile->processes[i].end != FM_END_MISSING)
            return true;
    return false;
}

/* Counts the processes with data in `profile`, and those of them that are also in `other`. */
static void count_common(const struct fm_profile *profile, const struct fm_profile *other, size_t *own, size_t *common)
{
    *own = *common = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        if (profile->processes[i].end == FM_END_MISSING)
            continue;
        ++*own;
        *common += has_process(other, profile->processes[i].rank, profile->processes[i].pid);
    }
}

static size_t copy_present(struct fm_process *to, const struct fm_process *from, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i].end != FM_END_MISSING)
            to[kept++] = from[i];
    return kept;
}

static bool is_part(const struct fm_profile *profile)
{
    size_t present = 0;
    for (size_t i = 0; i < profile->n_processes; i++)
        present += profile->processes[i].end != FM_END_MISSING;
    return present < profile->job.ranks;
}

/* Adds `profile` to `existing`, which has other ranks of the same job. */
static enum fm_status add_to(struct fm_profile *existing, const struct fm_profile *profile, struct fm_error *error)
{
    struct fm_profile view = *profile;
    view.processes = fm_arena_alloc(&existing->arena, profile->n_processes * sizeof *view.processes);
    if (!view.processes)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to merge job %s", profile->job.key);
    view.n_processes = view.processes_capacity = copy_present(view.processes, profile->processes, profile->n_processes);
    existing->n_processes = copy_present(existing->processes, existing->processes, existing->n_processes);
    enum fm_status status = fm_profile_merge(existing, &view, error);
    if (status == FM_OK && !fm_profile_add_missing(existing, existing->job.ranks))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory to merge job %s", profile->job.key);
    if (status == FM_OK && !is_part(existing))
        fm_profile_forget_part(existing);
    return status;
}

/* Replaces the file at `path`, which is locked. *next: the file has some of the same ranks but not all, so this profile
 * does not continue it and another name is needed. */
static enum fm_status replace(const struct fm_profile *profile, struct fm_profile *existing, const char *path,
                              bool *next, struct fm_error *error)
{
    size_t own, common;
    if (!existing)
        return fm_profile_write(profile, path, error);
    count_common(profile, existing, &own, &common);
    if (own == common) /* written before; only the removal of the segments was interrupted */
        return FM_OK;
    *next = common != 0;
    if (*next)
        return FM_OK;
    enum fm_status status = add_to(existing, profile, error);
    return status == FM_OK ? fm_profile_write(existing, path, error) : status;
}

/* Writes to `path` if that is allowed. *next: another name is needed. */
static enum fm_status write_at(const struct fm_profile *profile, const char *path, bool *next, struct fm_error *error)
{
    struct fm_profile *existing = NULL;
    enum claim claim;
    enum fm_status status;
    bool taken = false;
    int fd, tries = 0;
    do { /* retry if somebody else was faster: it may be a part of this job */
        claim = claim_path(path, profile, &fd, &existing);
        status = claim == CLAIM_NEW ? fm_profile_write_new(profile, path, &taken, error) : FM_OK;
    } while (claim == CLAIM_NEW && taken && ++tries < CLAIM_TRIES);
    *next = claim == CLAIM_TAKEN;
    if (claim == CLAIM_FAILED)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, fm_node_reason(errno));
    if (claim == CLAIM_NEW || claim == CLAIM_TAKEN)
        return status;
    status = replace(profile, existing, path, next, error);
    fm_profile_destroy(existing);
    close(fd);
    return status;
}

/* ---- parts of one job ---- */

/* Whether the file is a profile of the same job, written after the job started. */
static bool is_other_part(int folder_fd, const char *folder, const char *file, const struct fm_profile *profile,
                          char path[FM_FILE_PATH_BYTES])
{
    size_t length = strlen(file), suffix = strlen(SUFFIX);
    struct stat st;
    if (length <= suffix || strcmp(file + length - suffix, SUFFIX) != 0 ||
        fstatat(folder_fd, file, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0 ||
        (uint64_t)st.st_mtime < profile->job.started_real_ns / 1000000000)
        return false;
    snprintf(path, FM_FILE_PATH_BYTES, "%.3700s%.300s", folder, file);
    return classify(&st, path, profile, NULL) == CLAIM_SAME_JOB;
}

/* If a job leaves segments on several hosts, they are collected on each host. Without a batch job id the hosts would
 * choose different names, so a host that has only a part looks for the part of another and uses its name. */
static void find_other_part(const struct fm_profile *profile, char first[FM_FILE_PATH_BYTES])
{
    char folder[FM_FILE_PATH_BYTES], path[FM_FILE_PATH_BYTES];
    _Alignas(struct dirent64) char buffer[8192];
    ssize_t n;
    bool found = false;
    snprintf(folder, sizeof folder, "%s", first);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return;
    slash[1] = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && !found && (n = getdents64(fd, buffer, sizeof buffer)) > 0)
        for (ssize_t at = 0; !found && at < n;) {
            const struct dirent64 *entry = (const void *)(buffer + at);
            found = is_other_part(fd, folder, entry->d_name, profile, path);
            at += entry->d_reclen;
        }
    if (fd >= 0)
        close(fd);
    if (found)
        snprintf(first, FM_FILE_PATH_BYTES, "%s", path);
}

/* Held while looking for other parts and writing: otherwise two hosts could miss each other's part. */
static int lock_folder(const char *path)
{
    char folder[FM_FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return -1;
    slash[slash == folder] = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        fm_file_lock(fd);
    return fd;
}

static enum fm_status write_to(const struct fm_profile *profile, const char *first, char path[FM_FILE_PATH_BYTES],
                               struct fm_error *error)
{
    for (unsigned n = 1; n <= MAX_NAMES; n++) {
        bool next = false;
        numbered_path(first, n, path);
        enum fm_status status = write_at(profile, path, &next, error);
        if (!next)
            return status;
    }
    return fm_fail(error, FM_ERR_SYSTEM, "%s: too many profiles with this name; move or remove some", first);
}

static enum fm_status write_profile(const struct fm_profile *profile, char path[FM_FILE_PATH_BYTES],
                                    struct fm_error *error)
{
    char first[FM_FILE_PATH_BYTES];
    int lock = -1;
    fm_node_output_path(profile, first);
    if (is_part(profile)) {
        lock = lock_folder(first);
        find_other_part(profile, first);
    }
    enum fm_status status = write_to(profile, first, path, error);
    if (lock >= 0)
        close(lock);
    return status;
}

/* ---- after the profile is durable ---- */

static bool plain_id(const char *id)
{
    return *id && id[strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")] == 0;
}

enum { MAX_RUN_BYTES = 1 << 20 };

/* Failing is not an error. */
static void add_to_run(const char *directory, const char *run_id, int flags, const char *line)
{
    char path[FM_FILE_PATH_BYTES];
    if (!plain_id(run_id))
        return;
    snprintf(path, sizeof path, "%.3800s/%.64s.run", directory, run_id);
    int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
    if (fd < 0)
        return;
    /* a single write: lines of several writers do not mix */
    bool fits = lseek(fd, 0, SEEK_END) < MAX_RUN_BYTES && fm_file_may_reach(MAX_RUN_BYTES);
    ssize_t written = fits ? write(fd, line, strlen(line)) : 0;
    (void)written;
    close(fd);
}

/* For `fathom run`, which tells the user. */
static void note_for_run(const char *directory, const char *run_id, const char *profile_path)
{
    char line[2 * FM_FILE_PATH_BYTES], cwd[FM_FILE_PATH_BYTES] = "";
    if (*profile_path != '/' && !getcwd(cwd, sizeof cwd))
        return;
    snprintf(line, sizeof line, "%s%s%s\n", cwd, *cwd ? "/" : "", profile_path);
    add_to_run(directory, run_id, O_CREAT, line);
}

void fm_node_tell_unseen_mpi(const char *run_id)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    for (size_t i = 0; i < n; i++)
        add_to_run(directories[i], run_id, 0, FM_RUN_UNSEEN_MPI);
}

struct removal {
    const struct fm_profile *profile;
    bool own_too; /* including the segment of this process */
    size_t left;
};

/* A segment that was created after the merge or could not be read is not in the profile: keep it. */
static bool remove_merged(void *context, const struct fm_node_file *file)
{
    struct removal *removal = context;
    if (!removal->own_too && file->name.pid == getpid())
        return true;
    bool merged = file->readable && has_process(removal->profile, (uint32_t)file->header.rank, file->header.pid);
    if (!merged || unlinkat(file->directory_fd, file->file, 0) != 0)
        removal->left += file->readable;
    return true;
}

static void remove_job_file(const char *directory, const char *job_key)
{
    char path[FM_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%.3800s/%.72s" FM_JOB_SUFFIX, directory, job_key);
    unlink(path);
}

void fm_node_remove(const char *directory, const struct fm_profile *profile)
{
    struct removal others = {.profile = profile}, removal = {.profile = profile, .own_too = true};
    char other[FM_FILE_PATH_BYTES];
    /* our own last: anyone who finds segments of the job until then finds a live process, and waits */
    fm_node_visit(directory, profile->job.key, remove_merged, &others, NULL);
    if (fm_node_visit(directory, profile->job.key, remove_merged, &removal, NULL) != FM_OK || removal.left ||
        strchr(profile->job.key, '/'))
        return;
    remove_job_file(directory, profile->job.key);
    if (fm_node_other_directory(directory, other))
        remove_job_file(other, profile->job.key);
}

/* In the working directory, then in the home directory. */
static enum fm_status write_elsewhere(struct fm_profile *profile, char path[FM_FILE_PATH_BYTES])
{
    char home[FM_FILE_PATH_BYTES];
    const char *given = getenv("HOME"), *asked = profile->job.output;
    enum fm_status status = FM_ERR_SYSTEM;
    if (!fm_profile_note(profile, FM_NOTE_WRITTEN_ELSEWHERE, "", 0, &(struct fm_rankset){0}))
        return FM_ERR_MEMORY;
    profile->job.output = "";
    if (*asked)
        status = write_profile(profile, path, NULL);
    if (status != FM_OK && given && *given == '/') {
        snprintf(home, sizeof home, "%.3700s/", given);
        profile->job.output = home;
        status = write_profile(profile, path, NULL);
    }
    profile->job.output = asked;
    return status;
}

bool fm_node_output_refused(const char *output, char folder[FM_FILE_PATH_BYTES])
{
    snprintf(folder, FM_FILE_PATH_BYTES, "%s", *output ? output : ".");
    if (*output && !is_directory(folder)) {
        char *slash = strrchr(folder, '/');
        if (slash)
            slash[slash == folder] = 0;
        else
            snprintf(folder, FM_FILE_PATH_BYTES, ".");
    }
    return access(folder, W_OK | X_OK) != 0;
}

enum fm_status fm_node_finish(const char *directory, struct fm_profile *profile, bool elsewhere,
                              char path[FM_FILE_PATH_BYTES], struct fm_error *error)
{
    enum fm_status status = write_profile(profile, path, error);
    if (status == FM_ERR_SYSTEM && elsewhere && !*profile->job.run_id && write_elsewhere(profile, path) == FM_OK)
        status = FM_OK;
    if (status != FM_OK)
        return status;
    if (directory && *directory) {
        note_for_run(directory, profile->job.run_id, path);
        fm_node_remove(directory, profile);
    }
    return FM_OK;
}
