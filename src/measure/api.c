/* What an application may call: include/fathom.h. */
#include "fathom.h"

#include "measure/region.h"
#include "measure/timer.h"

#define FM_EXPORT __attribute__((visibility("default")))

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
    *timer = fm_timer_get(*timer, name);
}

FM_EXPORT void fathom_timer_start(int timer)
{
    if (timer)
        fm_timer_start(timer, (uintptr_t)__builtin_return_address(0));
}

FM_EXPORT void fathom_timer_stop(int timer)
{
    if (timer)
        fm_timer_stop(timer, (uintptr_t)__builtin_return_address(0));
}
