/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/basename.h"
#include "cli/child.h"

enum {
    AT_ONCE = 16,
    ATTEMPTS = 2,
    HOST_TIMEOUT_MS = 10000, /* per host */
    ALL_TIMEOUT_MS = 120000, /* for all hosts */
    ANSWER_BYTES = 64 << 10
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- hosts ---- */

void fm_run_hosts_find(struct fm_run_hosts *hosts, char **command)
{
    char own[FM_HOST_BYTES] = "";
    memset(hosts, 0, sizeof *hosts);
    if (fm_is_launcher(command[0]))
        fm_hosts_add_named(hosts, command);
    if (hosts->n == 0)
        fm_hosts_add_allocated(hosts, fm_own_variable, NULL);
    gethostname(own, sizeof own - 1);
    if (hosts->n == 1 && (strcmp(hosts->items[0].name, own) == 0 || strcmp(hosts->items[0].name, "localhost") == 0))
        hosts->n = 0;
}

/* ---- command of the collector ---- */

/* If a script has started the job, the launcher of the batch system or the usual one is used. */
static void collector_words(struct fm_arguments *words, char **command, const char *host, const char *self,
                            const struct fm_run_env *env)
{
    const struct fm_launcher *slurm = &fm_launchers[FM_LAUNCHER_SLURM];
    const char *usual = getenv(slurm->job_id) ? slurm->commands : fm_launchers[FM_LAUNCHER_OPENMPI].commands;
    const char *name = fm_is_launcher(command[0]) ? command[0] : usual;
    const struct fm_launcher *launcher = fm_launcher_of(name);
    words->n = 0;
    fm_arguments_add(words, name);
    if (launcher == slurm) {
        fm_arguments_add(words, "-N1");
        fm_arguments_add(words, "-n1");
        fm_arguments_add(words, "--overlap");
        fm_arguments_add(words, "-w");
        fm_arguments_add(words, host);
    } else {
        if (name == command[0])
            fm_arguments_copy_options(words, command);
        fm_arguments_add_hosts(words, launcher, host, "1");
    }
    fm_arguments_add(words, self);
    fm_arguments_add(words, "collect");
    fm_arguments_add(words, "--run");
    fm_arguments_add(words, env->run_id);
    if (getenv("FATHOM_DIR"))
        fm_arguments_add(words, env->directory);
    words->items[words->n] = NULL;
}

/* ---- requests ---- */

struct request {
    struct fm_run_host *host;
    pid_t pid;
    int fd; /* -1: end of output */
    size_t used;
    char answer[ANSWER_BYTES];
};

static void start_request(struct request *request, struct fm_run_host *host, char *const *words)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    request->host = host;
    request->pid = 0;
    request->used = 0;
    request->fd = -1;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&request->pid, words[0], &actions, NULL, words, environ) == 0) {
        request->fd = ends[0];
    } else {
        request->pid = 0;
        close(ends[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
}

static void read_host(struct request *request)
{
    size_t room = sizeof request->answer - 1 - request->used;
    ssize_t n = room ? read(request->fd, request->answer + request->used, room) : 0;
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        close(request->fd);
        request->fd = -1;
        return;
    }
    request->used += (size_t)n;
}

static void read_all_hosts(struct request *requests, size_t n, int64_t deadline)
{
    for (;;) {
        struct pollfd fds[AT_ONCE];
        size_t open = 0;
        for (size_t i = 0; i < n; i++) {
            fds[i] = (struct pollfd){.fd = requests[i].fd, .events = POLLIN}; /* negative descriptors are ignored */
            open += requests[i].fd >= 0;
        }
        int64_t left = deadline - now_ms();
        if (open == 0 || left <= 0 || fm_child_interrupted())
            return;
        if (poll(fds, (nfds_t)n, (int)(left < 200 ? left : 200)) <= 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (fds[i].fd >= 0 && fds[i].revents)
                read_host(&requests[i]);
    }
}

static void read_answer(struct request *request, void (*profile)(void *, const char *), void *context)
{
    char *rest = NULL;
    request->answer[request->used] = 0;
    for (char *line = strtok_r(request->answer, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strcmp(line, FM_HOST_REACHED) == 0)
            request->host->reached = true;
        if (strncmp(line, FM_HOST_PROFILE, strlen(FM_HOST_PROFILE)) == 0)
            profile(context, line + strlen(FM_HOST_PROFILE));
    }
}

/* Terminates a launcher that hangs: SIGTERM first, then SIGKILL. */
static void stop_request(struct request *request)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    if (request->fd >= 0) {
        close(request->fd);
        request->fd = -1;
        kill(request->pid, SIGTERM);
    }
    for (int i = 0; request->pid > 0 && waitpid(request->pid, NULL, WNOHANG) == 0; i++) {
        if (i == 100)
            kill(request->pid, SIGKILL);
        nanosleep(&pause, NULL);
    }
    request->pid = 0;
}

/* A launcher that has ended without an answer is started once more: two of Open MPI's that start at the same time can
 * fail, because they create and remove the same directory. */
static void ask(struct request *requests, struct fm_run_host *hosts, size_t n, char **command, const char *self,
                const struct fm_run_env *env)
{
    bool answered[AT_ONCE] = {false};
    int64_t deadline = now_ms() + HOST_TIMEOUT_MS;
    for (int attempt = 0; attempt < ATTEMPTS && now_ms() < deadline && !fm_child_interrupted(); attempt++) {
        for (size_t i = 0; i < n; i++) {
            struct fm_arguments words;
            if (answered[i])
                continue;
            collector_words(&words, command, hosts[i].name, self, env);
            start_request(&requests[i], &hosts[i], words.items);
        }
        read_all_hosts(requests, n, deadline);
        for (size_t i = 0; i < n; i++) {
            answered[i] = requests[i].used > 0;
            stop_request(&requests[i]);
        }
    }
}

void fm_run_hosts_collect(struct fm_run_hosts *hosts, char **command, const struct fm_run_env *env,
                          void (*profile)(void *context, const char *path), bool (*enough)(void *context),
                          void *context)
{
    char self[FM_FILE_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    struct request *requests = length > 0 ? calloc(AT_ONCE, sizeof *requests) : NULL;
    int64_t end = now_ms() + ALL_TIMEOUT_MS;
    if (requests)
        self[length] = 0;
    for (size_t at = 0, n; requests && at < hosts->n && now_ms() < end && !fm_child_interrupted(); at += n) {
        n = at == 0 ? 1 : hosts->n - at < AT_ONCE ? hosts->n - at : AT_ONCE;
        ask(requests, hosts->items + at, n, command, self, env);
        for (size_t i = 0; i < n; i++)
            read_answer(&requests[i], profile, context);
        if (enough(context))
            break;
    }
    free(requests);
}
