/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commit.h"

/* ---- values ---- */

static bool is_one_of(const char *text, const char words[4][6])
{
    for (int i = 0; i < 4; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

bool fm_setting_switch(const char *text, bool *on)
{
    static const char yes[4][6] = {"1", "on", "yes", "true"}, no[4][6] = {"0", "off", "no", "false"};
    bool is_yes = is_one_of(text, yes);
    if (!is_yes && !is_one_of(text, no))
        return false;
    *on = is_yes;
    return true;
}

bool fm_setting_memory(const char *text, uint64_t *bytes)
{
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits;
    uint64_t value = digits && digits < 16 ? strtoull(text, NULL, 10) : 0;
    if (value == 0 || (*unit && (!strchr("KkMm", *unit) || unit[1])))
        return false;
    *bytes = !*unit ? value : strchr("Kk", *unit) ? value << 10 : value << 20;
    return true;
}

bool fm_setting_sampling(const char *text, unsigned *hz, bool *of_cpu)
{
    bool cpu = strncmp(text, "cpu:", 4) == 0, off = strcmp(text, "off") == 0;
    const char *number = cpu ? text + 4 : text;
    size_t digits = strspn(number, "0123456789");
    unsigned value = digits < 6 ? (unsigned)strtoul(number, NULL, 10) : 0;
    if (!off && (digits == 0 || digits > 5 || number[digits] || value > FM_SETTING_MAX_HZ))
        return false;
    *hz = off ? 0 : value;
    *of_cpu = cpu;
    return true;
}

bool fm_setting_tick(const char *text, unsigned *exponent)
{
    static const char units[4][3] = {"ns", "us", "ms", "s"};
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[0] != '1' || strspn(text + 1, "0") != digits - 1)
        return false;
    for (unsigned unit = 0; unit < 4; unit++)
        if (strcmp(text + digits, units[unit]) == 0 && digits - 1 + 3 * unit <= 9) {
            *exponent = (unsigned)digits - 1 + 3 * unit;
            return true;
        }
    return false;
}

bool fm_setting_mode(const char *text, unsigned *mode)
{
    size_t digits = strspn(text, "01234567");
    unsigned long value = digits && digits < 8 && !text[digits] ? strtoul(text, NULL, 8) : 01000;
    if (value > 0777)
        return false;
    *mode = (unsigned)value;
    return true;
}

bool fm_setting_timers(const char *text, bool *rich)
{
    bool wanted = strcmp(text, "rich") == 0;
    if (!wanted && strcmp(text, "paper") != 0)
        return false;
    *rich = wanted;
    return true;
}

bool fm_setting_is_on(const char *name)
{
    const char *text = getenv(name);
    bool on = false;
    return text && fm_setting_switch(text, &on) && on;
}

bool fm_setting_is_off(const char *name)
{
    const char *text = getenv(name);
    bool on = false;
    return text && *text && !(fm_setting_switch(text, &on) && on);
}

bool fm_setting_disabled(void)
{
    const char *text = getenv("FATHOM_DISABLE");
    bool off = true;
    if (!text || !*text)
        return false;
    fm_setting_switch(text, &off);
    return off;
}

/* ---- the table ---- */

/* TEXT: a path or the like, checked where it is used. */
enum kind { TEXT, SWITCH, MEMORY, SAMPLING, MODE, TICK, TIMERS, COMMIT };

static bool is_valid(enum kind kind, const char *text)
{
    uint64_t bytes;
    unsigned number;
    bool on;
    switch (kind) {
    case SWITCH:
        return fm_setting_switch(text, &on);
    case MEMORY:
        return fm_setting_memory(text, &bytes);
    case SAMPLING:
        return fm_setting_sampling(text, &number, &on);
    case MODE:
        return fm_setting_mode(text, &number);
    case TICK:
        return fm_setting_tick(text, &number);
    case TIMERS:
        return fm_setting_timers(text, &on);
    case COMMIT:
        return fm_commit_is_valid(text) || strcmp(text, FM_COMMIT_OFF) == 0;
    default:
        return true;
    }
}

/* No pointers: each would be a relocation in every process that loads the library. */
struct setting {
    char name[12]; /* without FATHOM_ */
    uint8_t kind;
    char may_be[56], otherwise[28];
};

static const struct setting settings[] = {
    {"ARGUMENTS", SWITCH, "on or off", "arguments are not recorded"},
    {"CALIBRATION", TEXT, "", ""},
    {"COMMIT", COMMIT, "a commit id, a tag of at most 24 characters, or off", "no commit is recorded"},
    {"COUNTERS", TEXT, "", ""},
    {"DEBUG_PATH", TEXT, "", ""},
    {"DIR", TEXT, "", ""},
    {"DISABLE", SWITCH, "1 or 0", "nothing is measured"},
    {"EVERYWHERE", SWITCH, "1 or 0", "using 0"},
    {"EVENTS", TEXT, "", ""},
    {"IO", SWITCH, "on or off", "file I/O is not measured"},
    {"LAUNCHED", TEXT, "", ""},
    {"LIBRARY", TEXT, "", ""},
    {"MEMORY", MEMORY, "a size such as 4M or 512K", "using 4M"},
    {"MODE", MODE, "an octal mode such as 0640", "using 0600"},
    {"NAMED", TEXT, "", ""},
    {"OUTPUT", TEXT, "", ""},
    {"REPORT", TEXT, "", ""},
    {"RUN_ID", TEXT, "", ""},
    {"SAMPLE", SAMPLING, "a rate of at most 10000 samples per second, or off", "sampling is off"},
    {"SITE", TEXT, "", ""},
    {"SITE_CONFIG", TEXT, "", ""},
    {"TICK", TICK, "1ns, 10ns, 100ns, 1us ... 1s", "using 1ns"},
    {"TIMERS", TIMERS, "rich or paper", "using paper"},
};
enum { N_SETTINGS = sizeof settings / sizeof *settings, MAX_LETTERS = 20 };

/* Levenshtein distance. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[MAX_LETTERS + 1], columns = (unsigned)strlen(b);
    if (strlen(a) > MAX_LETTERS || columns > MAX_LETTERS)
        return MAX_LETTERS;
    for (unsigned j = 0; j <= columns; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= columns; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[columns];
}

/* One wrong letter in a short name, two in a long one: the variable may belong to another program. */
static const struct setting *nearest(const char *name)
{
    for (int i = 0; i < N_SETTINGS; i++)
        if (distance(name, settings[i].name) <= (strlen(settings[i].name) > 5 ? 2 : 1))
            return &settings[i];
    return NULL;
}

/* Shortens a value; control and non-ASCII characters, which a terminal may interpret, become '?'. */
static void cut_value(const char *value, char text[48])
{
    size_t n = 0;
    for (; value[n] && n < 40; n++)
        text[n] = value[n] >= ' ' && value[n] <= '~' ? value[n] : '?';
    snprintf(text + n, 48 - n, "%s", value[n] ? "..." : "");
}

static const struct setting *find(const char *name)
{
    for (int i = 0; i < N_SETTINGS; i++)
        if (strncmp(name, "FATHOM_", 7) == 0 && strcmp(name + 7, settings[i].name) == 0)
            return &settings[i];
    return NULL;
}

bool fm_setting_known(const char *name)
{
    return find(name);
}

const char *fm_setting_memory_limited(const char *text)
{
    uint64_t bytes;
    if (!fm_setting_memory(text, &bytes))
        return NULL;
    return bytes < FM_SETTING_MIN_MEMORY   ? "is less than the minimum; using 256K"
           : bytes > FM_SETTING_MAX_MEMORY ? "is more than the maximum; using 1024M"
                                           : NULL;
}

bool fm_setting_problem(const char *name, const char *value, char sentence[FM_SETTING_SENTENCE])
{
    char text[48];
    if (strncmp(name, "FATHOM_", 7) != 0)
        return false;
    const struct setting *setting = find(name);
    if (setting) {
        const char *limited = setting->kind == MEMORY ? fm_setting_memory_limited(value) : NULL;
        if (!*value || (is_valid(setting->kind, value) && !limited))
            return false;
        cut_value(value, text);
        if (limited) {
            snprintf(sentence, FM_SETTING_SENTENCE, "FATHOM_%s=%s %s", setting->name, text, limited);
            return true;
        }
        if (setting->kind == COMMIT) /* which may be a secret in the wrong place */
            snprintf(sentence, FM_SETTING_SENTENCE, "FATHOM_%s must be %s; %s", setting->name, setting->may_be,
                     setting->otherwise);
        else
            snprintf(sentence, FM_SETTING_SENTENCE, "FATHOM_%s must be %s, not '%s'; %s", setting->name,
                     setting->may_be, text, setting->otherwise);
        return true;
    }
    const struct setting *near = nearest(name + 7);
    cut_value(name + 7, text);
    if (near)
        snprintf(sentence, FM_SETTING_SENTENCE, "unknown setting FATHOM_%s; did you mean FATHOM_%s?", text, near->name);
    return near;
}

void fm_settings_problems(void (*report)(void *context, const char *name, const char *sentence), void *context)
{
    char sentence[FM_SETTING_SENTENCE], name[40];
    for (char **variable = environ; variable && *variable; variable++) {
        const char *equals = strchr(*variable, '=');
        if (!equals || (size_t)(equals - *variable) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *variable), *variable);
        if (fm_setting_problem(name, equals + 1, sentence))
            report(context, name, sentence);
    }
}
