/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/commit.h"

#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum { LEAST_DIGITS = 7, SHORT_DIGITS = 10 };

bool fm_commit_is_id(const char *text)
{
    size_t n = strspn(text, DIGITS "abcdefABCDEF");
    return n >= LEAST_DIGITS && n < FM_COMMIT_BYTES && !text[n];
}

static bool is_tag(const char *text)
{
    size_t n = strspn(text, DIGITS LETTERS "._-");
    return n > 0 && n <= FM_TAG_CHARS && !text[n] && !strchr("._-", text[0]) && strcmp(text, FM_COMMIT_OFF) != 0;
}

bool fm_commit_is_valid(const char *text)
{
    return fm_commit_is_id(text) || is_tag(text);
}

const char *fm_commit_short(char text[FM_COMMIT_SHORT], const char *commit)
{
    snprintf(text, FM_COMMIT_SHORT, "%.*s", fm_commit_is_id(commit) ? SHORT_DIGITS : FM_TAG_CHARS, commit);
    return text;
}
