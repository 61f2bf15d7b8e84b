/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_serve.h"

#include <stdio.h>
#include <unistd.h>

#include "attach/feed.h"
#include "base/clock.h"
#include "cli/attach_agents.h"
#include "cli/attach_watch.h"
#include "cli/cli.h"
#include "render/text.h"

enum { LISTEN_MS = 20, SILENCE_S = 600 };

/* ---- requests ---- */

/* Returns 0 if there is no request yet. */
static uint64_t word_from_parent(const struct fm_agents *agents)
{
    uint64_t word = 0;
    if (!fm_rank_tree_progress(&agents->tree))
        return 0;
    return fm_rank_tree_receive_word(&agents->tree, &word) ? word : FM_WORD_END;
}

static uint64_t word_from_input(void)
{
    char asked = fm_feed_asked();
    return asked == FM_FEED_LOOK ? FM_WORD_LOOK : asked ? FM_WORD_END : 0;
}

static enum fm_status answer(struct fm_watch *watch, enum fm_agents_word word, struct fm_error *error)
{
    struct fm_attach_result result = {0};
    if (!fm_agents_tell(watch->agents, word))
        return fm_fail(error, FM_ERR_SYSTEM, "an agent on another host does not respond");
    enum fm_status status = fm_watch_gather(watch, &result, error);
    if (!status)
        status = fm_agents_collect(watch->agents, &result, error);
    if (!status && watch->agents->tree.place == 0)
        status = fm_feed_write(&result, error);
    fm_attach_result_destroy(&result);
    return status;
}

static enum fm_status serve(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error)
{
    bool fed = watch->agents->tree.place == 0;
    uint64_t heard = fm_clock_ns(CLOCK_MONOTONIC);
    for (enum fm_status status = FM_OK; !status;) {
        if (!fm_sleep_until(watch, fm_clock_ns(CLOCK_MONOTONIC) + LISTEN_MS * 1000000ull, signals))
            return fm_fail(error, FM_ERR_SYSTEM, "ended by a signal");
        if (watch->session.targets && !fm_session_gather(&watch->session))
            return fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
        enum fm_agents_word word = (enum fm_agents_word)(fed ? word_from_input() : word_from_parent(watch->agents));
        if (!status && word) {
            status = answer(watch, word, error);
            heard = fm_clock_ns(CLOCK_MONOTONIC);
        }
        if (status || word == FM_WORD_END)
            return status;
        if (fm_clock_ns(CLOCK_MONOTONIC) - heard > SILENCE_S * 1000000000ull)
            return fm_fail(error, FM_ERR_SYSTEM, "no request for ten minutes");
    }
    return error->status;
}

/* ---- agent ---- */

static void print_error(const struct fm_error *error)
{
    char host[72] = "";
    gethostname(host, sizeof host - 1);
    fm_print_line(stderr, "fathom attach on %s: %s.\n", host, error->text);
}

static enum fm_status lead(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error)
{
    enum fm_status status = fm_watch_prepare(watch, error);
    if (!status)
        status = watch->session.targets ? fm_watch_sample(watch, signals, error)
                                        : fm_watch_follow(watch, signals, error);
    return status ? status : fm_watch_finish(watch, error);
}

int fm_attach_serve(const struct fm_attach_request *request)
{
    struct fm_agents agents = {0};
    struct fm_watch watch = {.request = request, .agents = &agents};
    struct fm_error error = {0}, forbidden = {0};
    sigset_t signals, before;
    fm_signals_block(&signals, &before);
    enum fm_status status = fm_targets_of_job(&watch.targets, request->job, &watch.arena, &error);
    if (!status)
        status = fm_agents_join(&agents, request, &watch.targets, &error);
    if (!status && !agents.first_here)
        watch.targets.n = 0;
    if (!status && fm_watch_open(&watch, &forbidden)) /* the other hosts continue */
        print_error(&forbidden);
    fm_watch_start_clock(&watch);
    if (!status)
        status = agents.tree.place == 0 && !request->fed ? lead(&watch, &signals, &error)
                                                         : serve(&watch, &signals, &error);
    if (status) {
        print_error(&error);
        _exit(FM_EXIT_FAILED); /* without MPI_Finalize, so that the launcher terminates the others */
    }
    fm_agents_leave(&agents);
    fm_watch_close(&watch);
    return FM_EXIT_OK;
}
