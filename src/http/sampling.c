/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/feed.h"
#include "base/clock.h"

#define FIRST_NS 2000000000ull /* as the command on a terminal */
#define PAUSE_NS 2000000000ull
#define PAUSE_MAX_NS 60000000000ull
enum { PART = 50, RESULT_MOST = 1 << 30, END_MS = 2000, KILL_MS = 12000, STEP_MS = 20 };

struct fm_job_sampling {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows until `said` */
    bool stopping, over;
    void *bytes; /* the newest result, until it is taken */
    size_t size;
    char said[512];
    size_t said_bytes;
    /* Of the thread alone. */
    pid_t pid;
    int in, out, err;
    int wake; /* an event: to be stopped */
    uint64_t begun_ns;
};

/* ---- the child ---- */

static bool make_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0) {
            for (; i-- > 0; close(pipes[i][0]), close(pipes[i][1]))
                ;
            return false;
        }
    return true;
}

/* The server blocks and ignores signals; a session of its own keeps a Ctrl-C for the server. */
static int spawn(pid_t *pid, char *const *words, int pipes[3][2])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    sigfillset(&usual);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_adddup2(&files, pipes[0][0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, pipes[1][1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, pipes[2][1], STDERR_FILENO);
    int failed = posix_spawn(pid, "/proc/self/exe", &files, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static int start(struct fm_job_sampling *sampling, const pid_t *pids, size_t n)
{
    enum { CHARS = 12 };
    static const char *const before[] = {"fathom", "attach", "--fed"};
    enum { BEFORE = sizeof before / sizeof *before };
    char numbers[FM_SAMPLING_PIDS][CHARS];
    char *words[BEFORE + FM_SAMPLING_PIDS + 1];
    int pipes[3][2];
    memcpy(words, before, sizeof before);
    for (size_t i = 0; i < n; i++) {
        snprintf(numbers[i], CHARS, "%d", (int)pids[i]);
        words[BEFORE + i] = numbers[i];
    }
    words[BEFORE + n] = NULL;
    if (!make_pipes(pipes))
        return errno;
    int failed = spawn(&sampling->pid, words, pipes);
    close(pipes[0][0]);
    close(pipes[1][1]);
    close(pipes[2][1]);
    if (failed) {
        close(pipes[0][1]);
        close(pipes[1][0]);
        close(pipes[2][0]);
        return failed;
    }
    sampling->in = pipes[0][1];
    sampling->out = pipes[1][0];
    sampling->err = pipes[2][0];
    fcntl(sampling->out, F_SETFL, O_NONBLOCK);
    fcntl(sampling->err, F_SETFL, O_NONBLOCK);
    return 0;
}

/* ---- the thread ---- */

/* Keeps the beginning of what the child says. */
static void listen_to(struct fm_job_sampling *sampling)
{
    char text[512];
    ssize_t n;
    while ((n = read(sampling->err, text, sizeof text)) > 0) {
        pthread_mutex_lock(&sampling->lock);
        size_t room = sizeof sampling->said - 1 - sampling->said_bytes, kept = (size_t)n < room ? (size_t)n : room;
        memcpy(sampling->said + sampling->said_bytes, text, kept);
        sampling->said_bytes += kept;
        pthread_mutex_unlock(&sampling->lock);
    }
}

/* Returns false if it is to be stopped. */
static bool wait_for(struct fm_job_sampling *sampling, short wanted, uint64_t until_ns)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = sampling->wake, .events = POLLIN},
                               {.fd = sampling->out, .events = wanted},
                               {.fd = sampling->err, .events = POLLIN}};
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        if (now >= until_ns)
            return true;
        uint64_t ms = (until_ns - now) / 1000000 + 1;
        int n = poll(fds, 3, ms > 1000 ? 1000 : (int)ms);
        listen_to(sampling);
        if (n > 0 && fds[0].revents)
            return false;
        if (n > 0 && fds[1].revents) /* something to read, or the child has ended */
            return true;
        if (n > 0 && fds[2].revents & POLLHUP)
            poll(NULL, 0, STEP_MS); /* soon its output ends, too */
    }
}

static bool read_exactly(struct fm_job_sampling *sampling, void *to, size_t size)
{
    for (char *at = to; size;) {
        ssize_t n = read(sampling->out, at, size);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
        if (n < 0 && !wait_for(sampling, POLLIN, UINT64_MAX))
            return false;
    }
    return true;
}

static bool ask(struct fm_job_sampling *sampling)
{
    const char look = FM_FEED_LOOK;
    struct fm_feed_header head;
    if (write(sampling->in, &look, 1) != 1 || !read_exactly(sampling, &head, sizeof head) ||
        memcmp(head.magic, FM_FEED_MAGIC, sizeof head.magic) != 0 || head.size > RESULT_MOST)
        return false;
    void *bytes = malloc(head.size);
    if (!bytes || !read_exactly(sampling, bytes, head.size)) {
        free(bytes);
        return false;
    }
    pthread_mutex_lock(&sampling->lock);
    free(sampling->bytes);
    sampling->bytes = bytes;
    sampling->size = head.size;
    pthread_mutex_unlock(&sampling->lock);
    return true;
}

