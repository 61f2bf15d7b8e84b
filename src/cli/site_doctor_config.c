/* SPDX-License-Identifier: BSD-3-Clause */
/* What a site has chosen, and whether jobs can be measured at all. */
#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/off_file.h"
#include "base/units.h"
#include "cli/library.h"
#include "cli/site_doctor.h"
#include "site/calibration/calibration.h"
#include "site/http/tag_rules.h"
#include "site/http/tokens.h"
#include "site/http/who.h"

/* Who can write to it can have every job of the site do something else. */
static bool others_write(const struct stat *st)
{
    return (st->st_mode & (S_IWGRP | S_IWOTH)) || (st->st_uid != 0 && st->st_uid != geteuid());
}

static void check_file(struct fm_site_doctor *site)
{
    const char *path = site->config.path;
    struct stat st;
    if (!*path)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "fathom site init", "configuration: there is no %s; all defaults",
                      FM_SITE_CONFIG_FILE);
    else if (stat(path, &st) == 0 && others_write(&st))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "chown root and chmod 644",
                      "configuration: others than root can write to %s", path);
    else if (stat(path, &st) == 0 && !(st.st_mode & S_IROTH))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "chmod 644",
                      "configuration: users cannot read %s, so 'fathom run' does not know what to do", path);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "configuration: %s", path);
}

static bool is_key(const char *path)
{
    char text[64] = "";
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0, digits = 0;
    if (file)
        fclose(file);
    while (digits < length && isxdigit((unsigned char)text[digits]))
        digits++;
    return digits == 32 && strspn(text + digits, " \r\n") == length - digits;
}

static void check_key(struct fm_site_doctor *site)
{
    const char *path = site->config.hash_key;
    struct stat st;
    const char *fix = "head -c 16 /dev/urandom | xxd -p > FILE; chmod 600";
    if (!site->config.hash_names)
        return;
    if (stat(path, &st) != 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, fix, "hash_key: %s: %s", path, strerror(errno));
    else if (st.st_mode & (S_IRWXG | S_IRWXO))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "chmod 600; names that are in records already can be found out",
                      "hash_key: others than root can read %s", path);
    else if (access(path, R_OK) == 0 && !is_key(path))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, fix, "hash_key: %s does not have 32 hexadecimal digits", path);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "hash_key: %s", path);
}

/* ---- tokens of the pages ---- */

static int by_digest(const void *a, const void *b)
{
    const struct fm_site_token *x = a, *y = b;
    int order = memcmp(x->digest, y->digest, sizeof x->digest);
    return order ? order : strcmp(x->user, y->user);
}

/* Who else has this token; the same line twice does no harm but is a mistake, too. Sorts the tokens. */
static const struct fm_site_token *find_twice(struct fm_site_tokens *tokens)
{
    if (tokens->n)
        qsort(tokens->items, tokens->n, sizeof *tokens->items, by_digest);
    for (size_t i = 0; i + 1 < tokens->n; i++)
        if (memcmp(tokens->items[i].digest, tokens->items[i + 1].digest, sizeof tokens->items->digest) == 0)
            return &tokens->items[i];
    return NULL;
}

static size_t count_staff(const struct fm_site_doctor *site, const struct fm_site_tokens *tokens)
{
    size_t n = 0;
    for (size_t i = 0; i < tokens->n; i++)
        n += tokens->items[i].staff || fm_site_staff_has(site->config.staff, tokens->items[i].user);
    return n;
}

/* The server has the rights of the user `fathom` (fathom-serve.service), not those of root who looks now. */
static bool server_can_read(const char *path)
{
    struct passwd *server = getpwnam("fathom");
    struct stat st;
    return !server || stat(path, &st) != 0 || st.st_uid == server->pw_uid;
}

static const char *tokens_fix(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? "fathom site token USER --staff --tokens FILE, as the user fathom"
                               : "chown fathom; chmod 600";
    return st.st_mode & 077 ? "chmod 600; those who could read it have these tokens: make new ones"
                            : "correct the line, or make a token with fathom site token";
}

