/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "spank/policy.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEPARATORS ", \t\n"

__attribute__((format(printf, 2, 3))) static void tell(fm_policy_problem *problem, const char *format, ...)
{
    char sentence[FM_POLICY_SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (problem)
        problem(sentence);
}

/* ---- reading ---- */

void fm_policy_init(struct fm_policy *policy)
{
    memset(policy, 0, sizeof *policy);
    policy->unasked = true;
}

/* The next word of a list, which is not changed; NULL at the end. Quotes have no meaning. */
static const char *next_word(const char **list, size_t *length)
{
    const char *word = *list + strspn(*list, SEPARATORS);
    *length = strcspn(word, SEPARATORS);
    *list = word + *length;
    return *length ? word : NULL;
}

static bool is_yes_or_no(const char *text, bool *yes)
{
    *yes = strcmp(text, "yes") == 0 || strcmp(text, "on") == 0 || strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    return *yes || strcmp(text, "no") == 0 || strcmp(text, "off") == 0 || strcmp(text, "0") == 0 ||
           strcmp(text, "false") == 0;
}

/* A later value replaces an earlier one; too long a text is no value. */
static bool put(char *to, size_t size, const char *value)
{
    size_t length = strlen(value);
    if (length >= size)
        return false;
    memcpy(to, value, length + 1);
    return true;
}

/* False if the name is none of the plug-in's. */
static bool assign(struct fm_policy *policy, const char *name, const char *value, fm_policy_problem *problem)
{
    const struct {
        const char *name;
        char *to;
        size_t size;
        bool is_path;
    } texts[] = {
        {"lib", policy->library, sizeof policy->library, true},
        {"off", policy->off, sizeof policy->off, true},
        {"spool", policy->spool, sizeof policy->spool, true},
        {"exclude_users", policy->users, sizeof policy->users, false},
        {"exclude_programs", policy->programs, sizeof policy->programs, false},
        {"environment", policy->environment, sizeof policy->environment, false},
    };
    bool yes;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(name, texts[i].name) != 0)
            continue;
        if (texts[i].is_path && *value && *value != '/')
            tell(problem, "%s: '%.80s' is not an absolute path", name, value);
        else if (!put(texts[i].to, texts[i].size, value))
            tell(problem, "%s: the value is longer than %zu characters", name, texts[i].size - 1);
        return true;
    }
    if (strcmp(name, "measure") != 0)
        return false;
    if (is_yes_or_no(value, &yes))
        policy->unasked = yes;
    else
        tell(problem, "measure must be on or off, not '%.80s'", value);
    return true;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

void fm_policy_file(struct fm_policy *policy, const char *path, fm_policy_problem *problem)
{
    char line[FM_POLICY_LIST + 64];
    FILE *file = fopen(path, "re");
    if (!file) {
        tell(problem, "cannot read %s: %s", path, strerror(errno));
        return;
    }
    while (fgets(line, sizeof line, file)) {
        char *text = trim(line), *equals = strchr(text, '=');
        if (!*text || *text == '#' || !equals)
            continue;
        *equals = 0;
        assign(policy, trim(text), trim(equals + 1), problem);
    }
    fclose(file);
}

void fm_policy_argument(struct fm_policy *policy, const char *argument, fm_policy_problem *problem)
{
    char name[32];
    const char *equals = strchr(argument, '=');
    if (!equals || (size_t)(equals - argument) >= sizeof name) {
        tell(problem, "plugstack.conf: '%.80s' is not NAME=VALUE", argument);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - argument), argument);
    if (strcmp(name, "conf") == 0)
        fm_policy_file(policy, equals + 1, problem);
    else if (!assign(policy, name, equals + 1, problem))
        tell(problem, "plugstack.conf: there is no argument '%s'", name);
}

/* ---- deciding ---- */

/* Whether a pattern of the list matches one of the texts, of which `other` may be NULL. */
static bool lists(const char *list, const char *text, const char *other)
{
    char pattern[FM_POLICY_VALUE];
    size_t length;
    const char *word;
    while ((word = next_word(&list, &length))) {
        if (length >= sizeof pattern)
            continue;
        memcpy(pattern, word, length);
        pattern[length] = 0;
        if (fnmatch(pattern, text, 0) == 0 || (other && fnmatch(pattern, other, 0) == 0))
            return true;
    }
    return false;
}

static bool lists_user(const char *list, const struct fm_policy_step *step)
{
    char uid[24];
    snprintf(uid, sizeof uid, "%lu", (unsigned long)step->uid);
    return lists(list, uid, step->user);
}

/* By its name, or by its path as it was given to srun. */
static bool lists_program(const char *list, const char *program)
{
    const char *slash = strrchr(program, '/');
    return lists(list, program, slash ? slash + 1 : NULL);
}

