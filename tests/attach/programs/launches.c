/* By the name of "mpirun" a launcher: it starts "rank" from its own directory, the first of two ranks, and waits. Given
 * the words of an agent of Fathom's it leaves a file "executed" in the directory $EVIDENCE instead.
 * By any other name a rank: with a library (its argument) in it, if there is one, it sleeps until it is killed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave_evidence(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/executed", getenv("EVIDENCE"));
    close(open(path, O_CREAT | O_WRONLY, 0666));
}

static void be_launcher(char *self)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank", dirname(self));
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "2", 1);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(path, path, (char *)NULL);
        _exit(1);
    }
    wait(NULL);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--agents") == 0) {
            leave_evidence();
            return 1;
        }
    if (strcmp(basename(strdupa(argv[0])), "mpirun") == 0) {
        be_launcher(argv[0]);
        return 0;
    }
    if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
        return 1;
    pause();
    return 0;
}
