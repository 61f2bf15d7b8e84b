/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to misuse a timer. */
#ifndef FM_MODEL_MISUSE_H
#define FM_MODEL_MISUSE_H

enum fm_timer_misuse {
    FM_MISUSE_NOT_STARTED,   /* stopped, but not started */
    FM_MISUSE_STARTED_TWICE, /* started while it was running */
    FM_MISUSE_OTHER_HANDLE,  /* a handle that belongs to another name, or is invalid */
    FM_MISUSE_OTHER_THREAD,  /* stopped by a thread that did not start it, while it runs in another thread */
    FM_MISUSE_NEVER_STOPPED, /* still running when its thread ended; at the end of the process: fm_segment_timing */
    FM_TIMER_MISUSES
};

#endif
