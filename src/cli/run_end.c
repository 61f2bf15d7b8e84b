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

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/gather.h"
#include "profile/encode.h"
#include "reduce/node_files.h"

enum {
    RUN_WAIT_MS = 5000,  /* ranks die up to 1.5 s after their mpirun was killed */
    RANK_WAIT_MS = 1000, /* a launcher that ends its ranks gives them no longer than this */
    LAST_WAIT_MS = 1000,
    MAX_TOLD = 5
};

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* ---- the hold ---- */

struct outcome {
    const char *report; /* how to report on what is written here: terse, full, a file; NULL: not */
    size_t written, failed, running;
    char failure[600];
    char running_key[72];
};

/* The runtime reports on profiles that it writes itself; we on ours. */
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

static void take_event(void *context, const struct fm_gather_event *event)
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

static void wait_for_living(const char *run_id, int wait_ms)
{
    char directories[FM_GATHER_DIRECTORIES][FM_PATH_BYTES];
    size_t n = fm_gather_directories(directories);
    for (int waited = 0, pause = 5; waited < wait_ms && !fm_child_interrupted(); waited += pause) {
        size_t living = 0;
        for (size_t i = 0; i < n; i++)
            living += fm_gather_living(directories[i], run_id);
        if (!living)
            return;
        pause = pause < 100 ? pause * 2 : 100;
        sleep_ms(pause);
    }
}

/* Foreign processes count as dead: a container that the command started has ended with it. */
static void collect(const struct fm_run_env *env, const char *report, int wait_ms, struct outcome *outcome)
{
    struct fm_gather_options options = {.run_id = env->run_id, .force = true};
    char directories[FM_GATHER_DIRECTORIES][FM_PATH_BYTES];
    size_t n = fm_gather_directories(directories);
    *outcome = (struct outcome){.report = report};
    wait_for_living(env->run_id, wait_ms);
    for (size_t i = 0; i < n; i++)
        fm_gather(directories[i], &options, take_event, outcome, NULL);
}

static void run_path(char path[FM_PATH_BYTES], const char *directory, const char *run_id)
{
    snprintf(path, FM_PATH_BYTES, "%.3800s/%s.run", directory, run_id);
}

static void remove_run_files(const struct fm_run_env *env)
{
    char directories[FM_GATHER_DIRECTORIES][FM_PATH_BYTES], path[FM_PATH_BYTES];
    size_t n = fm_gather_directories(directories);
    for (size_t i = 0; i < n; i++) {
        run_path(path, directories[i], env->run_id);
        unlink(path);
    }
}

void fm_run_hold(struct fm_run_hold *hold, const struct fm_run_env *env)
{
    hold->fd = -1;
    if (fm_node_directory_make(env->directory, NULL) != FM_OK)
        return;
    run_path(hold->path, env->directory, env->run_id);
    hold->fd = open(hold->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (hold->fd >= 0)
        flock(hold->fd, LOCK_SH | LOCK_NB);
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

static bool last_one(const struct fm_run_hold *hold, int wait_ms)
{
    for (int waited = 0;; waited += 20) {
        if (hold->fd < 0 || flock(hold->fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (waited >= wait_ms || fm_child_interrupted())
            return false;
        sleep_ms(20);
    }
}

/* ---- the end of the command ---- */

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
    if (pwrite(fd, &code, sizeof code, offsetof(struct fm_segment_header, seen_code)) == (ssize_t)sizeof code &&
        pwrite(fd, &end, sizeof end, offsetof(struct fm_segment_header, seen_end)) != (ssize_t)sizeof end)
        errno = 0; /* without it the process has vanished, which is true as well */
    close(fd);
    return true;
}

/* The wait status is ours alone to know: into the segment, where every collector finds it. */
static void note_end(const struct fm_child *child)
{
    char directories[FM_GATHER_DIRECTORIES][FM_PATH_BYTES];
    size_t n = fm_gather_directories(directories);
    for (size_t i = 0; i < n; i++)
        fm_node_visit(directories[i], NULL, note_file, (void *)child, NULL);
}

/* ---- telling the user ---- */

static void tell_profile(const char *path)
{
    struct fm_profile *profile;
    char ends[400];
    fprintf(stderr, "fathom: profile in %s; look with: fathom report %s\n", path, path);
    if (fm_profile_read(path, &profile, NULL) != FM_OK)
        return;
    if (!fm_profile_complete(profile))
        fprintf(stderr, "fathom: it is incomplete: %s\n", fm_ends_text(profile, ends, sizeof ends));
    if (profile->n_routines == 0 && fm_program_has_static_mpi(profile->job.exe))
        fprintf(stderr,
                "fathom: no MPI call was seen: MPI is linked statically into %s; link it with the shared libmpi\n",
                profile->job.exe);
    fm_profile_destroy(profile);
}

/* The lines of the run's .run files; the first few are told. Returns how many there are. */
static size_t tell_profiles(const struct fm_run_env *env, bool quiet)
{
    char directories[FM_GATHER_DIRECTORIES][FM_PATH_BYTES], path[FM_PATH_BYTES], line[FM_PATH_BYTES + 2];
    size_t n = fm_gather_directories(directories), found = 0;
    for (size_t i = 0; i < n; i++) {
        char last[FM_PATH_BYTES + 2] = "";
        run_path(path, directories[i], env->run_id);
        int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
        while (file && fgets(line, sizeof line, file)) {
            line[strcspn(line, "\n")] = 0;
            if (strcmp(line, last) == 0) /* a second host's or a late process's part of the same profile */
                continue;
            memcpy(last, line, sizeof last);
            if (found++ < MAX_TOLD && !quiet)
                tell_profile(line);
        }
        if (file)
            fclose(file);
    }
    if (found > MAX_TOLD && !quiet)
        fprintf(stderr, "fathom: and %zu more profiles\n", found - MAX_TOLD);
    return found;
}

static const char *program_of(const struct fm_run_env *env, const struct fm_run_options *options)
{
    return env->launcher ? "PROGRAM" : options->command[0];
}

static void tell(const struct fm_run_env *env, const struct fm_run_options *options, const struct outcome *outcome)
{
    size_t profiles = tell_profiles(env, options->quiet);
    if (options->quiet)
        return;
    if (outcome->failed)
        fprintf(stderr, "fathom: %s; the data is kept: collect it with: fathom collect -o DIRECTORY\n",
                outcome->failure);
    if (outcome->running)
        fprintf(stderr, "fathom: processes of %s still run; when they have ended: fathom collect\n",
                outcome->running_key);
    if (!profiles && !outcome->failed && !outcome->running)
        fprintf(stderr,
                "fathom: no MPI call was seen, so there is no profile (no MPI in it, MPI linked statically, a setuid "
                "program?); try: fathom doctor %s\n",
                program_of(env, options));
}

void fm_run_end(struct fm_run_hold *hold, const struct fm_run_env *env, const struct fm_run_options *options,
                const struct fm_child *child)
{
    struct outcome outcome;
    bool in_charge = env->outermost && !env->rank;
    note_end(child);
    bool last = last_one(hold, in_charge ? LAST_WAIT_MS : 0);
    if (!last && !in_charge)
        return;
    const char *report = options->report ? options->report : getenv("FATHOM_REPORT");
    collect(env, report, in_charge ? RUN_WAIT_MS : RANK_WAIT_MS, &outcome);
    if (in_charge)
        tell(env, options, &outcome);
    if (!outcome.running)
        remove_run_files(env);
}
