/* SPDX-License-Identifier: BSD-3-Clause */
/* A place in a load module, as call sites are. Functions and lines are found later by the tools. */
#ifndef FM_MODEL_SITE_H
#define FM_MODEL_SITE_H

#include <stdint.h>

struct fm_site {
    const char *module;   /* path of the load module; "" = detail given up */
    const char *build_id; /* hex or "" */
    uint64_t offset;      /* return address in the file's address space */
};

#endif
