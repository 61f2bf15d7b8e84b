/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom attach --fed`, started by `fathom serve`: its results are asked for (attach/feed.h), and nothing is printed. */
#include "attach/feed.h"
#include "base/clock.h"
#include "cli/attach_watch.h"

enum { LISTEN_MS = 20 };

static enum fm_status gather(struct fm_watch *watch, struct fm_error *error)
{
    struct fm_session *session = &watch->session;
    if (!session->targets)
        return FM_OK;
    if (!fm_session_gather(session))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
    watch->ended |= !session->living;
    return FM_OK;
}

/* Of a job that has ended, the next result is the last one. */
enum fm_status fm_watch_feed(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (bool over = false; !over && !status;) {
        if (!fm_sleep_until(watch, fm_clock_ns(CLOCK_MONOTONIC) + LISTEN_MS * 1000000ull, signals))
            break;
        status = gather(watch, error);
        char asked = status ? 0 : fm_feed_asked();
        if (asked == FM_FEED_LOOK) {
            over = watch->ended;
            status = fm_watch_look(watch, false, error);
            if (!status && watch->result.whole)
                status = fm_feed_write(&watch->result, error);
        }
        over |= asked == FM_FEED_END;
    }
    if (watch->session.targets)
        fm_session_end(&watch->session);
    return status;
}
