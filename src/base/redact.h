/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes what looks like a secret from command lines and variables before they are stored anywhere; doc/PRIVACY.md has
 * the rules. libc only, no allocation: it also runs inside users' programs. */
#ifndef FM_BASE_REDACT_H
#define FM_BASE_REDACT_H

#include <stdbool.h>
#include <stddef.h>

struct fm_redacted {
    char *text; /* `size` bytes: words, each followed by a NUL */
    size_t size, used;
    bool follows; /* the last word was the name of a secret whose value comes next */
    bool client;  /* a word named a program that takes a password as -pSECRET */
};

/* Appends a word of a command line, or "NAME=value" of the environment, with *** in place of secrets. Returns false and
 * appends nothing if it does not fit. */
bool fm_redact(struct fm_redacted *into, const char *word);

/* Whether arguments may be recorded, or only the name of the program: FATHOM_ARGUMENTS=off. */
bool fm_arguments_wanted(void);

#endif
