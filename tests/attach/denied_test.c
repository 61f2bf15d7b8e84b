/* The sentence that says what forbids to look at a process names the setting. */
#include "attach/denied.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* For our own process, which is no other user's and has no debugger. */
static const char *sentence(const char *setting, struct fm_error *error)
{
    char path[] = "yama-XXXXXX";
    int fd = mkstemp(path);
    bool written = fd >= 0 && write(fd, setting, strlen(setting)) == (ssize_t)strlen(setting);
    close(fd);
    *error = (struct fm_error){0};
    enum fm_status status = fm_denied(getpid(), written ? path : "/none", error);
    unlink(path);
    return status == FM_ERR_SYSTEM ? error->text : "";
}

int main(void)
{
    struct fm_error error;
    const char *directory = getenv("TMPDIR");
    if (directory && chdir(directory) != 0)
        return 1;
    tap_ok(strstr(sentence("1\n", &error), "ptrace_scope is 1: only parents and root may attach"), "%s", error.text);
    tap_ok(strstr(sentence("2\n", &error), "ptrace_scope is 2: only root may attach"), "%s", error.text);
    tap_ok(strstr(sentence("3\n", &error), "ptrace_scope is 3: nobody may"), "%s", error.text);
    tap_ok(strstr(sentence("0\n", &error), "it is not dumpable"), "%s", error.text);
    tap_ok(fm_denied(0x7ffffff0, "/none", &error) == FM_ERR_SYSTEM && strstr(error.text, "has ended"), "%s",
           error.text);
    pid_t ended = fork();
    if (ended == 0)
        _exit(0);
    waitid(P_PID, (id_t)ended, &(siginfo_t){0}, WEXITED | WNOWAIT);
    tap_ok(fm_denied(ended, "/none", &error) == FM_ERR_SYSTEM && strstr(error.text, "is a kernel thread"), "%s",
           error.text);
    waitpid(ended, NULL, 0);
    return tap_done();
}
