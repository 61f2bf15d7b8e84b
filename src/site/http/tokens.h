/* SPDX-License-Identifier: BSD-3-Clause */
/* The token file of a site's server: who has which token. Lines are
 *
 *   USER sha256:DIGEST [staff]     64 hexadecimal digits: `fathom site token` writes such lines
 *   USER TOKEN [staff]             the token itself, 16 characters or more
 *
 * with comments after '#'. Others must not be able to read the file. It is read again when it has changed. Used by one
 * thread at a time. */
#ifndef FM_SITE_HTTP_TOKENS_H
#define FM_SITE_HTTP_TOKENS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/sha256.h"

enum { FM_SITE_USER = 256, FM_SITE_TOKEN_CHARS = 48, FM_SITE_TOKEN_LEAST = 16 };

struct fm_site_token {
    char user[FM_SITE_USER];
    unsigned char digest[FM_SHA256_BYTES];
    bool staff;
};

struct fm_site_tokens {
    const char *path;
    struct timespec modified; /* of the file that was read */
    ino_t inode;
    off_t size;
    struct fm_site_token *items;
    size_t n, capacity;
};

enum fm_status fm_site_tokens_open(struct fm_site_tokens *tokens, const char *path, struct fm_error *error);
void fm_site_tokens_close(struct fm_site_tokens *tokens);
/* Whose token it is; NULL: nobody's. Takes the same time for all tokens of the same length. If the file has changed it is
 * read again; one that cannot be read means that nobody has a token. */
const struct fm_site_token *fm_site_tokens_find(struct fm_site_tokens *tokens, const char *given);

/* A line of the file; *has_token is false for a comment. */
enum fm_status fm_site_token_read(const char *line, struct fm_site_token *token, bool *has_token,
                                  struct fm_error *error);
/* Makes a new token, and writes its line. */
enum fm_status fm_site_token_make(const char *user, bool staff, FILE *out, char token[FM_SITE_TOKEN_CHARS + 1],
                                  struct fm_error *error);
/* A name that a user can have: not empty, without blanks and control characters. */
bool fm_site_user_is_name(const char *user);

#endif
