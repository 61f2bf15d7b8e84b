/* SPDX-License-Identifier: BSD-3-Clause */
/* The API for applications (include/fathom.h). Timer starts and stops are in timer_events.c. */
#include "fathom.h"

#include <stdlib.h>

#include "runtime/region.h"
#include "runtime/runtime.h"
#include "runtime/timers/timer.h"

FM_EXPORT void fathom_region_begin(const char *name)
{
    fm_region_begin(name);
}

FM_EXPORT void fathom_region_end(const char *name)
{
    fm_region_end(name);
}

FM_EXPORT void fathom_snapshot(const char *label, int collective)
{
    fm_snapshot(label, collective != 0);
}

FM_EXPORT void fathom_timer_get(int *timer, const char *name)
{
    int handle = timer ? fm_timer_get(*timer, name, (uintptr_t)__builtin_return_address(0)) : 0;
    if (timer && handle != *timer) /* shared by threads: do not write if unchanged */
        *timer = handle;
}

FM_EXPORT char *fathom_timers_text(const int *fortran_comm)
{
    struct fm_caller_state saved = fm_caller_state_save();
    char *text = fm_timers_report(*fortran_comm);
    fm_caller_state_restore(saved);
    return text;
}

FM_EXPORT void fathom_timers_report_comm(FILE *out, int fortran_comm)
{
    char *text = fathom_timers_text(&fortran_comm);
    if (text && out)
        fputs(text, out);
    free(text);
}
