/* SPDX-License-Identifier: BSD-3-Clause */
/* One attachment, from its beginning to its end. Its results come from one of these:
 *
 *   a session            processes of this host, sampled
 *   segments             of a job under Fathom
 *   agents               this process is one of several, and each has one of the above (cli/attach_agents.h)
 *   a launcher           which has started agents (cli/attach_remote.h) */
#ifndef FM_CLI_ATTACH_WATCH_H
#define FM_CLI_ATTACH_WATCH_H

#include <signal.h>

#include "analyse/modules/module_shares.h"
#include "attach/result.h"
#include "attach/session.h"
#include "base/error.h"
#include "cli/attach_request.h"

struct fm_agents;
struct fm_remote;

_Static_assert((int)FM_RESULT_BATCHES == (int)FM_BATCHES, "intervals are computed from the batches of a result");

struct fm_watch {
    const struct fm_attach_request *request;
    struct fm_arena arena;
    struct fm_targets targets;
    struct fm_module_map map;
    struct fm_symbols *symbols;
    struct fm_profile *last;        /* read from segments; kept, because the job may have ended by the next time */
    struct fm_session session;      /* its targets are NULL if it is not used */
    struct fm_agents *agents;       /* NULL: none */
    struct fm_remote *remote;       /* NULL: none */
    struct fm_attach_result result; /* the latest state */
    uint64_t started_ns, next_ns;   /* next_ns: when to update */
    size_t lines;                   /* on the screen */
    double widest, last_widest;     /* interval: the wider one of two updates counts, as one may be narrow by chance */
    bool ended;                     /* the job has ended */
};

/* Opens the targets: reads their segments, or opens a session. */
enum fm_status fm_watch_open(struct fm_watch *watch, struct fm_error *error);
/* Reads the module file, opens symbols and checks that the profile can be saved, for the process that shows the
 * result. */
enum fm_status fm_watch_prepare(struct fm_watch *watch, struct fm_error *error);
void fm_watch_close(struct fm_watch *watch);

/* The current data of this host; empty if there are none. */
enum fm_status fm_watch_gather(struct fm_watch *watch, struct fm_attach_result *result, struct fm_error *error);
/* Updates `result` from all hosts. If nothing is known any more, the last one is kept and the job has ended. */
enum fm_status fm_watch_look(struct fm_watch *watch, bool last, struct fm_error *error);

/* ---- attach_moments.c ---- */

/* Signals that would terminate or stop us are handled between samples, when no thread is held. */
void fm_signals_block(sigset_t *set, sigset_t *before);
void fm_watch_start_clock(struct fm_watch *watch);
/* Sleeps until then or until a child ends. Returns false if a signal asks us to end. */
bool fm_sleep_until(struct fm_watch *watch, uint64_t then_ns, const sigset_t *signals);
/* fm_watch_sample samples on this host, fm_watch_follow only updates; both until a limit is reached. */
enum fm_status fm_watch_sample(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error);
enum fm_status fm_watch_follow(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error);

/* ---- attach_feed.c ---- */

/* Samples or reads, and answers requests for results, until told to end or the job has ended. */
enum fm_status fm_watch_feed(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error);

/* ---- attach_show.c ---- */

enum fm_status fm_watch_show(struct fm_watch *watch, struct fm_error *error);
enum fm_status fm_watch_finish(struct fm_watch *watch, struct fm_error *error);

#endif