enum fm_policy_answer fm_policy_decide(const struct fm_policy *policy, const struct fm_policy_step *step,
                                       const char **why)
{
    bool yes = true;
    bool asked = step->option && !(is_yes_or_no(step->option, &yes) && !yes);
    *why = "measured";
    if (step->own)
        *why = "measured by its user";
    else if (*policy->off && access(policy->off, F_OK) == 0)
        *why = "switched off";
    else if (step->option && !asked)
        *why = "--fathom=no";
    else if (!asked && !policy->unasked)
        *why = "not asked for";
    else if (!asked && lists_user(policy->users, step))
        *why = "excluded user";
    else if (!asked && step->program && lists_program(policy->programs, step->program))
        *why = "excluded program";
    else if (!*policy->library || access(policy->library, R_OK) != 0)
        *why = "no library"; /* the dynamic linker would complain in every process */
    else
        return FM_POLICY_MEASURE;
    return step->own ? FM_POLICY_LEAVE_ALONE : FM_POLICY_TAKE_OFF;
}

/* ---- the environment ---- */

bool fm_policy_preload_without(const char *present, const char *library, char *result, size_t size)
{
    size_t at = 0, removed = 0;
    if (!present || strlen(present) >= size)
        return false;
    while (*present) {
        size_t length = strcspn(present, ": "), separator = present[length] != 0;
        if (length == strlen(library) && memcmp(present, library, length) == 0)
            removed++;
        else if (length) {
            if (at)
                result[at++] = ':';
            memcpy(result + at, present, length);
            at += length;
        }
        present += length + separator;
    }
    result[at] = 0;
    return removed > 0;
}

bool fm_policy_preload_with(const char *present, const char *library, char *result, size_t size)
{
    char rest[FM_POLICY_LIST];
    size_t length = strlen(library);
    if (strpbrk(library, ": ")) /* the dynamic linker has no way to quote them */
        return false;
    if (present && strncmp(present, library, length) == 0 && (!present[length] || strchr(": ", present[length])))
        return false;
    if (present && fm_policy_preload_without(present, library, rest, sizeof rest))
        present = rest;
    return (size_t)snprintf(result, size, "%s%s%s", library, present && *present ? ":" : "", present ? present : "") <
           size;
}

/* What a user may set with --fathom; the rest is the site's. */
static bool is_option(const char *name)
{
    static const char *const names[] = {"arguments", "counters", "io", "memory", "output", "report", "sample"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void set_option(char *text, fm_policy_set *set, void *context, fm_policy_problem *problem)
{
    char name[40] = "FATHOM_", *equals = strchr(text, '=');
    *equals = 0;
    if (!is_option(text)) {
        tell(problem, "--fathom has no '%.40s'", text);
        return;
    }
    size_t at = strlen(name);
    for (const char *from = text; *from && at + 1 < sizeof name; from++)
        name[at++] = (char)toupper((unsigned char)*from);
    name[at] = 0;
    set(context, name, equals + 1, true);
}

/* A piece without "=" continues the value before it: counters=cycles,instructions. */
static void set_options(const char *option, fm_policy_set *set, void *context, fm_policy_problem *problem)
{
    char text[FM_POLICY_VALUE];
    bool yes;
    if (is_yes_or_no(option, &yes))
        return;
    if (!strchr(option, '=') || !put(text, sizeof text, option)) {
        tell(problem, "--fathom must be yes, no or NAME=VALUE,..., not '%.80s'", option);
        return;
    }
    for (char *piece = text, *end; piece; piece = end) {
        end = strchr(piece, ',');
        while (end && strchr(end, '=') && strcspn(end + 1, ",") < strcspn(end + 1, "="))
            end = strchr(end + 1, ',');
        if (end && !strchr(end, '='))
            end = NULL;
        if (end)
            *end++ = 0;
        if (strchr(piece, '='))
            set_option(piece, set, context, problem);
        else
            tell(problem, "--fathom: '%.80s' has no value", piece);
    }
}

static void set_environment(const char *list, fm_policy_set *set, void *context, fm_policy_problem *problem)
{
    char text[FM_POLICY_VALUE];
    size_t length;
    const char *word;
    while ((word = next_word(&list, &length))) {
        char *equals;
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : 0), word);
        equals = strchr(text, '=');
        if (!equals || strncmp(text, "FATHOM_", 7) != 0) {
            tell(problem, "environment: '%.*s' is not FATHOM_NAME=VALUE", length < 80 ? (int)length : 80, word);
            continue;
        }
        *equals = 0;
        set(context, text, equals + 1, false);
    }
}

void fm_policy_variables(const struct fm_policy *policy, const char *option, fm_policy_set *set, void *context,
                         fm_policy_problem *problem)
{
    char spool[FM_POLICY_PATH + 2];
    if (option)
        set_options(option, set, context, problem);
    if (*policy->spool) {
        snprintf(spool, sizeof spool, "%s/", policy->spool); /* with a slash it is a directory in any case */
        set(context, "FATHOM_OUTPUT", spool, false);
    }
    set_environment(policy->environment, set, context, problem);
}
