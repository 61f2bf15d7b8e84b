/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of files. */
#ifndef FM_BASE_PATH_H
#define FM_BASE_PATH_H

#include <string.h>

/* "a/b/pcg.f90" -> "pcg.f90" */
static inline const char *fm_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
