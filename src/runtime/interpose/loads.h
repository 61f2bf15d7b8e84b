/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that are loaded and unloaded while the program runs. (dlopen is not interposed, because its search path
 * depends on the caller. New objects are detected by the counters here.) */
#ifndef FM_RUNTIME_INTERPOSE_LOADS_H
#define FM_RUNTIME_INTERPOSE_LOADS_H

#include <stdbool.h>

/* Numbers since the process started. */
struct fm_loads {
    unsigned long long loaded, unloaded;
};
struct fm_loads fm_loads_now(void);

/* From now on `before` is called when the program is about to unload an object and, if it returned true, `after` when
 * that is done. One pair per process. */
void fm_loads_watch(bool (*before)(void), void (*after)(void));

#endif
