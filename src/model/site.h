/* SPDX-License-Identifier: BSD-3-Clause */
/* A location in a load module, such as a call site. The tools look up function and line later. */
#ifndef FM_MODEL_SITE_H
#define FM_MODEL_SITE_H

#include <stdint.h>

struct fm_site {
    const char *module;   /* path of the load module; "" = not recorded */
    const char *build_id; /* hex or "" */
    uint64_t offset;      /* return address as a virtual address of the file (load bias subtracted) */
};

#endif
