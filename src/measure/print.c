#define _GNU_SOURCE
#include "measure/print.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reduce/node.h"

/* Beside the library (a build tree), in the bin of its prefix, or wherever PATH finds it. */
static void find_command(char path[FM_PATH_BYTES])
{
    static const char *const places[] = {"fathom", "../bin/fathom", "../../bin/fathom"};
    Dl_info self;
    if (dladdr((void *)find_command, &self) && self.dli_fname) {
        const char *slash = strrchr(self.dli_fname, '/');
        int length = slash ? (int)(slash - self.dli_fname) : 1;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(path, FM_PATH_BYTES, "%.*s/%s", length, slash ? self.dli_fname : ".", places[i]);
            if (access(path, X_OK) == 0)
                return;
        }
    }
    snprintf(path, FM_PATH_BYTES, "fathom");
}

static void wait_for(pid_t child, int options)
{
    while (child > 0 && waitpid(child, NULL, options) < 0 && errno == EINTR)
        ;
}

/* A process without an exit signal: the program's SIGCHLD handler and its waitpid do not see it, and its atfork
 * handlers do not run. */
static pid_t clone_unseen(void)
{
    return (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
}

/* In the unseen process. exec gives a process its SIGCHLD back, so that the report is a further child. */
static _Noreturn void run_report(const char *command, char *const arguments[], char *const environment[])
{
    signal(SIGCHLD, SIG_DFL);
    pid_t child = clone_unseen();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO); /* the program's standard output stays its own */
        execvpe(command, arguments, environment);
        _exit(127);
    }
    wait_for(child, __WALL);
    _exit(0);
}

void fm_print_report(const char *profile_path)
{
    const char *wish = getenv("FATHOM_REPORT");
    if (!wish || !*wish)
        return;
    char command[FM_PATH_BYTES], path[FM_PATH_BYTES], to[FM_PATH_BYTES];
    find_command(command);
    snprintf(path, sizeof path, "%s", profile_path);
    snprintf(to, sizeof to, "%s", wish);
    bool terse = strcmp(wish, "terse") == 0, full = strcmp(wish, "full") == 0;
    char *arguments[] = {"fathom", "report", path, terse ? "--terse" : full ? NULL : "-o", terse || full ? NULL : to,
                         NULL};
    char *environment[] = {"FATHOM_DISABLE=1", "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
    pid_t child = clone_unseen();
    if (child == 0)
        run_report(command, arguments, environment);
    wait_for(child, __WCLONE);
}
