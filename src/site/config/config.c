/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/config/config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

enum { MAX_LINE = 4096, MAX_LINES = 10000 };

enum key_kind { KIND_TEXT, KIND_WHOLE, KIND_NUMBER, KIND_SWITCH, KIND_LINES };

/* The default is in the member of its kind. */
struct key {
    enum key_kind kind;
    const char *name, *meaning;
    size_t offset;
    const char *text;
    double number;
};

#define DEFAULT_TEXT(value) value, 0
#define DEFAULT_LINES(value) value, 0
#define DEFAULT_WHOLE(value) NULL, value
#define DEFAULT_NUMBER(value) NULL, value
#define DEFAULT_SWITCH(value) NULL, value
#define X(kind, key, value, meaning) \
    {KIND_##kind, #key, meaning, offsetof(struct fm_site_config, key), DEFAULT_##kind(value)},
static const struct key keys[] = {FM_SITE_CONFIG_KEYS(X)};
#undef X
enum { KEYS = sizeof keys / sizeof *keys };

static void set_defaults(struct fm_site_config *config)
{
    memset(config, 0, sizeof *config);
    config->path = "";
#define X(kind, key, value, meaning) config->key = value;
    FM_SITE_CONFIG_KEYS(X)
#undef X
}

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

static bool set_number(const struct key *key, void *member, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (!*value || *end || !isfinite(number) || number < 0 || number > 1e15)
        return false;
    if (key->kind == KIND_NUMBER)
        *(double *)member = number;
    else
        *(int64_t *)member = (int64_t)number;
    return key->kind == KIND_NUMBER || number == floor(number);
}

static const char *joined(struct fm_site_config *config, const char *lines, const char *line)
{
    size_t size = strlen(lines) + strlen(line) + 2;
    char *text = fm_arena_alloc(&config->arena, size);
    if (text)
        snprintf(text, size, "%s%s%s", lines, *lines ? "\n" : "", line);
    return text;
}

/* NULL, or what the value must be. */
static const char *set_value(struct fm_site_config *config, const struct key *key, const char *value)
{
    void *member = (char *)config + key->offset;
    bool on;
    switch (key->kind) {
    case KIND_TEXT:
        *(const char **)member = fm_arena_strndup(&config->arena, value, strlen(value));
        return *(const char **)member ? NULL : "shorter: not enough memory";
    case KIND_LINES:
        *(const char **)member = joined(config, *(const char **)member, value);
        return *(const char **)member ? NULL : "shorter: not enough memory";
    case KIND_WHOLE:
        return set_number(key, member, value) ? NULL : "a whole number";
    case KIND_NUMBER:
        return set_number(key, member, value) ? NULL : "a number";
    case KIND_SWITCH:
        break;
    }
    if (!fm_setting_switch(value, &on))
        return "on or off";
    *(int *)member = on;
    return NULL;
}

/* Removes blanks at both ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static enum fm_status read_line(struct fm_site_config *config, char *line, unsigned number, struct fm_error *error)
{
    char *name = trim(line), *equals = strchr(name, '=');
    if (!*name || *name == '#')
        return FM_OK;
    if (!equals)
        return fm_fail(error, FM_ERR_INPUT, "no 'key = value' in %s:%u", config->path, number);
    *equals = '\0';
    const char *value = trim(equals + 1);
    name = trim(name);
    const struct key *key = find_key(name);
    if (!key)
        return fm_fail(error, FM_ERR_INPUT, "unknown key '%.60s' in %s:%u", name, config->path, number);
    const char *wanted = set_value(config, key, value);
    return wanted ? fm_fail(error, FM_ERR_INPUT, "%s must be %s, not '%.60s', in %s:%u", name, wanted, value,
                            config->path, number)
                  : FM_OK;
}

static enum fm_status read_lines(struct fm_site_config *config, FILE *file, struct fm_error *error)
{
    char line[MAX_LINE];
    enum fm_status status = FM_OK;
    for (unsigned number = 1; !status && fgets(line, sizeof line, file); number++)
        if (strlen(line) == sizeof line - 1 || number > MAX_LINES)
            status = fm_fail(error, FM_ERR_INPUT, "%s:%u is too long", config->path, number);
        else
            status = read_line(config, line, number, error);
    if (!status && ferror(file))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot read %s", config->path);
    return status;
}

static bool is_one_of(const char *value, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(value, *words))
            return true;
    return false;
}

/* What a single line cannot tell. */
static enum fm_status check(const struct fm_site_config *config, struct fm_error *error)
{
    static const char *const runs[] = {"off", "spool", "send", NULL}, *const sends[] = {"syslog", "journald", "spool",
                                                                                        "none", NULL};
    const char *path = config->path && *config->path ? config->path : "the configuration";
    if (!is_one_of(config->run, runs))
        return fm_fail(error, FM_ERR_INPUT, "run must be off, spool or send, not '%.60s', in %s", config->run, path);
    if (!is_one_of(config->send, sends))
        return fm_fail(error, FM_ERR_INPUT, "send must be syslog, journald, spool or none, not '%.60s', in %s",
                       config->send, path);
    if (config->chunk_bytes < 200 || config->chunk_bytes > 4000)
        return fm_fail(error, FM_ERR_INPUT, "chunk_bytes must be from 200 to 4000 in %s", path);
    if (config->thin_one_in < 1 || config->thin_one_in > 1000)
        return fm_fail(error, FM_ERR_INPUT, "thin_one_in must be from 1 to 1000 in %s", path);
    return FM_OK;
}

enum fm_status fm_site_config_read(struct fm_site_config *config, const char *path, struct fm_error *error)
{
    const char *set = getenv("FATHOM_SITE_CONFIG");
    bool required = path || (set && *set);
    const char *name = path ? path : required ? set : FM_SITE_CONFIG_FILE;
    set_defaults(config);
    FILE *file = fopen(name, "re");
    if (!file)
        return required || errno != ENOENT ? fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", name, strerror(errno))
                                           : FM_OK;
    config->path = fm_arena_strndup(&config->arena, name, strlen(name));
    enum fm_status status = config->path ? read_lines(config, file, error)
                                         : fm_fail(error, FM_ERR_MEMORY, "not enough memory to read %s", name);
    fclose(file);
    if (!status)
        status = check(config, error);
    if (status)
        fm_site_config_destroy(config);
    return status;
}

void fm_site_config_destroy(struct fm_site_config *config)
{
    fm_arena_destroy(&config->arena);
    set_defaults(config);
}

static void print_default(FILE *out, const struct key *key)
{
    if (key->kind == KIND_TEXT || key->kind == KIND_LINES)
        fputs(key->text, out);
    else if (key->kind == KIND_SWITCH)
        fputs(key->number != 0 ? "on" : "off", out);
    else
        fprintf(out, "%g", key->number);
}

void fm_site_config_print(FILE *out)
{
    fputs("# Configuration of a site that keeps a record of every job: see fathom-site(1).\n"
          "# Lines are \"key = value\"; those that are commented out show the default.\n",
          out);
    for (size_t i = 0; i < KEYS; i++) {
        fprintf(out, "\n# %s\n#%s = ", keys[i].meaning, keys[i].name);
        print_default(out, &keys[i]);
        fputc('\n', out);
    }
}

void fm_site_config_print_roff(FILE *out)
{
    for (size_t i = 0; i < KEYS; i++) {
        fprintf(out, ".TP\n.B %s\n%s", keys[i].name, keys[i].meaning);
        if ((keys[i].kind != KIND_TEXT && keys[i].kind != KIND_LINES) || *keys[i].text) {
            fputs(" (default: ", out);
            print_default(out, &keys[i]);
            fputc(')', out);
        }
        fputs(".\n", out);
    }
}

int fm_site_config_lists(const char *list, const char *name)
{
    char pattern[256];
    for (const char *at = list + strspn(list, " \t,"); *at; at += strspn(at, " \t,")) {
        size_t length = strcspn(at, " \t,");
        snprintf(pattern, sizeof pattern, "%.*s", (int)(length < sizeof pattern ? length : sizeof pattern - 1), at);
        if (fnmatch(pattern, name, 0) == 0)
            return 1;
        at += length;
    }
    return 0;
}