/* The end of its input ends it; signals are for one that hangs. */
static void end_child(struct fm_job_sampling *sampling)
{
    close(sampling->in);
    for (int ms = 0; waitpid(sampling->pid, NULL, WNOHANG) == 0; ms += STEP_MS) {
        if (ms == END_MS)
            kill(sampling->pid, SIGTERM);
        if (ms == KILL_MS)
            kill(sampling->pid, SIGKILL);
        poll(NULL, 0, STEP_MS);
    }
    listen_to(sampling);
    close(sampling->out);
    close(sampling->err);
}

static void *follow(void *context)
{
    struct fm_job_sampling *sampling = context;
    uint64_t next = fm_clock_ns(CLOCK_MONOTONIC) + FIRST_NS;
    while (wait_for(sampling, 0, next)) {
        uint64_t from = fm_clock_ns(CLOCK_MONOTONIC);
        if (!ask(sampling))
            break;
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), pause = (now - from) * PART;
        next = now + (pause < PAUSE_NS ? PAUSE_NS : pause > PAUSE_MAX_NS ? PAUSE_MAX_NS : pause);
    }
    end_child(sampling);
    pthread_mutex_lock(&sampling->lock);
    sampling->over = true;
    pthread_mutex_unlock(&sampling->lock);
    return NULL;
}

/* ---- for others ---- */

enum fm_status fm_sampling_begin(struct fm_job_sampling **sampling, const pid_t *pids, size_t n, struct fm_error *error)
{
    if (n > FM_SAMPLING_PIDS)
        return fm_fail(error, FM_ERR_INPUT, "the job has too many ranks on this host without a launcher");
    struct fm_job_sampling *made = calloc(1, sizeof *made);
    if (!made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory");
    made->begun_ns = fm_clock_ns(CLOCK_MONOTONIC);
    made->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&made->lock, NULL);
    int failed = made->wake < 0 ? errno : start(made, pids, n);
    if (!failed && (failed = pthread_create(&made->thread, NULL, follow, made)))
        end_child(made);
    if (!failed) {
        *sampling = made;
        return FM_OK;
    }
    if (made->wake >= 0)
        close(made->wake);
    free(made);
    return fm_fail(error, FM_ERR_SYSTEM, "cannot start fathom attach: %s", strerror(failed));
}

void fm_sampling_stop(struct fm_job_sampling *sampling)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&sampling->lock);
    bool first = !sampling->stopping;
    sampling->stopping = true;
    pthread_mutex_unlock(&sampling->lock);
    if (first && write(sampling->wake, &one, sizeof one) < 0)
        return; /* cannot be: the counter is 0 */
}

bool fm_sampling_ends(struct fm_job_sampling *sampling)
{
    pthread_mutex_lock(&sampling->lock);
    bool ends = sampling->stopping || sampling->over;
    pthread_mutex_unlock(&sampling->lock);
    return ends;
}

bool fm_sampling_is_over(struct fm_job_sampling *sampling)
{
    pthread_mutex_lock(&sampling->lock);
    bool over = sampling->over;
    pthread_mutex_unlock(&sampling->lock);
    return over;
}

bool fm_sampling_has_news(struct fm_job_sampling *sampling)
{
    pthread_mutex_lock(&sampling->lock);
    bool news = sampling->bytes;
    pthread_mutex_unlock(&sampling->lock);
    return news;
}

uint64_t fm_sampling_age_ns(const struct fm_job_sampling *sampling)
{
    return fm_clock_ns(CLOCK_MONOTONIC) - sampling->begun_ns;
}

bool fm_sampling_take(struct fm_job_sampling *sampling, struct fm_attach_result *result)
{
    pthread_mutex_lock(&sampling->lock);
    void *bytes = sampling->bytes;
    size_t size = sampling->size;
    sampling->bytes = NULL;
    pthread_mutex_unlock(&sampling->lock);
    bool taken = bytes && fm_attach_result_decode(bytes, size, result, NULL) == FM_OK;
    free(bytes);
    return taken;
}

void fm_sampling_said(struct fm_job_sampling *sampling, char *text, size_t size)
{
    static const char name[] = "fathom attach: ";
    pthread_mutex_lock(&sampling->lock);
    sampling->said[sampling->said_bytes] = 0;
    const char *said = sampling->said;
    if (strncmp(said, name, sizeof name - 1) == 0)
        said += sizeof name - 1;
    snprintf(text, size, "%s", said);
    pthread_mutex_unlock(&sampling->lock);
    for (size_t n = strlen(text); n && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
        text[n - 1] = 0;
}

void fm_sampling_close(struct fm_job_sampling *sampling)
{
    pthread_join(sampling->thread, NULL);
    pthread_mutex_destroy(&sampling->lock);
    close(sampling->wake);
    free(sampling->bytes);
    free(sampling);
}
