/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/feed.h"
#include "base/clock.h"
#include "render/text.h"

enum { START_S = 20, HOSTS_A_S = 20, ANSWER_S = 180, ASK_MS = 200, END_MS = 2000, KILL_MS = 8000, MAX_BYTES = 1 << 30 };

/* ---- launcher ---- */

static _Noreturn void become(const struct fm_remote_command *command, const int in[2], const int out[2],
                             const int err[2], pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    setsid(); /* Ctrl-C is for us; we then ask for the final result */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
        dup2(err[1], STDERR_FILENO) < 0)
        _exit(127);
    if (*command->directory && chdir(command->directory) != 0)
        _exit(127);
    sigprocmask(SIG_SETMASK, &none, NULL);
    environ = (char **)command->environment; /* for its PATH as well */
    execvp(command->words[0], command->words);
    dprintf(STDERR_FILENO, "%s: %s\n", command->words[0], strerror(errno));
    _exit(127);
}

static void close_pair(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

enum fm_status fm_remote_start(struct fm_remote *remote, const struct fm_remote_command *command,
                               struct fm_error *error)
{
    int in[2], out[2], err[2];
    *remote = (struct fm_remote){.in = -1, .out = -1, .err = -1, .limit_s = START_S + command->hosts / HOSTS_A_S};
    if (pipe2(in, O_CLOEXEC) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create a pipe: %s", strerror(errno));
    if (pipe2(out, O_CLOEXEC) != 0) {
        close_pair(in);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create a pipe: %s", strerror(errno));
    }
    pid_t self = getpid();
    if (pipe2(err, O_CLOEXEC) != 0 || (remote->pid = fork()) < 0) {
        close_pair(in);
        close_pair(out);
        remote->pid = 0;
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create a process: %s", strerror(errno));
    }
    if (remote->pid == 0)
        become(command, in, out, err, self);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    remote->in = in[1];
    remote->out = out[0];
    remote->err = err[0];
    fcntl(remote->out, F_SETFL, O_NONBLOCK);
    fcntl(remote->err, F_SETFL, O_NONBLOCK);
    return FM_OK;
}

/* Closing its input asks it to end; then signals are sent. */
void fm_remote_close(struct fm_remote *remote)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    if (!remote->pid)
        return;
    close(remote->in);
    for (int ms = 0; waitpid(remote->pid, NULL, WNOHANG) == 0; ms += 20) {
        if (ms == (remote->dead ? 0 : END_MS))
            kill(remote->pid, SIGTERM);
        if (ms == KILL_MS)
            kill(remote->pid, SIGKILL);
        nanosleep(&pause, NULL);
    }
    close(remote->out);
    close(remote->err);
    remote->pid = 0;
}

/* ---- messages ---- */

/* Messages of the agents are for the user; those of the launcher matter only if it fails. */
static void end_line(struct fm_remote *remote)
{
    remote->line[remote->line_bytes] = 0;
    const char *ours = strstr(remote->line, "fathom attach on ");
    size_t room = sizeof remote->said - 1 - remote->said_bytes;
    if (ours)
        fm_print_line(stderr, "%s\n", ours);
    else if (remote->line_bytes + 1 < room)
        remote->said_bytes += (size_t)snprintf(remote->said + remote->said_bytes, room, "%s\n", remote->line);
    remote->line_bytes = 0;
}

static void read_errors(struct fm_remote *remote)
{
    char text[512];
    ssize_t n;
    while ((n = read(remote->err, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] == '\n' || remote->line_bytes == sizeof remote->line - 1)
                end_line(remote);
            if (text[i] != '\n')
                remote->line[remote->line_bytes++] = text[i];
        }
}

static bool is_interrupted(void)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP);
}

/* Reads exactly `size` bytes. Unless `patient`, an interrupt ends it: an answer may then be long in coming. */
static bool read_exactly(struct fm_remote *remote, void *to, size_t size, uint64_t deadline, bool patient)
{
    for (char *at = to; size;) {
        struct pollfd fds[2] = {{.fd = remote->out, .events = POLLIN}, {.fd = remote->err, .events = POLLIN}};
        if (fm_clock_ns(CLOCK_MONOTONIC) > deadline || (!patient && is_interrupted()))
            return false;
        poll(fds, 2, ASK_MS);
        read_errors(remote);
        ssize_t n = read(remote->out, at, size);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Skips anything that is printed before, by whatever started the agents. */
static bool read_head(struct fm_remote *remote, struct fm_feed_header *head, uint64_t deadline, bool patient)
{
    size_t known = 0;
    while (known < sizeof head->magic) {
        if (!read_exactly(remote, &head->magic[known], 1, deadline, patient))
            return false;
        if (head->magic[known] == FM_FEED_MAGIC[known])
            known++;
        else
            known = head->magic[known] == FM_FEED_MAGIC[0];
    }
    return read_exactly(remote, &head->size, sizeof head->size, deadline, patient);
}

/* Ignores SIGPIPE: a launcher that has ended must not terminate us. */
static bool ask(const struct fm_remote *remote, char what)
{
    sigset_t pipe, before;
    const struct timespec now = {0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, &before);
    bool asked = write(remote->in, &what, 1) == 1;
    if (!asked)
        sigtimedwait(&pipe, NULL, &now);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return asked;
}

enum fm_status fm_remote_look(struct fm_remote *remote, bool last, struct fm_attach_result *result,
                              struct fm_error *error)
{
    uint64_t deadline = fm_clock_ns(CLOCK_MONOTONIC) + remote->limit_s * 1000000000ull;
    struct fm_arena arena = {0};
    struct fm_feed_header head;
    void *bytes = NULL;
    if (!remote->dead && ask(remote, last ? FM_FEED_END : FM_FEED_LOOK) && read_head(remote, &head, deadline, last) &&
        head.size <= MAX_BYTES && (bytes = fm_arena_alloc(&arena, head.size)) &&
        !read_exactly(remote, bytes, head.size, deadline, last))
        bytes = NULL;
    enum fm_status status = bytes ? fm_attach_result_decode(bytes, head.size, result, error)
                                  : fm_fail(error, FM_ERR_SYSTEM, "the agents on the other hosts have ended");
    remote->dead |= !bytes;
    remote->limit_s = ANSWER_S;
    read_errors(remote);
    fm_arena_destroy(&arena);
    return status;
}
