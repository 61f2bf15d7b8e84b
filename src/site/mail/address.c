/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/writer.h"

enum { MAX_ADDRESS = 254, MAX_LOCAL = 64, MAX_URL = 254, MAX_LINE = 1024 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* As in RFC 5321 without quotes: words of letters, digits and a few others, with dots between them. */
static bool good_words(const char *text, size_t length, const char *others)
{
    if (!length || text[0] == '.' || text[0] == '-' || text[length - 1] == '.')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr(text[i] == '.' ? "." : others, text[i]) || (text[i] == '.' && text[i + 1] == '.'))
            return false;
    return true;
}

static bool good_local(const char *text, size_t length)
{
    return length <= MAX_LOCAL && good_words(text, length, LETTERS "_+-");
}

static bool good_domain(const char *text)
{
    return good_words(text, strlen(text), LETTERS "-");
}

bool fm_mail_address_good(const char *address)
{
    const char *at = strchr(address, '@');
    return at && strlen(address) <= MAX_ADDRESS && good_local(address, (size_t)(at - address)) && good_domain(at + 1);
}

/* Characters that need no quotes in a header or an attribute. */
static bool good_url(const char *text, const char *scheme, const char *other_scheme)
{
    return (fm_begins_with(text, scheme) || fm_begins_with(text, other_scheme)) && strlen(text) <= MAX_URL &&
           strlen(text) == strspn(text, LETTERS "@:/?&=%.,_~+#-");
}

bool fm_mail_unsubscribe_good(const char *text)
{
    return good_url(text, "mailto:", "https://");
}

bool fm_mail_url_good(const char *text)
{
    return good_url(text, "http://", "https://");
}

/* ---- the file ---- */

static int by_user(const void *a, const void *b)
{
    return strcmp(((const struct fm_mail_address *)a)->user, ((const struct fm_mail_address *)b)->user);
}

static enum fm_status add_line(struct fm_mail_addresses *addresses, char *line, size_t *capacity, const char *file,
                               unsigned number, struct fm_error *error)
{
    char *rest, *user = strtok_r(line, " \t\r\n", &rest), *address = strtok_r(NULL, " \t\r\n", &rest);
    if (!user || *user == '#')
        return FM_OK;
    if (!address || strtok_r(NULL, " \t\r\n", &rest))
        return fm_fail(error, FM_ERR_INPUT, "no 'user address' in %s:%u", file, number);
    if (!fm_mail_address_good(address))
        return fm_fail(error, FM_ERR_INPUT, "'%.80s' is not an address, in %s:%u", address, file, number);
    struct fm_mail_address *grown = addresses->items;
    if (addresses->n == *capacity)
        grown = fm_arena_grow(&addresses->arena, grown, capacity, addresses->n + 1, sizeof *grown);
    const char *user_copy = fm_arena_strndup(&addresses->arena, user, strlen(user));
    const char *address_copy = fm_arena_strndup(&addresses->arena, address, strlen(address));
    if (!grown || !user_copy || !address_copy)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to read %s", file);
    addresses->items = grown;
    addresses->items[addresses->n++] = (struct fm_mail_address){user_copy, address_copy};
    return FM_OK;
}

static enum fm_status read_file(struct fm_mail_addresses *addresses, const char *name, struct fm_error *error)
{
    FILE *file = fopen(name, "re");
    if (!file)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", name, strerror(errno));
    char line[MAX_LINE];
    size_t capacity = 0;
    enum fm_status status = FM_OK;
    for (unsigned number = 1; !status && fgets(line, sizeof line, file); number++)
        status = strlen(line) == sizeof line - 1 ? fm_fail(error, FM_ERR_INPUT, "%s:%u is too long", name, number)
                                                 : add_line(addresses, line, &capacity, name, number, error);
    if (!status && ferror(file))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot read %s", name);
    fclose(file);
    if (addresses->n)
        qsort(addresses->items, addresses->n, sizeof *addresses->items, by_user);
    return status;
}

enum fm_status fm_mail_addresses_open(struct fm_mail_addresses *addresses, const char *file, const char *domain,
                                      struct fm_error *error)
{
    *addresses = (struct fm_mail_addresses){.domain = domain};
    if (*domain && !good_domain(domain))
        return fm_fail(error, FM_ERR_INPUT, "mail_domain must be the name of a domain, not '%.60s'", domain);
    return *file ? read_file(addresses, file, error) : FM_OK;
}

void fm_mail_addresses_close(struct fm_mail_addresses *addresses)
{
    fm_arena_destroy(&addresses->arena);
    *addresses = (struct fm_mail_addresses){.domain = ""};
}

const char *fm_mail_address_of(const struct fm_mail_addresses *addresses, const char *user, struct fm_arena *arena)
{
    const struct fm_mail_address key = {.user = user};
    const struct fm_mail_address *found = addresses->n
                                              ? bsearch(&key, addresses->items, addresses->n, sizeof key, by_user)
                                              : NULL;
    if (found)
        return found->address;
    if (!*addresses->domain || !good_local(user, strlen(user)))
        return NULL;
    const char *address = fm_written(arena, "%s@%s", user, addresses->domain);
    return address && fm_mail_address_good(address) ? address : NULL;
}

enum fm_status fm_mail_address_list(const char *list, const char *key, struct fm_arena *arena,
                                    const char *const **addresses, struct fm_error *error)
{
    size_t n = 0, length = strlen(list);
    const char **found = fm_arena_alloc(arena, (length / 2 + 2) * sizeof *found);
    char *copy = fm_arena_strndup(arena, list, length), *rest;
    if (!found || !copy)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for addresses");
    for (char *word = strtok_r(copy, " \t,", &rest); word; word = strtok_r(NULL, " \t,", &rest)) {
        if (!fm_mail_address_good(word))
            return fm_fail(error, FM_ERR_INPUT, "'%.80s' of %s is not an address", word, key);
        found[n++] = word;
    }
    found[n] = NULL;
    *addresses = found;
    return FM_OK;
}
