/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom attach`: samples a running job from outside and shows its modules. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/attach_hosts.h"
#include "cli/attach_remote.h"
#include "cli/attach_serve.h"
#include "cli/attach_watch.h"
#include "cli/cli.h"
#include "render/text.h"

/* ---- other hosts ---- */

/* Says which ranks are not sampled and how to reach them; those of this host are shown. */
static void report_other_hosts(const struct fm_watch *watch, const struct fm_remote_hosts *remote_hosts,
                               const struct fm_remote *remote)
{
    struct fm_arena arena = {0};
    const char *ranks = fm_remote_ranks(&watch->targets, &arena);
    if (*ranks)
        fm_print_line(stderr, "fathom attach: cannot sample ranks %s on other hosts: ", ranks);
    else
        fputs("fathom attach: sampling this host only: ", stderr);
    if (remote_hosts->foreign)
        fputs("the launcher belongs to another user. Attach as that user.\n", stderr);
    else if (!remote_hosts->words.n)
        fputs(
            "cannot tell how the job was started. Give the PID of its mpirun or srun, or its hosts with --hosts A,B.\n",
            stderr);
    else
        fm_print_line(stderr, "%s could not start Fathom on %s. Name the hosts with --hosts A,B.\n",
                      remote_hosts->words.items[0],
                      *remote_hosts->names ? remote_hosts->names : "the hosts of the job");
    if (remote->said_bytes) {
        fputs("Its output:\n", stderr);
        fm_print_lines(stderr, remote->said);
    }
    fm_arena_destroy(&arena);
}

/* Starts the agents and takes a first look at the job through them. */
static bool start_agents(struct fm_watch *watch, const struct fm_remote_hosts *remote_hosts, struct fm_remote *remote)
{
    struct fm_remote_command command = {remote_hosts->words.items, remote_hosts->environment, remote_hosts->directory,
                                        remote_hosts->hosts};
    struct fm_error error = {0};
    if (!remote_hosts->words.n || fm_remote_start(remote, &command, &error))
        return false;
    watch->remote = remote;
    if (fm_watch_look(watch, false, &error) == FM_OK && watch->result.whole)
        return true;
    watch->remote = NULL;
    watch->ended = false;
    fm_remote_close(remote);
    return false;
}

/* ---- command ---- */

static enum fm_status watch_here(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error)
{
    enum fm_status status = fm_watch_open(watch, error);
    fm_watch_start_clock(watch);
    if (status)
        return status;
    if (watch->request->fed)
        return fm_watch_feed(watch, signals, error);
    return watch->last ? fm_watch_follow(watch, signals, error) : fm_watch_sample(watch, signals, error);
}

static enum fm_status watch_job(struct fm_watch *watch, struct fm_remote *remote, struct fm_error *error)
{
    sigset_t signals, before;
    const struct fm_attach_request *request = watch->request;
    struct fm_remote_hosts remote_hosts;
    enum fm_status found = fm_targets_find(&watch->targets, request->pids, request->n, &watch->arena, error);
    if (found == FM_ERR_MEMORY)
        return found;
    bool more = fm_remote_hosts_find(&remote_hosts, request, &watch->targets, &watch->arena);
    if (found && !more)
        return found;
    enum fm_status status = fm_watch_prepare(watch, error);
    if (status)
        return status;
    fm_signals_block(&signals, &before);
    if (more && start_agents(watch, &remote_hosts, remote)) {
        fm_watch_start_clock(watch);
        return request->fed ? fm_watch_feed(watch, &signals, error) : fm_watch_follow(watch, &signals, error);
    }
    if (more)
        report_other_hosts(watch, &remote_hosts, remote);
    return found ? found : watch_here(watch, &signals, error);
}

int fm_cmd_attach(int argc, char **argv)
{
    struct fm_attach_request request;
    struct fm_error error = {0};
    struct fm_remote remote = {0};
    sigset_t before;
    int exit_status = fm_attach_parse(&request, argc, argv);
    if (request.help)
        fm_attach_help();
    if (!exit_status && !request.help && request.job)
        return fm_attach_serve(&request);
    if (exit_status || request.help) {
        free(request.pids);
        return exit_status;
    }
    struct fm_watch watch = {.request = &request};
    sigprocmask(SIG_BLOCK, NULL, &before);
    enum fm_status status = watch_job(&watch, &remote, &error);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!status && !request.fed)
        status = fm_watch_finish(&watch, &error);
    fm_remote_close(&remote);
    fm_watch_close(&watch);
    free(request.pids);
    return status ? fm_command_error("attach", &error) : FM_EXIT_OK;
}
