/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "site/measure/measure.h"

static bool parse_machine(const char *text, struct fm_measure_line *parsed)
{
    uint32_t most;
    int rest = 0;
    if (sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %127s %n", &parsed->ranks, &parsed->hosts,
               &parsed->cores, &most, parsed->name, &rest) != 5)
        return false;
    parsed->oversubscribed = most > 1000;
    snprintf(parsed->cpu, sizeof parsed->cpu, "%.*s", (int)strcspn(text + rest, "\r\n"), text + rest);
    return true;
}

static bool parse_point(const char *text, struct fm_measure_line *parsed)
{
    char place[8];
    bool good = sscanf(text, "%127s %7s %" SCNu32 " %" SCNu64 " %lf %lf %" SCNu64, parsed->name, place, &parsed->ranks,
                       &parsed->bytes, &parsed->min_s, &parsed->median_s, &parsed->calls) == 7;
    parsed->between = good && strcmp(place, "hosts") == 0;
    return good && isfinite(parsed->min_s) && isfinite(parsed->median_s) && parsed->min_s > 0 &&
           parsed->median_s >= parsed->min_s && parsed->ranks >= 2;
}

static bool parse_group(const char *text, struct fm_measure_line *parsed)
{
    char place[8];
    bool good = sscanf(text, "%" SCNu32 " %7s %lf", &parsed->ranks, place, &parsed->seconds) == 3;
    parsed->between = good && strcmp(place, "hosts") == 0;
    return good;
}

void fm_measure_parse(const char *line, struct fm_measure_line *parsed)
{
    const char *mark = strstr(line, FM_MEASURE_MARK), *text = mark ? mark + strlen(FM_MEASURE_MARK) : "";
    char word[16] = "";
    int rest = 0;
    enum fm_measure_kind kind = FM_MEASURE_OTHER;
    *parsed = (struct fm_measure_line){.kind = FM_MEASURE_OTHER};
    if (sscanf(text, "%15s %n", word, &rest) != 1 || !rest)
        return;
    text += rest;
    if (strcmp(word, "machine") == 0 && parse_machine(text, parsed))
        kind = FM_MEASURE_MACHINE;
    if (strcmp(word, "mpi") == 0 &&
        snprintf(parsed->name, sizeof parsed->name, "%.*s", (int)strcspn(text, "\r\n"), text))
        kind = FM_MEASURE_MPI;
    if (strcmp(word, "group") == 0 && parse_group(text, parsed))
        kind = FM_MEASURE_GROUP;
    if (strcmp(word, "point") == 0 && parse_point(text, parsed))
        kind = FM_MEASURE_POINT;
    if (strcmp(word, "end") == 0 && sscanf(text, "%lf", &parsed->seconds) == 1)
        kind = FM_MEASURE_END;
    parsed->kind = kind;
}
