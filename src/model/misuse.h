/* SPDX-License-Identifier: BSD-3-Clause */
/* How timers are used wrongly. */
#ifndef FM_MODEL_MISUSE_H
#define FM_MODEL_MISUSE_H

enum fm_timer_misuse {
    FM_MISUSE_NOT_STARTED,   /* stopped, but not started */
    FM_MISUSE_STARTED_TWICE, /* started while it was running */
    FM_MISUSE_OTHER_HANDLE,  /* a handle that does not match its name, or is none */
    FM_MISUSE_OTHER_THREAD,  /* stopped by a thread that did not start it, while another thread's was running */
    FM_MISUSE_NEVER_STOPPED, /* the thread that started it has ended; the process: see fm_segment_timing.started of format/segment.h */
    FM_TIMER_MISUSES
};

#endif
