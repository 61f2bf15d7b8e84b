/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/lifetime.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

static int open_leader(void)
{
    pid_t leader = getsid(0);
    /* 0: it is outside our pid namespace */
    int fd = leader > 0 && leader != getpid() ? (int)syscall(SYS_pidfd_open, leader, 0) : -1;
    if (fd >= 0 && poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) > 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

enum fm_status fm_lifetime_begin(struct fm_lifetime *lifetime, bool with_session, struct fm_error *error)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        signal(endings[i], SIG_DFL); /* a signal that is ignored, as by nohup, would never arrive */
        sigaddset(&set, endings[i]);
    }
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    lifetime->leader = with_session ? open_leader() : -1;
    lifetime->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (lifetime->signals < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot wait for signals: %s", strerror(errno));
    return FM_OK;
}

bool fm_lifetime_goes_on(const struct fm_lifetime *lifetime, int wait_ms)
{
    struct pollfd ends[] = {{.fd = lifetime->signals, .events = POLLIN}, {.fd = lifetime->leader, .events = POLLIN}};
    return poll(ends, 2, wait_ms) <= 0; /* a descriptor of -1 is not looked at */
}

void fm_lifetime_close(struct fm_lifetime *lifetime)
{
    if (lifetime->signals >= 0)
        close(lifetime->signals);
    if (lifetime->leader >= 0)
        close(lifetime->leader);
}
