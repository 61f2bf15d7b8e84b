/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and handles of timers. */
#include "runtime/timers/timer.h"

#include <string.h>

#include "base/utf8.h"
#include "runtime/timers/timer_events.h"
#include "runtime/timers/timer_room.h"

static bool has_name(unsigned number, const char *name)
{
    return strncmp(fm_timer_common(number)->name, name, sizeof fm_timer_common(0)->name - 1) == 0;
}

static int find(const char *name)
{
    unsigned n = __atomic_load_n(&fm_rt.segment->n_timers, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (has_name(i, name))
            return (int)i + 1;
    return 0;
}

/* Returns FM_TIMER_REFUSED if the table is full. */
static int find_or_add(const char *name, bool cut)
{
    struct fm_segment_header *h = fm_rt.segment;
    int found = find(name);
    if (found)
        return found;
    fm_lock(&fm_rt.table_lock);
    if ((found = find(name)) == 0) {
        found = FM_TIMER_REFUSED;
        if (h->n_timers < h->sections[FM_SECTION_TIMERS].capacity) {
            strcpy(fm_timer_common(h->n_timers)->name, name);
            h->cut_timer_names += cut;
            found = (int)h->n_timers + 1;
            __atomic_store_n(&h->n_timers, (uint32_t)found, __ATOMIC_RELEASE);
        }
    }
    fm_unlock(&fm_rt.table_lock);
    return found;
}

/* Makes a name printable as reports show it, so that names that differ here also differ there. Returns true if the name
 * was truncated. */
static bool clean_name(const char *name, char clean[sizeof fm_timer_common(0)->name])
{
    const char *at = name;
    size_t n = 0;
    while (*at) {
        const char *from = at;
        uint32_t code = fm_utf8_next(&at);
        size_t bytes = (size_t)(at - from);
        bool plain = !fm_utf8_unprintable(code, bytes);
        if (n + (plain ? bytes : 1) >= sizeof fm_timer_common(0)->name)
            break;
        if (plain)
            memcpy(clean + n, from, bytes);
        else
            clean[n] = '?';
        n += plain ? bytes : 1;
    }
    clean[n] = 0;
    if (strcmp(clean, FM_SEVERAL_PARENTS) == 0)
        strcpy(clean, "(" FM_SEVERAL_PARENTS ")");
    return *at != 0;
}

int fm_timer_get(int handle, const char *name, uintptr_t site)
{
    char clean[sizeof fm_timer_common(0)->name];
    fm_timers_of_thread(); /* handles are shared, so threads without timers of their own get one too */
    if (atomic_load_explicit(&fm_rt.state, memory_order_acquire) != FM_RT_ON || !name || !*name)
        return handle;
    if (handle > 0 && (unsigned)handle <= fm_rt.segment->n_timers && has_name((unsigned)handle - 1, name))
        return handle;
    if (handle == FM_TIMER_REFUSED)
        return handle;
    bool cut = clean_name(name, clean);
    int found = find_or_add(clean, cut);
    if (handle && found > 0 && found != handle)
        fm_timer_note_misuse(FM_MISUSE_OTHER_HANDLE, (unsigned)found - 1, site);
    return found;
}
