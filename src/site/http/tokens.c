/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/tokens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/utf8.h"

enum { LINE = 1024, MOST = 100000 };
#define DIGEST_MARK "sha256:"

bool fm_site_user_is_name(const char *user)
{
    size_t length = strlen(user);
    for (const char *at = user; *at;) {
        uint32_t code = fm_utf8_next(&at);
        if (code == FM_UTF8_DAMAGED || code <= ' ' || code == 0x7f)
            return false;
    }
    return length > 0 && length < FM_SITE_USER;
}

/* ---- a line ---- */

static int hex_value(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

static bool read_digest(const char *text, unsigned char digest[FM_SHA256_BYTES])
{
    if (strlen(text) != (size_t)2 * FM_SHA256_BYTES)
        return false;
    for (int i = 0; i < FM_SHA256_BYTES; i++) {
        int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        digest[i] = (unsigned char)(16 * high + low);
    }
    return true;
}

/* No sentence contains what may be a token. */
enum fm_status fm_site_token_read(const char *line, struct fm_site_token *token, bool *has_token,
                                  struct fm_error *error)
{
    char copy[LINE], *rest, *words[4];
    size_t n = 0;
    *token = (struct fm_site_token){0};
    *has_token = false;
    if (strlen(line) >= sizeof copy)
        return fm_fail(error, FM_ERR_INPUT, "a line is too long");
    strcpy(copy, line);
    for (char *word = strtok_r(copy, " \t\r\n", &rest); word && *word != '#' && n < 4;
         word = strtok_r(NULL, " \t\r\n", &rest))
        words[n++] = word;
    if (!n)
        return FM_OK;
    if (n < 2 || n > 3 || (n == 3 && strcmp(words[2], "staff") != 0))
        return fm_fail(error, FM_ERR_INPUT, "a line must be 'user token' or 'user token staff'");
    if (!fm_site_user_is_name(words[0]))
        return fm_fail(error, FM_ERR_INPUT, "the name of a user is too long");
    if (strncmp(words[1], DIGEST_MARK, sizeof DIGEST_MARK - 1) == 0) {
        if (!read_digest(words[1] + sizeof DIGEST_MARK - 1, token->digest))
            return fm_fail(error, FM_ERR_INPUT, "after sha256: there must be 64 hexadecimal digits");
    } else if (strlen(words[1]) < FM_SITE_TOKEN_LEAST) {
        return fm_fail(error, FM_ERR_INPUT, "a token must have at least %d characters", FM_SITE_TOKEN_LEAST);
    } else {
        fm_sha256(words[1], strlen(words[1]), token->digest);
    }
    strcpy(token->user, words[0]);
    token->staff = n == 3;
    *has_token = true;
    return FM_OK;
}

enum fm_status fm_site_token_make(const char *user, bool staff, FILE *out, char token[FM_SITE_TOKEN_CHARS + 1],
                                  struct fm_error *error)
{
    unsigned char bytes[FM_SITE_TOKEN_CHARS / 2], digest[FM_SHA256_BYTES];
    if (!fm_site_user_is_name(user) || *user == '#')
        return fm_fail(error, FM_ERR_USAGE, "'%.60s' is not the name of a user", user);
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fm_fail(error, FM_ERR_SYSTEM, "the system gives no random numbers for a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    fm_sha256(token, strlen(token), digest);
    fprintf(out, "%s " DIGEST_MARK, user);
    for (int i = 0; i < FM_SHA256_BYTES; i++)
        fprintf(out, "%02x", digest[i]);
    fputs(staff ? " staff\n" : "\n", out);
    return FM_OK;
}

/* ---- the file ---- */

static enum fm_status add(struct fm_site_tokens *tokens, const struct fm_site_token *token, struct fm_error *error)
{
    if (tokens->n == tokens->capacity) {
        size_t capacity = tokens->capacity ? 2 * tokens->capacity : 64;
        struct fm_site_token *grown = tokens->n < MOST ? realloc(tokens->items, capacity * sizeof *grown) : NULL;
        if (!grown)
            return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the tokens in %s", tokens->path);
        tokens->items = grown;
        tokens->capacity = capacity;
    }
    tokens->items[tokens->n++] = *token;
    return FM_OK;
}

static enum fm_status read_lines(struct fm_site_tokens *tokens, FILE *file, struct fm_error *error)
{
    char line[LINE + 1];
    enum fm_status status = FM_OK;
    for (unsigned number = 1; !status && fgets(line, sizeof line, file); number++) {
        struct fm_site_token token;
        struct fm_error why;
        bool has_token = false;
        status = fm_site_token_read(line, &token, &has_token, &why);
        if (status)
            return fm_fail(error, status, "%s:%u: %s", tokens->path, number, why.text);
        if (has_token)
            status = add(tokens, &token, error);
    }
    return !status && ferror(file) ? fm_fail(error, FM_ERR_SYSTEM, "cannot read %s", tokens->path) : status;
}

static enum fm_status read_file(struct fm_site_tokens *tokens, struct fm_error *error)
{
    struct stat st;
    FILE *file = fopen(tokens->path, "re");
    if (!file || fstat(fileno(file), &st) != 0) {
        int why = errno;
        if (file)
            fclose(file);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read the tokens in %s: %s", tokens->path, strerror(why));
    }
    tokens->n = 0;
    tokens->modified = st.st_mtim;
    tokens->inode = st.st_ino;
    tokens->size = st.st_size;
    enum fm_status status = FM_OK;
    if (!S_ISREG(st.st_mode) || st.st_mode & 077)
        status = fm_fail(error, FM_ERR_INPUT, "other users can read the tokens in %s; run: chmod 600 %s", tokens->path,
                         tokens->path);
    else
        status = read_lines(tokens, file, error);
    fclose(file);
    if (status)
        tokens->n = 0;
    return status;
}

enum fm_status fm_site_tokens_open(struct fm_site_tokens *tokens, const char *path, struct fm_error *error)
{
    *tokens = (struct fm_site_tokens){.path = path};
    enum fm_status status = read_file(tokens, error);
    if (status)
        fm_site_tokens_close(tokens);
    return status;
}

void fm_site_tokens_close(struct fm_site_tokens *tokens)
{
    free(tokens->items);
    *tokens = (struct fm_site_tokens){0};
}

static bool has_changed(const struct fm_site_tokens *tokens)
{
    struct stat st;
    return stat(tokens->path, &st) != 0 || st.st_ino != tokens->inode || st.st_size != tokens->size ||
           st.st_mtim.tv_sec != tokens->modified.tv_sec || st.st_mtim.tv_nsec != tokens->modified.tv_nsec;
}

const struct fm_site_token *fm_site_tokens_find(struct fm_site_tokens *tokens, const char *given)
{
    unsigned char digest[FM_SHA256_BYTES];
    const struct fm_site_token *found = NULL;
    if (has_changed(tokens) && read_file(tokens, NULL))
        return NULL;
    fm_sha256(given, strlen(given), digest);
    for (size_t i = 0; i < tokens->n; i++) {
        unsigned char differs = 0;
        for (int j = 0; j < FM_SHA256_BYTES; j++)
            differs |= (unsigned char)(digest[j] ^ tokens->items[i].digest[j]);
        __asm__ volatile("" : "+r"(differs)); /* the compiler must not leave the loop early */
        if (!differs)
            found = &tokens->items[i];
    }
    return found;
}
