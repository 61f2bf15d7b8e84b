/* Which locks are waited for. */
#include "collect/lock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

enum { ANOTHER_USER = 12345 };

/* A process that holds the lock until a byte comes; it says when. */
static pid_t hold(int fd, int ready, int end, uid_t uid)
{
    pid_t pid = fork();
    if (pid == 0) {
        char byte = 0;
        if (uid && setuid(uid) != 0)
            _exit(1);
        int own = openat(fd, ".", O_RDONLY | O_DIRECTORY);
        _exit(flock(own, LOCK_EX) != 0 || write(ready, &byte, 1) != 1 || read(end, &byte, 1) < 0);
    }
    return pid;
}

static enum fm_file_lock while_held_by(const char *path, uid_t uid, bool for_good)
{
    int ready[2], end[2], fd = open(path, O_RDONLY | O_DIRECTORY);
    char byte = 0;
    if (fd < 0 || pipe(ready) != 0 || pipe(end) != 0)
        exit(1);
    pid_t pid = hold(fd, ready[1], end[0], uid);
    close(ready[1]);
    bool held = read(ready[0], &byte, 1) == 1;
    if (!for_good && write(end[1], &byte, 1) != 1)
        exit(1);
    enum fm_file_lock lock = held ? fm_file_lock(fd) : FM_LOCK_NONE;
    if (for_good && write(end[1], &byte, 1) != 1)
        exit(1);
    waitpid(pid, NULL, 0);
    const int all[] = {ready[0], end[0], end[1], fd};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close(all[i]);
    return lock;
}

int main(void)
{
    char path[] = "/dev/shm/lock-XXXXXX";
    if (!mkdtemp(path) || chmod(path, 0755) != 0)
        return 1;
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    tap_ok(fm_file_lock(fd) == FM_LOCKED, "a lock that nobody has");
    close(fd);
    tap_ok(while_held_by(path, 0, false) == FM_LOCKED, "one of our own is waited for");
    if (geteuid() == 0)
        tap_ok(while_held_by(path, ANOTHER_USER, true) == FM_LOCK_FOREIGN, "one of another user is not");
    else
        tap_ok(true, "one of another user is not # skip there is no other user without root");
    rmdir(path);
    return tap_done();
}
