/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_end.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/basename.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/gather.h"
#include "cli/run_hosts.h"
#include "cli/site_hand_over.h"
#include "collect/node_files.h"
#include "format/encode.h"
#include "format/segment_header.h"
#include "model/note_codes.h"
#include "render/text.h"

enum {
    RUN_WAIT_MS = 5000,  /* ranks die up to 1.5 s after their mpirun was killed */
    RANK_WAIT_MS = 1000, /* a launcher that terminates its ranks gives them no more than this */
    LAST_WAIT_MS = 1000,
    OTHERS_WAIT_MS = 2000,
    MAX_PRINTED = 5,
    MAX_KEPT = 64,
    MAX_TRIES = 100
};

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* ---- lock of the run ---- */

struct outcome {
    const char *report; /* how to report on profiles written here: terse, full, a file; NULL: no report */
    size_t written, failed, running;
    char failure[600];
    char running_key[72];
};

/* The runtime reports on profiles that it writes itself; we report on ours. */
static void show_report(const char *path, const char *how)
{
    char *words[] = {"report", NULL, NULL, NULL, NULL};
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int count = 1;
        if (strcmp(how, "terse") == 0) {
            words[count++] = "--terse";
        } else if (strcmp(how, "full") != 0) {
            words[count++] = "-o";
            words[count++] = (char *)how;
        }
        words[count++] = (char *)path;
        dup2(STDERR_FILENO, STDOUT_FILENO);
        int status = fm_cmd_report(count, words);
        fflush(stdout);
        _exit(status);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void handle_event(void *context, const struct fm_gather_event *event)
{
    struct outcome *outcome = context;
    if (event->kind == FM_GATHER_WRITTEN) {
        outcome->written++;
        if (outcome->report && *outcome->report)
            show_report(event->path, outcome->report);
    }
    if (event->kind == FM_GATHER_FAILED && outcome->failed++ == 0)
        snprintf(outcome->failure, sizeof outcome->failure, "%s", event->error->text);
    if (event->kind == FM_GATHER_RUNNING && outcome->running++ == 0)
        snprintf(outcome->running_key, sizeof outcome->running_key, "%s", event->job_key);
}

static void wait_for_processes(const char *run_id, int wait_ms)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    for (int waited = 0, pause = 5; waited < wait_ms && !fm_child_interrupted(); waited += pause) {
        size_t live = 0;
        for (size_t i = 0; i < n; i++)
            live += fm_gather_living(directories[i], run_id);
        if (!live)
            return;
        pause = pause < 100 ? pause * 2 : 100;
        sleep_ms(pause);
    }
}

/* Foreign processes count as dead: a container started by the command has ended with it. */
static void collect(const struct fm_run_env *env, const char *report, int wait_ms, struct outcome *outcome)
{
    struct fm_gather_options options = {.run_id = env->run_id, .force = true};
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    *outcome = (struct outcome){.report = report};
    wait_for_processes(env->run_id, wait_ms);
    for (size_t i = 0; i < n; i++)
        fm_gather(directories[i], &options, handle_event, outcome, NULL);
}

static void remove_run_files(const struct fm_run_env *env)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    for (size_t i = 0; i < n; i++) {
        fm_gather_sweep(directories[i], true);
        fm_gather_forget(directories[i], env->run_id);
    }
}

/* Returns false if it was removed as stale between its creation and the lock. */
static bool open_hold(struct fm_run_hold *hold)
{
    struct stat st;
    hold->fd = open(hold->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (hold->fd < 0)
        return true;
    bool locked = flock(hold->fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && fstat(hold->fd, &st) == 0 && st.st_nlink > 0)
        return true;
    close(hold->fd);
    hold->fd = -1;
    sleep_ms(1);
    return false;
}

void fm_run_hold(struct fm_run_hold *hold, const struct fm_run_env *env)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories), i = 0;
    hold->fd = -1;
    while (i < n && fm_node_directory_make(directories[i], NULL) != FM_OK)
        i++;
    if (i == n)
        return;
    snprintf(hold->path, sizeof hold->path, "%.3800s/%s.run", directories[i], env->run_id);
    for (int tries = 0; tries < MAX_TRIES && !open_hold(hold); tries++)
        ;
}