static void check_tokens(struct fm_site_doctor *site)
{
    const char *path = site->config.http_tokens;
    struct fm_site_tokens tokens;
    struct fm_error error;
    if (!*path)
        return;
    if (fm_site_tokens_open(&tokens, path, &error)) {
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, tokens_fix(path), "http_tokens: %s", error.text);
        return;
    }
    const struct fm_site_token *twice = find_twice(&tokens);
    size_t staff = count_staff(site, &tokens);
    if (!server_can_read(path))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "chown fathom",
                      "http_tokens: %s does not belong to fathom, as which "
                      "the server runs",
                      path);
    else if (twice && strcmp(twice->user, twice[1].user) != 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "remove both lines, and make a token for each",
                      "http_tokens: %s and %s have the same token in %s", twice->user, twice[1].user, path);
    else if (twice)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "remove one of the lines",
                      "http_tokens: a token of %s is in %s more than once", twice->user, path);
    else if (!staff)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "fathom site token USER --staff --tokens FILE",
                      "http_tokens: %zu in %s, none of the staff: nobody sees all jobs", tokens.n, path);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "http_tokens: %zu in %s, %zu of the staff", tokens.n, path,
                      staff);
    fm_site_tokens_close(&tokens);
}

static void check_tags(struct fm_site_doctor *site)
{
    struct fm_site_tag_rules rules;
    struct fm_error error;
    if (fm_site_tag_rules_read(&rules, site->config.tag, &error))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "correct the line; the server does not start", "%s", error.text);
    else
        fm_site_tag_rules_close(&rules);
}

/* ---- how jobs are measured ---- */

static void check_calibration(struct fm_site_doctor *site)
{
    struct fm_calibration calibration;
    struct fm_error error;
    const char *path = site->config.calibration;
    if (!*path || access(path, F_OK) != 0)
        return;
    if (fm_calibration_read(&calibration, path, &error)) {
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "measure again with fathom calibrate", "calibration: %s",
                      error.text);
        return;
    }
    fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "calibration: %zu routines", calibration.n_routines);
    fm_calibration_destroy(&calibration);
}

static void check_measuring(struct fm_site_doctor *site)
{
    char path[FM_FILE_PATH_BYTES];
    struct fm_error error;
    if (access(FM_OFF_FILE, F_OK) == 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "rm " FM_OFF_FILE,
                      "switch: %s exists: no job is measured on this host", FM_OFF_FILE);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "switch: on (there is no %s)", FM_OFF_FILE);
    if (fm_library_find(path, &error))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "install the package fathom", "library: %s", error.text);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "library: %s", path);
    if (!site->config.measure)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "measure = on",
                      "measure: off, so only jobs that ask for it are measured");
}

void fm_site_doctor_config(struct fm_site_doctor *site)
{
    check_file(site);
    check_key(site);
    if (site->has_database) {
        check_tokens(site);
        check_tags(site);
        check_calibration(site);
    }
    if (site->is_node)
        check_measuring(site);
}

void fm_site_doctor_space(struct fm_site_doctor *site, const char *what, const char *directory)
{
    struct statvfs space;
    char text[FM_UNIT_CHARS];
    if (statvfs(directory, &space) != 0 || !space.f_blocks)
        return;
    double left = (double)space.f_bavail * (double)space.f_frsize;
    double part = (double)space.f_bavail / (double)space.f_blocks;
    fm_bytes_text(text, left);
    if (space.f_files && space.f_favail * 100 < space.f_files)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "remove files",
                      "%s: the file system of %s has hardly any inodes left", what, directory);
    else if (left < 64.0 * (1 << 20))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "make room", "%s: %s left in the file system of %s", what, text,
                      directory);
    else if (left < (double)(1 << 30) || (part < 0.02 && left < 100.0 * (1 << 30)))
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "make room", "%s: %s left in the file system of %s", what, text,
                      directory);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "%s: %s left in the file system of %s", what, text, directory);
}
