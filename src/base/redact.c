/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/redact.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/settings.h"

static const char blanks[] = " \t\r\n";

static void put(struct fm_redacted *into, const char *text, size_t bytes)
{
    if (into->used + bytes < into->size) /* leaves room for a NUL */
        memcpy(into->text + into->used, text, bytes);
    into->used += bytes;
}

static void put_stars(struct fm_redacted *into)
{
    put(into, "***", 3);
}

static bool looks_secret(const char *name, size_t length)
{
    static const char words[][16] = {"PASS",       "PWD",  "SECRET", "TOKEN",  "KEY",
                                     "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE"};
    char text[128];
    if (length >= sizeof text) { /* the end of a long name is the most telling part */
        name += length - (sizeof text - 1);
        length = sizeof text - 1;
    }
    memcpy(text, name, length);
    text[length] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

/* --password=..., token:..., ?key=..., a=1,secret=...: returns the offset of the value, or 0. */
static size_t value_of_secret(const char *part, size_t length)
{
    size_t name = 0;
    for (size_t i = 0; i < length; i++) {
        bool scheme = part[i] == ':' && strncmp(part + i, "://", 3) == 0;
        if (strchr("&;,?/", part[i]))
            name = i + 1;
        else if ((part[i] == '=' || (part[i] == ':' && !scheme)) && looks_secret(part + name, i - name))
            return i + 1;
    }
    return 0;
}

/* Programs that accept a password attached to -p. */
static bool is_client(const char *part, size_t length)
{
    static const char names[][8] = {"mysql", "mariadb", "sshpass"};
    size_t start = length;
    while (start > 0 && !strchr("/=;|&(`'\"", part[start - 1]))
        start--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length - start >= strlen(names[i]) && strncmp(part + start, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* -print, -periodic=1; and PETSc's -pc_mg_levels_1_ksp_type, which is common here. */
static bool reads_as_option(const char *part, size_t length)
{
    size_t letters = strspn(part + 1, "abcdefghijklmnopqrstuvwxyz_-") + 1;
    return letters >= length || part[letters] == '=' || strncmp(part, "-pc_", 4) == 0;
}

/* mysql's -pSECRET. After another program's name, only if it does not read as an option: a password is rarely plain
 * letters, and what begins with -p is rarely a password. */
static bool has_attached_password(const struct fm_redacted *into, const char *part, size_t length)
{
    return length > 2 && strncmp(part, "-p", 2) == 0 && (into->client || !reads_as_option(part, length));
}

/* Redacts scheme://user:password@host, or a token in place of the user. */
static void put_plain(struct fm_redacted *into, const char *part, size_t length)
{
    const char *scheme = memmem(part, length, "://", 3), *end = part + length;
    const char *from = scheme ? scheme + 3 : end;
    size_t authority = 0;
    while (from + authority < end && !strchr("/?#", from[authority]))
        authority++;
    const char *at = memrchr(from, '@', authority);
    if (!at) {
        put(into, part, length);
        return;
    }
    const char *colon = memchr(from, ':', (size_t)(at - from));
    put(into, part, (size_t)((colon ? colon + 1 : from) - part));
    put_stars(into);
    put_plain(into, at, (size_t)(end - at));
}

/* As in "Authorization: Bearer TOKEN". */
static bool is_scheme(const char *part, size_t length)
{
    static const char schemes[][8] = {"Bearer", "Basic", "Token"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strlen(schemes[i]) == length && strncasecmp(part, schemes[i], length) == 0)
            return true;
    return false;
}

/* Adds one blank-delimited part of a word. Returns true if the rest of the word belongs to a secret too. If the value
 * is empty, the next word is the value unless it is an option. */
static bool put_part(struct fm_redacted *into, const char *part, size_t length)
{
    bool option = *part == '-', follows = into->follows && !option;
    into->client = into->client || (!option && is_client(part, length));
    if (follows && is_scheme(part, length)) {
        put(into, part, length);
        return false;
    }
    size_t value = follows ? 0 : value_of_secret(part, length);
    bool empty = value == length;
    value = empty ? 0 : value;
    bool attached = !follows && !value && has_attached_password(into, part, length);
    bool named = empty || (option && looks_secret(part, length));
    into->follows = !follows && !value && named && !(attached && into->client);
    attached = attached && !into->follows;
    if (!follows && !value && !attached) {
        put_plain(into, part, length);
        return false;
    }
    put(into, part, attached ? 2 : value);
    put_stars(into);
    return true;
}

bool fm_redact(struct fm_redacted *into, const char *word)
{
    size_t before = into->used;
    bool secret = false;
    while (*word && !secret) {
        size_t space = strspn(word, blanks);
        put(into, word, space);
        word += space;
        size_t length = strcspn(word, blanks);
        if (length)
            secret = put_part(into, word, length);
        word += length;
    }
    if (into->used + 1 > into->size) {
        into->used = before;
        return false;
    }
    into->text[into->used++] = 0;
    return true;
}

bool fm_arguments_wanted(void)
{
    const char *setting = getenv("FATHOM_ARGUMENTS");
    bool wanted = false; /* an invalid value means off */
    if (setting && *setting)
        fm_setting_switch(setting, &wanted);
    return !setting || !*setting || wanted;
}
