/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `fathom attach`: while it runs, and at its end. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/attach_watch.h"
#include "cli/printing.h"
#include "format/encode.h"
#include "report/live.h"

enum {
    SCREEN_SECONDS = 2,
    LINE_SECONDS = 5,
    SHOWING_PART = 50, /* updates take at most 1/50 of the time */
    MAX_SECONDS = 60,
    WRITE_PAUSE_MS = 100
};

static enum fm_status find_shares(struct fm_watch *watch, struct fm_arena *arena, struct fm_module_shares *shares,
                                  struct fm_error *error)
{
    const struct fm_attach_result *result = &watch->result;
    enum fm_status status = fm_module_shares_find(shares, result->whole, result->batches[0] ? result->batches : NULL,
                                                  &watch->map, watch->symbols, arena, error);
    watch->widest = shares->widest > watch->last_widest ? shares->widest : watch->last_widest;
    watch->last_widest = shares->widest;
    return status;
}

static struct fm_live live_of(const struct fm_watch *watch, const struct fm_module_shares *shares, bool final)
{
    const struct fm_attach_result *result = &watch->result;
    return (struct fm_live){
        .shares = shares,
        .seconds = (double)(fm_clock_ns(CLOCK_MONOTONIC) - watch->started_ns) / 1e9,
        .samples = result->whole->paths.samples,
        .moments = result->counts.moments,
        .ranks = result->whole->n_processes,
        .final = final,
        .until = watch->request->until,
        .reached = !watch->request->until || watch->widest < watch->request->until,
        .stops = result->counts.sampled,
        .lost = result->whole->paths.lost == FM_UNKNOWN ? 0 : result->whole->paths.lost,
        .stopped = result->counts.stopped,
        .held_median_ns = result->counts.held_median_ns,
        .held_most_ns = result->counts.held_most_ns,
    };
}

/* Waits until output can be written. Returns false if a signal asks us to end before. */
static bool can_write(int fd)
{
    struct pollfd out = {.fd = fd, .events = POLLOUT};
    sigset_t pending;
    while (poll(&out, 1, WRITE_PAUSE_MS) == 0)
        if (sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
                                          sigismember(&pending, SIGHUP) == 1))
            return false;
    return true;
}

enum fm_status fm_watch_show(struct fm_watch *watch, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_module_shares shares = {0};
    uint64_t from = fm_clock_ns(CLOCK_MONOTONIC);
    bool screen = isatty(STDERR_FILENO);
    enum fm_status status = fm_watch_look(watch, false, error);
    if (!status && watch->result.whole)
        status = find_shares(watch, &arena, &shares, error);
    if (!status && watch->result.whole && can_write(watch->request->json ? STDOUT_FILENO : STDERR_FILENO)) {
        struct fm_live live = live_of(watch, &shares, false);
        if (watch->request->json)
            fm_live_json(&live, stdout);
        else if (screen)
            watch->lines = fm_live_screen(&live, stderr, watch->lines);
        else
            fm_live_line(&live, stderr);
    }
    fm_arena_destroy(&arena);
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), pause = (now - from) * SHOWING_PART;
    uint64_t usual = (uint64_t)(screen ? SCREEN_SECONDS : LINE_SECONDS) * 1000000000u;
    if (pause > MAX_SECONDS * 1000000000ull)
        pause = MAX_SECONDS * 1000000000ull;
    watch->next_ns = now + (pause > usual ? pause : usual);
    return status;
}

/* ---- final report ---- */

struct final {
    const struct fm_watch *watch;
    const struct fm_view *view;
    struct fm_live live;
};

static enum fm_status print_view(const void *context, struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct final *final = context;
    enum fm_status status = final->view->text(report, out, error);
    if (status)
        return status;
    fputc('\n', out);
    fm_live_intervals(&final->live, out);
    if (!final->live.reached)
        fprintf(out, "The precision asked for with --until was not reached: %s.\n",
                final->watch->result.counts.sampled ? "sampling ended first" : "no confidence intervals are available");
    return FM_OK;
}

static enum fm_status print_end(struct fm_watch *watch, const struct fm_module_shares *shares, struct fm_error *error)
{
    const struct fm_attach_request *request = watch->request;
    struct final final = {watch, fm_view_find(request->view), live_of(watch, shares, true)};
    struct fm_printing printing = {.command = "attach",
                                   .debug_path = request->debug_path,
                                   .names_matter = true,
                                   .options = {.modules = request->modules},
                                   .print = print_view,
                                   .context = &final};
    if (request->json) {
        fm_live_json(&final.live, stdout);
        return ferror(stdout) ? fm_fail(error, FM_ERR_SYSTEM, "cannot write standard output") : FM_OK;
    }
    if (watch->targets.n)
        watch->result.whole->owner = watch->targets.items[0].owner;
    return fm_print_profile(&printing, watch->result.whole, error);
}

enum fm_status fm_watch_finish(struct fm_watch *watch, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_module_shares shares = {0};
    enum fm_status status = fm_watch_look(watch, true, error);
    const struct fm_profile *profile = watch->result.whole;
    if (status)
        return status;
    if (!profile || !profile->paths.samples)
        return fm_fail(error, FM_ERR_SYSTEM,
                       profile && !watch->result.counts.sampled ? "the job runs under Fathom with sampling off"
                       : watch->ended                           ? "the job ended before the first sample"
                                      : "no thread of the job ran in time to be sampled; try a longer --for");
    if (watch->request->save)
        status = fm_profile_write(profile, watch->request->save, error);
    if (!status)
        status = find_shares(watch, &arena, &shares, error);
    if (!status)
        status = print_end(watch, &shares, error);
    fm_arena_destroy(&arena);
    return status;
}
