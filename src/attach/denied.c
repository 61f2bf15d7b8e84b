/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/denied.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number after `word` in a file, or -1. */
static long number_after(const char *path, const char *word)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    long number = -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return -1;
    text[n] = 0;
    const char *at = strstr(text, word);
    return at && sscanf(at + strlen(word), "%ld", &number) == 1 ? number : -1;
}

static long status_of(pid_t pid, const char *word)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return number_after(path, word);
}

pid_t fm_tracer_of(pid_t pid)
{
    long tracer = status_of(pid, "\nTracerPid:");
    return tracer > 0 ? (pid_t)tracer : 0;
}

long fm_owner_of(pid_t pid)
{
    return status_of(pid, "\nUid:");
}

enum fm_status fm_denied(pid_t pid, const char *yama, struct fm_error *error)
{
    long uid = fm_owner_of(pid), scope = number_after(yama, "");
    pid_t tracer = fm_tracer_of(pid);
    const struct passwd *user = uid >= 0 ? getpwuid((uid_t)uid) : NULL;
    if (uid < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "process %d has ended", (int)pid);
    if (status_of(pid, "\nVmSize:") < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "process %d is a kernel thread, or has just ended", (int)pid);
    if (tracer)
        return fm_fail(error, FM_ERR_SYSTEM, "process %d is being traced by process %d (a debugger); detach it first",
                       (int)pid, (int)tracer);
    if (geteuid() != 0 && uid != (long)geteuid())
        return fm_fail(error, FM_ERR_SYSTEM, "process %d belongs to user %s: only that user or root may attach to it",
                       (int)pid, user ? user->pw_name : "?");
    if (scope >= 3)
        return fm_fail(
            error, FM_ERR_SYSTEM,
            "kernel.yama.ptrace_scope is 3: nobody may attach to a process until the next reboot; start the job with "
            "'fathom run'");
    if (scope >= 1)
        return fm_fail(error, FM_ERR_SYSTEM,
                       "kernel.yama.ptrace_scope is %ld: only %s may attach to a process; set it to 0 with 'sysctl "
                       "kernel.yama.ptrace_scope=0', or start the job with 'fathom run'",
                       scope, scope == 1 ? "parents and root" : "root");
    return fm_fail(
        error, FM_ERR_SYSTEM,
        "cannot attach to process %d: it is not dumpable (prctl PR_SET_DUMPABLE, setuid), or this container does not "
        "allow ptrace (CAP_SYS_PTRACE); start the job with 'fathom run'",
        (int)pid);
}
