/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/site_child.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/printing.h"
#include "cli/site_make.h"
#include "render/text.h"
#include "site/send/send.h"
#include "symbols/drop_privileges.h"

enum { MAX_MEMORY_GB = 4, GRACE_SECONDS = 2, CHILD_FAILED = 100 };

static void set_limit(int resource, rlim_t value)
{
    struct rlimit limit = {value, value};
    setrlimit(resource, &limit);
}

static void limit_child(const struct fm_site_config *config)
{
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_AS, (rlim_t)MAX_MEMORY_GB << 30);
    set_limit(RLIMIT_CPU, (rlim_t)ceil(config->make_seconds) + 1);
}

static enum fm_sent send_record(const char *path, uid_t owner, const struct fm_site_config *config,
                                const struct fm_record_rules *rules)
{
    static struct fm_site_text made;
    struct fm_error error = {0};
    enum fm_status status = fm_site_make(path, owner, rules, &made, &error);
    if (!status && !made.wanted)
        return FM_SENT_EXCLUDED;
    if (status) {
        fm_print_line(stderr, "fathom site send: %s: %s.\n", path, error.text);
        return status == FM_ERR_INPUT ? FM_SENT_REFUSED : FM_SENT_LEFT;
    }
    if (fm_site_send(config, made.key, made.text, made.length, &error) == FM_OK)
        return FM_SENT;
    fm_print_line(stderr, "fathom site send: %s: %s.\n", path, error.text);
    return FM_SENT_LEFT;
}

/* In the child. The user must not inherit root's open files. */
static int run_child(const char *path, uid_t owner, gid_t group, const struct fm_site_config *config,
                     const struct fm_record_rules *rules)
{
    closefrom(STDERR_FILENO + 1);
    if (geteuid() == 0 && owner != 0 && !fm_drop_privileges(owner, group)) {
        fm_print_line(stderr, "fathom site send: cannot switch to uid %u, the owner of %s.\n", (unsigned)owner, path);
        return CHILD_FAILED;
    }
    if (chdir("/") != 0)
        return CHILD_FAILED;
    limit_child(config);
    return (int)send_record(path, owner, config, rules);
}

/* The owner can stop the child: it is not waited for longer than it may take. True if it has ended. */
static bool wait_until(pid_t child, uint64_t until_ns, int *status)
{
    for (long pause_ns = 200000; fm_clock_ns(CLOCK_MONOTONIC) < until_ns;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return ended == child;
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns < 20000000 ? pause_ns * 2 : pause_ns;
    }
    return false;
}

static enum fm_sent outcome_of(const char *path, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_FAILED;
    if (WIFSIGNALED(status)) {
        fm_print_line(stderr, "fathom site send: %s: ended by signal %d.\n", path, WTERMSIG(status));
        return FM_SENT_REFUSED;
    }
    return code <= (int)FM_SENT_LEFT ? (enum fm_sent)code : FM_SENT_LEFT;
}

enum fm_sent fm_site_send_profile(const char *path, uid_t owner, gid_t group, const struct fm_site_config *config,
                                  const struct fm_record_rules *rules)
{
    int status = 0;
    double seconds = config->make_seconds + config->send_seconds + GRACE_SECONDS;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(run_child(path, owner, group, config, rules));
    if (child < 0) {
        fm_say((void *)"site send", "cannot create a process");
        return FM_SENT_LEFT;
    }
    if (wait_until(child, fm_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), &status))
        return outcome_of(path, status);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    fm_print_line(stderr, "fathom site send: %s: not finished after %.0f seconds.\n", path, seconds);
    return FM_SENT_REFUSED;
}