void fm_run_release(struct fm_run_hold *hold, const struct fm_run_env *env)
{
    if (hold->fd < 0)
        return;
    if (flock(hold->fd, LOCK_EX | LOCK_NB) == 0 && env->outermost)
        unlink(hold->path);
    close(hold->fd);
    hold->fd = -1;
}

/* For a job terminated by its launcher: Open MPI's mpirun ends within milliseconds of the first of our processes, but
 * gives them a second. */
void fm_run_await_others(const struct fm_run_env *env, const struct fm_child *child)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES], path[FM_FILE_PATH_BYTES];
    if (!env->outermost || !fm_child_interrupted() || !WIFSIGNALED(child->status))
        return;
    size_t n = fm_node_directories(directories);
    for (int waited = 0; waited < OTHERS_WAIT_MS; waited += 5) {
        bool held = false;
        for (size_t i = 0; i < n; i++) {
            snprintf(path, sizeof path, "%.3800s/%s.run", directories[i], env->run_id);
            held = held || access(path, F_OK) == 0;
        }
        if (!held)
            return;
        sleep_ms(5);
    }
}

static bool is_last(const struct fm_run_hold *hold, int wait_ms)
{
    for (int waited = 0;; waited += 20) {
        if (hold->fd < 0 || flock(hold->fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (waited >= wait_ms || fm_child_interrupted())
            return false;
        sleep_ms(20);
    }
}

/* ---- end of the command ---- */

static bool put(int fd, size_t offset, const void *bytes, size_t size)
{
    return pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

#define PUT(fd, member, value) put(fd, offsetof(struct fm_segment_header, member), &(value), sizeof(value))

/* A process that was killed, or left with _exit as shells do, could not record its end. A member that the header of an
 * older Fathom does not have is not written: measurements are in its place. */
static bool note_times(int fd, const struct fm_segment_header *header, const struct fm_child *child)
{
#define X(member, value) (!FM_SEGMENT_HAS(header, member) || PUT(fd, member, child->usage.member)) &&
    bool noted = FM_USAGE(X) PUT(fd, ended_mono_ns, child->ended_mono_ns);
#undef X
    uint64_t runqueue = child->runqueue_ns + 1; /* unknown becomes 0 */
    return noted && (!FM_SEGMENT_HAS(header, runqueue_end) || PUT(fd, runqueue_end, runqueue));
}

static bool note_file(void *context, const struct fm_node_file *file)
{
    const struct fm_child *child = context;
    if (!file->readable || file->name.pid != child->pid || file->name.start_time != child->start_time)
        return true;
    uint32_t end = WIFSIGNALED(child->status) ? FM_END_SIGNALLED : FM_END_EXITED;
    int32_t code = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : WEXITSTATUS(child->status);
    int fd = openat(file->directory_fd, file->file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return true;
    if (file->header.ended_mono_ns == 0 && !file->name.replaced)
        note_times(fd, &file->header, child);
    if (PUT(fd, seen_code, code)) /* otherwise the process has vanished, which is also true */
        PUT(fd, seen_end, end);
    close(fd);
    return true;
}

/* Only we know the wait status: store it in the segment, where every collector finds it. */
static void note_end(const struct fm_child *child)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    for (size_t i = 0; i < n; i++)
        fm_node_visit(directories[i], NULL, note_file, (void *)child, NULL);
}

/* ---- profiles of the run ---- */

struct profiles {
    char (*paths)[FM_FILE_PATH_BYTES]; /* the first MAX_KEPT; from malloc */
    size_t n;                          /* number of all */
    bool unseen_mpi;                   /* a process loaded MPI, but no call of it was seen */
};

/* Every host and every late process that adds to a profile lists it. */
static void add_profile(void *context, const char *path)
{
    struct profiles *profiles = context;
    for (size_t i = 0; i < profiles->n && i < MAX_KEPT; i++)
        if (strcmp(profiles->paths[i], path) == 0)
            return;
    if (!profiles->paths)
        profiles->paths = calloc(MAX_KEPT, sizeof *profiles->paths);
    if (profiles->paths && profiles->n < MAX_KEPT)
        snprintf(profiles->paths[profiles->n], FM_FILE_PATH_BYTES, "%s", path);
    profiles->n += profiles->paths != NULL;
}

static void find_profiles(const struct fm_run_env *env, struct profiles *profiles)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    memset(profiles, 0, sizeof *profiles);
    for (size_t i = 0; i < n; i++)
        profiles->unseen_mpi |= fm_gather_profiles(directories[i], env->run_id, add_profile, profiles);
}

static bool is_complete(const char *path)
{
    struct fm_profile *profile;
    if (fm_profile_read(path, &profile, NULL) != FM_OK)
        return false;
    bool complete = fm_profile_complete(profile);
    fm_profile_destroy(profile);
    return complete;
}

static bool has_all_ranks(const char *path)
{
    struct fm_profile *profile;
    size_t present = 0;
    if (fm_profile_read(path, &profile, NULL) != FM_OK)
        return false;
    for (size_t i = 0; i < profile->n_processes; i++)
        present += profile->processes[i].end != FM_END_MISSING;
    bool all = present >= profile->job.ranks;
    fm_profile_destroy(profile);
    return all;
}

static bool all_are(const struct profiles *profiles, bool (*what)(const char *path))
{
    bool all = profiles->n > 0;
    for (size_t i = 0; i < profiles->n && i < MAX_KEPT; i++)
        all = all && what(profiles->paths[i]);
    return all;
}

static bool enough(void *context)
{
    return all_are(context, is_complete);
}

static void print_unreached(const struct fm_run_hosts *hosts)
{
    char list[400] = "";
    size_t unreached = 0, used = 0;
    for (size_t i = 0; i < hosts->n; i++) {
        if (hosts->items[i].reached)
            continue;
        if (used + FM_HOST_BYTES + 8 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", unreached ? ", " : "",
                                     hosts->items[i].name);
        else if (used + 5 < sizeof list && strcmp(list + used - 3, "...") != 0)
            used += (size_t)snprintf(list + used, sizeof list - used, " ...");
        unreached++;
    }
    if (unreached)
        fm_print_line(stderr, "fathom: cannot reach %zu host%s: %s; the data stays there: run 'fathom collect' on it\n",
                      unreached, unreached == 1 ? "" : "s", list);
}

/* After a failure, or if the job ran only on other hosts: asks them for their profiles and data. */
static void ask_hosts(const struct fm_run_env *env, const struct fm_run_options *options, struct profiles *profiles)
{
    struct fm_run_hosts hosts;
    if (all_are(profiles, is_complete))
        return;
    fm_run_hosts_find(&hosts, options->command);
    if (hosts.n) {
        fm_run_hosts_collect(&hosts, options->command, env, add_profile, enough, profiles);
        if (!options->quiet && !all_are(profiles, has_all_ranks))
            print_unreached(&hosts);
    }
    fm_run_hosts_free(&hosts);
}

static bool has_profiles(const struct fm_run_env *env)
{
    struct profiles profiles;
    find_profiles(env, &profiles);
    free(profiles.paths);
    return profiles.n > 0;
}

/* ---- messages ---- */

static const char unseen_mpi[] =
    "the program loaded MPI, but no call of it was seen; calls through dlsym with a handle (ctypes, Julia) or in "
    "libraries loaded with RTLD_DEEPBIND are not measured";

static bool has_unseen_mpi(const struct fm_profile *profile)
{
    for (size_t i = 0; i < profile->n_notes; i++)
        if (profile->notes[i].code == FM_NOTE_UNSEEN_MPI)
            return true;
    return false;
}

static void print_profile(const char *path)
{
    struct fm_profile *profile;
    char ends[400];
    const char *name = fm_basename(path);
    bool here = access(name, R_OK) == 0;
    fm_print_line(stderr, "fathom: profile in %s; view it with: fathom report %s\n", path, here ? name : path);
    if (fm_profile_read(path, &profile, NULL) != FM_OK)
        return;
    if (!fm_profile_complete(profile))
        fm_print_line(stderr, "fathom: it is incomplete: %s\n", fm_profile_ends_text(profile, ends, sizeof ends));
    if (profile->n_routines == 0 && fm_program_has_static_mpi(profile->job.exe))
        fm_print_line(
            stderr, "fathom: no MPI call was seen: %s is statically linked with MPI; link it with the shared libmpi\n",
            profile->job.exe);
    else if (has_unseen_mpi(profile))
        fm_print_line(stderr, "fathom: %s\n", unseen_mpi);
    fm_profile_destroy(profile);
}

/* To the site, if it keeps records of jobs. */
static void hand_over(const struct profiles *profiles, bool quiet)
{
    for (size_t i = 0; i < profiles->n && i < MAX_KEPT; i++)
        fm_site_hand_over(profiles->paths[i], quiet);
}

static const char *program_of(const struct fm_run_env *env, const struct fm_run_options *options)
{
    return env->launcher ? "PROGRAM" : options->command[0];
}

/* For the last rank of a host: only a `fathom run` above the launcher is in charge. */
static void print_found(const struct outcome *outcome, const struct profiles *profiles)
{
    for (size_t i = 0; i < profiles->n && i < MAX_PRINTED; i++)
        print_profile(profiles->paths[i]);
    if (profiles->n > MAX_PRINTED)
        fprintf(stderr, "fathom: and %zu more profiles\n", profiles->n - MAX_PRINTED);
    if (outcome->failed)
        fm_print_line(stderr, "fathom: %s; the data is kept; collect it with: fathom collect -o DIRECTORY\n",
                      outcome->failure);
}

static bool no_directory(void)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    for (size_t i = 0; i < n; i++)
        if (fm_node_directory_make(directories[i], NULL) == FM_OK && access(directories[i], W_OK) == 0)
            return false;
    return true;
}

/* Usually it failed before its programs started. */
static void print_failed(const char *command, int status, const char *program)
{
    char how[80];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exited with status %d", WEXITSTATUS(status));
    fm_print_line(
        stderr,
        "fathom: %s %s before anything was measured, so there is no profile; if it uses MPI, try: fathom doctor "
        "%s\n",
        command, how, program);
}

static void print_outcome(const struct fm_run_env *env, const struct fm_run_options *options,
                          const struct outcome *outcome, const struct profiles *profiles, int status)
{
    print_found(outcome, profiles);
    if (outcome->running)
        fm_print_line(stderr, "fathom: processes of %s are still running; when they have ended, run: fathom collect\n",
                      outcome->running_key);
    if (profiles->n || outcome->failed || outcome->running)
        return;
    if (no_directory())
        fm_print_line(
            stderr,
            "fathom: no directory for the data (neither %s nor one in TMPDIR): each process wrote its own part, and "
            "the data of killed processes is lost; set FATHOM_DIR to a directory of your own\n",
            env->directory);
    else if (profiles->unseen_mpi)
        fm_print_line(stderr, "fathom: nothing was measured, so there is no profile: %s\n", unseen_mpi);
    else if (status)
        print_failed(options->command[0], status, program_of(env, options));
    else
        fm_print_line(
            stderr,
            "fathom: nothing was measured, so there is no profile (no MPI, statically linked MPI, a setuid program, "
            "a seccomp filter, or too little memory or stack?); try: fathom doctor %s\n",
            program_of(env, options));
}

void fm_run_end(struct fm_run_hold *hold, const struct fm_run_env *env, const struct fm_run_options *options,
                const struct fm_child *child)
{
    struct outcome outcome;
    bool in_charge = env->outermost && !env->rank;
    note_end(child);
    bool last = is_last(hold, in_charge ? LAST_WAIT_MS : 0);
    if (!last && !in_charge)
        return;
    const char *report = options->report ? options->report : getenv("FATHOM_REPORT");
    collect(env, report, in_charge ? RUN_WAIT_MS : RANK_WAIT_MS, &outcome);
    if (in_charge) {
        struct profiles profiles;
        find_profiles(env, &profiles);
        ask_hosts(env, options, &profiles);
        if (!options->quiet)
            print_outcome(env, options, &outcome, &profiles, child->status);
        hand_over(&profiles, options->quiet);
        free(profiles.paths);
    } else if (env->outermost) {
        struct profiles profiles;
        find_profiles(env, &profiles);
        if (!options->quiet)
            print_found(&outcome, &profiles);
        hand_over(&profiles, options->quiet);
        free(profiles.paths);
    }
    if (!outcome.running && (env->outermost || !has_profiles(env))) /* one above us on another host will ask for it */
        remove_run_files(env);
}
