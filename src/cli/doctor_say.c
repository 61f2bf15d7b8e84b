/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers of the parts of `fathom doctor`. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "render/text.h"

void fm_doctor_say(struct fm_doctor *doctor, enum fm_doctor_level level, const char *fix, const char *format, ...)
{
    static const char *const words[] = {"ok", "warn", "bad"};
    va_list arguments;
    doctor->counts[level]++;
    printf("%-5s ", words[level]);
    va_start(arguments, format);
    fm_print_line_list(stdout, format, arguments);
    va_end(arguments);
    putchar('\n');
    if (fix && *fix)
        fm_print_line(stdout, "      %s: %s\n", level == FM_DOCTOR_OK ? "hint" : "fix", fix);
}

static size_t read_output(int fd, char *text, size_t size)
{
    size_t used = 0;
    char rest[512];
    for (;;) {
        bool full = used + 1 >= size;
        ssize_t n = read(fd, full ? rest : text + used, full ? sizeof rest : size - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += full ? 0 : (size_t)n;
    }
    return used;
}

int fm_doctor_capture(char *const words[], char *text, size_t size)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = 0;
    pid_t pid;
    text[0] = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        text[read_output(ends[0], text, size)] = 0;
    close(ends[0]);
    if (failed)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
