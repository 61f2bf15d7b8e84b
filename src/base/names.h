/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of names in one string: each name ends in NUL and the list in an empty name, as in "a\0b\0". Such a constant
 * contains no pointers, so a library that is loaded into every process needs no relocations for it. */
#ifndef FM_BASE_NAMES_H
#define FM_BASE_NAMES_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

static inline bool fm_begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static inline const char *fm_name_after(const char *name)
{
    return name + strlen(name) + 1;
}

static inline bool fm_names_have(const char *names, const char *name)
{
    while (*names && strcmp(names, name) != 0)
        names = fm_name_after(names);
    return *names;
}

/* Whether `text` begins with one of the names. */
static inline bool fm_names_begin(const char *names, const char *text)
{
    while (*names && !fm_begins_with(text, names))
        names = fm_name_after(names);
    return *names;
}

/* Whether one of the names, a shell pattern, matches `text`. */
static inline bool fm_names_fit(const char *names, const char *text)
{
    while (*names && fnmatch(names, text, 0) != 0)
        names = fm_name_after(names);
    return *names;
}

#endif
