/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/loads.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "runtime/interpose/next.h"
#include "runtime/interpose/state.h"

static int read_loads(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(struct fm_loads *)data = (struct fm_loads){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

struct fm_loads fm_loads_now(void)
{
    struct fm_loads now = {0};
    dl_iterate_phdr(read_loads, &now);
    return now;
}

void fm_loads_watch(bool (*before)(void), void (*after)(void))
{
    fm_interpose.after_unloading = after;
    __atomic_store_n(&fm_interpose.before_unloading, before, __ATOMIC_RELEASE);
}

/* Objects that our calls go to must stay loaded. */
int fm_wrapped_dlclose(void *module)
{
    bool (*before)(void) = __atomic_load_n(&fm_interpose.before_unloading, __ATOMIC_ACQUIRE);
    fm_next_keep();
    bool watched = before && before();
    int result = fm_real.dlclose(module);
    if (watched)
        fm_interpose.after_unloading();
    return result;
}
