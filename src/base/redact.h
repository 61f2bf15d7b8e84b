/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes out of command lines and variables what looks like a secret, before it is kept anywhere: doc/PRIVACY.md has the
 * rules. libc only, no memory of its own: it runs inside users' programs too. */
#ifndef FM_BASE_REDACT_H
#define FM_BASE_REDACT_H

#include <stdbool.h>
#include <stddef.h>

struct fm_redacted {
    char *text; /* of `size` bytes: words, a NUL behind each */
    size_t size, used;
    bool follows; /* the last word was the name of a secret, which comes next */
    bool client;  /* a word named a program that takes a password as -pSECRET */
};

/* Adds a word of a command line, or "NAME=value" of the environment, with *** for what is secret. False: it does not
 * fit, and nothing is added. */
bool fm_redact(struct fm_redacted *into, const char *word);

/* Whether arguments are to be kept at all, or only the name that a program was started by: FATHOM_ARGUMENTS=off. */
bool fm_arguments_wanted(void);

#endif
