/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>

#include "symbols/symbols.h"

struct fm_symbols *fm_symbols_for(const struct fm_profile *profile, const char *debug_path,
                                  void (*say)(void *context, const char *sentence), void *context)
{
    char cache[PATH_MAX];
    const struct fm_symbols_options options = {
        .debug_path = debug_path,
        .directory = profile->job.cwd,
        .owner = profile->owner,
        .cache = fm_symbols_cache_directory(cache, sizeof cache),
        .say = say,
        .context = context,
    };
    return fm_symbols_create(&options);
}
