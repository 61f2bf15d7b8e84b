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

/* Returns true if a `fathom run` around the launcher reports problems itself. One per rank ("ranks-") does not. */
static bool is_reported_by_run(const char *run_id)
{
    return *run_id && strncmp(run_id, "ranks-", 6) != 0;
}

/* ---- stderr ---- */

void fm_messages_begin(void)
{
    struct stat st;
    fm_rt.say.initial_stderr.known = fstat(STDERR_FILENO, &st) == 0;
    fm_rt.say.initial_stderr.device = fm_rt.say.initial_stderr.known ? st.st_dev : 0;
    fm_rt.say.initial_stderr.file = fm_rt.say.initial_stderr.known ? st.st_ino : 0;
}

static bool is_unchanged(void)
{
    struct stat st;
    return fstat(STDERR_FILENO, &st) == 0 &&
           (!fm_rt.say.initial_stderr.known ||
            (st.st_dev == fm_rt.say.initial_stderr.device && st.st_ino == fm_rt.say.initial_stderr.file));
}

static bool is_writable(void)
{
    struct pollfd stream = {.fd = STDERR_FILENO, .events = POLLOUT};
    const struct timespec no_wait = {0};
    return fm_kernel(SYS_ppoll, &stream, 1, &no_wait, NULL, sizeof(uint64_t)) == 1 && stream.revents & POLLOUT;
}

/* One write, so that lines of different ranks do not interleave. Does not block if the reader is slow, and a closed
 * pipe does not kill the program: the resulting SIGPIPE is consumed. */
static void write_if_possible(const char *line, size_t length)
{
    const uint64_t sigpipe = 1ull << (SIGPIPE - 1);
    const struct timespec no_wait = {0};
    uint64_t pending = 0;
    if (!is_unchanged() || !is_writable())
        return;
    uint64_t before = fm_set_signals(UINT64_MAX);
    fm_kernel(SYS_rt_sigpending, &pending, sizeof pending);
    if (fm_kernel(SYS_write, STDERR_FILENO, line, length) == -EPIPE && !(pending & sigpipe))
        fm_kernel(SYS_rt_sigtimedwait, &sigpipe, NULL, &no_wait, sizeof sigpipe);
    fm_set_signals(before);
}

/* ---- messages ---- */

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    char line[FM_FILE_PATH_BYTES + 512] = "fathom: "; /* not larger: some programs have small stacks */
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

static void print_problem(void *context, const char *name, const char *sentence)
{
    (void)context;
    (void)name;
    print("%s", sentence);
}

void fm_messages_settings(int rank)
{
    const char *run_id = text_of("FATHOM_RUN_ID"), *output = text_of("FATHOM_OUTPUT"),
               *directory = text_of("FATHOM_DIR");
    char folder[FM_FILE_PATH_BYTES];
    if (fm_syscalls_forbidden() || is_reported_by_run(run_id))
        return;
    fm_rt.say.output_reported = *output && !*run_id && fm_node_output_refused(output, folder);
    int reason = errno;
    if (rank != 0)
        return;
    fm_settings_problems(print_problem, NULL);
    if (fm_rt.say.output_reported)
        print("FATHOM_OUTPUT: cannot write a profile to %.3000s (%s); using the working directory, or your home "
              "directory",
              folder, fm_node_reason(reason));
    if (*directory && fm_rt.segment && strcmp(fm_rt.directory, directory) != 0)
        print("FATHOM_DIR: cannot use %.3000s; the data is kept in %s", directory,
              *fm_rt.directory ? fm_rt.directory : "private memory, and is lost if the program is killed");
}

void fm_messages_output(const struct fm_error *error, const char *path)
{
    const char *run_id = fm_rt.segment->run_id;
    if (*run_id || (path && fm_rt.say.output_reported))
        return;
    if (path)
        print("%s; the profile is in %s", error->text, path);
    else if (*fm_rt.directory)
        print("%s; the data is kept in %s; collect it with: fathom collect -o DIRECTORY", error->text, fm_rt.directory);
    else
        print("%s; the data is lost", error->text);
}
