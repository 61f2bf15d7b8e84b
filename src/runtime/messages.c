/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/messages.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/settings.h"
#include "collect/node_files.h"
#include "runtime/lock.h"
#include "runtime/runtime.h"

static const char *text_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? text : "";
}

/* A `fathom run` for each rank prints no messages itself. */
static bool is_reported_by_run(const char *run_id)
{
    return *run_id && strncmp(run_id, "ranks-", 6) != 0;
}

/* ---- the descriptor ---- */

void fm_messages_begin(void)
{
    struct stat st;
    fm_rt.say.at_first.known = fstat(STDERR_FILENO, &st) == 0;
    fm_rt.say.at_first.device = fm_rt.say.at_first.known ? st.st_dev : 0;
    fm_rt.say.at_first.file = fm_rt.say.at_first.known ? st.st_ino : 0;
}

static bool is_as_at_first(void)
{
    struct stat st;
    return fstat(STDERR_FILENO, &st) == 0 && (!fm_rt.say.at_first.known || (st.st_dev == fm_rt.say.at_first.device &&
                                                                            st.st_ino == fm_rt.say.at_first.file));
}

static bool has_room(void)
{
    struct pollfd stream = {.fd = STDERR_FILENO, .events = POLLOUT};
    const struct timespec at_once = {0};
    return fm_kernel(SYS_ppoll, &stream, 1, &at_once, NULL, sizeof(uint64_t)) == 1 && stream.revents & POLLOUT;
}

/* In one write: what other ranks say does not come in between. A reader that has no time is not waited for, and one that
 * has gone does not end the program: the signal of that is taken back. */
static void write_if_possible(const char *line, size_t length)
{
    const uint64_t broken = 1ull << (SIGPIPE - 1);
    const struct timespec at_once = {0};
    uint64_t pending = 0;
    if (!is_as_at_first() || !has_room())
        return;
    uint64_t before = fm_set_signals(UINT64_MAX);
    fm_kernel(SYS_rt_sigpending, &pending, sizeof pending);
    if (fm_kernel(SYS_write, STDERR_FILENO, line, length) == -EPIPE && !(pending & broken))
        fm_kernel(SYS_rt_sigtimedwait, &broken, NULL, &at_once, sizeof broken);
    fm_set_signals(before);
}

/* ---- sentences ---- */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[FM_FILE_PATH_BYTES + 512] = "fathom: "; /* programs have small stacks, too */
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    used += (size_t)length < sizeof line - used - 1 ? (size_t)length : sizeof line - used - 2;
    line[used++] = '\n';
    write_if_possible(line, used);
}

static void say_problem(void *context, const char *name, const char *sentence)
{
    (void)context;
    (void)name;
    say("%s", sentence);
}

void fm_messages_settings(int rank)
{
    const char *run_id = text_of("FATHOM_RUN_ID"), *output = text_of("FATHOM_OUTPUT"),
               *directory = text_of("FATHOM_DIR");
    char folder[FM_FILE_PATH_BYTES];
    if (fm_syscalls_forbidden() || is_reported_by_run(run_id))
        return;
    fm_rt.say.output_is_told = *output && !*run_id && fm_node_output_refused(output, folder);
    int reason = errno;
    if (rank != 0)
        return;
    fm_settings_problems(say_problem, NULL);
    if (fm_rt.say.output_is_told)
        say("FATHOM_OUTPUT: cannot write a profile to %.3000s (%s); using the working directory, or your home "
            "directory",
            folder, fm_node_reason(reason));
    if (*directory && fm_rt.segment && strcmp(fm_rt.directory, directory) != 0)
        say("FATHOM_DIR: cannot use %.3000s; the data is kept in %s", directory,
            *fm_rt.directory ? fm_rt.directory : "private memory, and is lost if the program is killed");
}

void fm_messages_output(const struct fm_error *error, const char *path)
{
    const char *run_id = fm_rt.segment->run_id;
    if (*run_id || (path && fm_rt.say.output_is_told))
        return;
    if (path)
        say("%s; the profile is in %s", error->text, path);
    else if (*fm_rt.directory)
        say("%s; the data is kept in %s; collect it with: fathom collect -o DIRECTORY", error->text, fm_rt.directory);
    else
        say("%s; the data is lost", error->text);
}
