/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that many programs use, in families that are one module each in a draft. */
#ifndef FM_ANALYSE_MODULES_LIBRARY_FAMILIES_H
#define FM_ANALYSE_MODULES_LIBRARY_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

struct fm_library_family {
    const char *module;
    const char *patterns; /* a list as in base/names.h; one with a '/' is for the whole path, as in module files */
    enum {
        FM_FAMILY_ALWAYS, /* in every draft: some of them are loaded later */
        FM_FAMILY_USED,   /* in the draft of a compiled program that uses one of them */
        FM_FAMILY_PYTHON  /* in the draft of a Python program, which loads what it needs later */
    } when;
};

enum { FM_LIBRARY_FAMILIES = 15 };
/* In the order in which patterns must be tried. Those with the same module are adjacent. */
extern const struct fm_library_family fm_library_families[FM_LIBRARY_FAMILIES];

/* Whether a pattern of a module file for files or libraries matches a path. */
bool fm_path_fits(const char *pattern, const char *path);
/* The family of a library; NULL if none. */
const struct fm_library_family *fm_library_family(const char *path);

#endif
