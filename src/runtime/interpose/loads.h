/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that are loaded and unloaded while the program runs. (dlopen is not interposed: where it searches depends on who
 * calls it. What is new is found by looking at the numbers here.) */
#ifndef FM_RUNTIME_INTERPOSE_LOADS_H
#define FM_RUNTIME_INTERPOSE_LOADS_H

#include <stdbool.h>

/* How many there were since the process began. */
struct fm_loads {
    unsigned long long loaded, unloaded;
};
struct fm_loads fm_loads_now(void);

/* From now on `before` is called when the program is about to unload an object, and if it says true `after` when that is
 * done. One pair in the process. */
void fm_loads_watch(bool (*before)(void), void (*after)(void));

#endif
