/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of the commit that a program was built from: 7 to 64 hexadecimal digits, or a short tag such as v2.1.0-rc1.
 * Variables and files that should hold one may hold anything, secrets included, and profiles are passed on: so only what
 * has this form is recorded. libc only, no allocation: it also runs inside users' programs. */
#ifndef FM_BASE_COMMIT_H
#define FM_BASE_COMMIT_H

#include <stdbool.h>

enum { FM_COMMIT_BYTES = 65, FM_TAG_CHARS = 24 };
#define FM_COMMIT_OFF "off" /* as a setting: no commit is recorded */

bool fm_commit_is_id(const char *text);    /* hexadecimal digits */
bool fm_commit_is_valid(const char *text); /* these, or a tag: letters, digits, '.', '_' and '-' */

/* The first ten digits of an id, which git accepts too; a tag as it is. */
enum { FM_COMMIT_SHORT = FM_TAG_CHARS + 1 };
const char *fm_commit_short(char text[FM_COMMIT_SHORT], const char *commit);

#endif
