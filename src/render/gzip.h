/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression in the format of gzip. */
#ifndef FM_RENDER_GZIP_H
#define FM_RENDER_GZIP_H

#include <stddef.h>

struct fm_gzip {
    unsigned char *bytes; /* to be freed */
    size_t n;
};

/* level: 1 (fast) to 9 (small). Returns NULL as bytes if out of memory. */
struct fm_gzip fm_gzip(const void *plain, size_t n, int level);

#endif
