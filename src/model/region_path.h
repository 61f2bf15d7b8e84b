/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths of nested regions: "a/b" is the region b in the region a, "" the whole program. */
#ifndef FM_MODEL_REGION_PATH_H
#define FM_MODEL_REGION_PATH_H

#include <stdbool.h>
#include <string.h>

/* Whether a region is another one or nested in it. */
static inline bool fm_region_is_within(const char *path, const char *region)
{
    size_t length = strlen(region);
    return length == 0 || (strncmp(path, region, length) == 0 && (path[length] == 0 || path[length] == '/'));
}

#endif
