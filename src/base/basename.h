/* SPDX-License-Identifier: BSD-3-Clause */
/* The last component of the path of a file. */
#ifndef FM_BASE_BASENAME_H
#define FM_BASE_BASENAME_H

#include <string.h>

/* "a/b/pcg.f90" -> "pcg.f90" */
static inline const char *fm_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
