/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/open_profile.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analyse/programs/part.h"
#include "cli/printing.h"
#include "format/encode.h"

static void append_count(char *text, size_t size, unsigned n, const char *one, const char *many)
{
    size_t length = strlen(text);
    if (n)
        snprintf(text + length, size - length, "%s%u %s", length ? ", " : "", n, n == 1 ? one : many);
}

void fm_tell_left_out(const char *command, const char *subject, const struct fm_left_out *left_out)
{
    char counts[128] = "";
    append_count(counts, sizeof counts, left_out->sections, "section", "sections");
    append_count(counts, sizeof counts, left_out->columns, "column", "columns");
    append_count(counts, sizeof counts, left_out->values, "value", "values");
    if (!*counts)
        return;
    char sentence[PATH_MAX + 256];
    snprintf(sentence, sizeof sentence,
             "%s by a newer version of Fathom; parts unknown to this version were ignored (%s)", subject, counts);
    fm_say((void *)command, sentence);
}

/* The part lies in the arena of the profile, and takes it over: destroying the one destroys both. */
static enum fm_status keep_program(struct fm_profile **profile, const char *name, struct fm_error *error)
{
    struct fm_profile *part;
    size_t program;
    enum fm_status status = fm_program_find(*profile, name, &program, error);
    if (!status)
        status = fm_part_make(*profile, program, FM_PART_PATHS, &(*profile)->arena, &part, error);
    if (status) {
        fm_profile_destroy(*profile);
        *profile = NULL;
        return status;
    }
    part->arena = (*profile)->arena;
    *profile = part;
    return FM_OK;
}

enum fm_status fm_open_profile(const char *command, const char *path, const char *program, struct fm_profile **profile,
                               struct fm_error *error)
{
    enum fm_status status = fm_profile_read(path, profile, error);
    if (status)
        return status;
    char subject[PATH_MAX + 32];
    snprintf(subject, sizeof subject, "%s was written", path);
    fm_tell_left_out(command, subject, &(*profile)->left_out);
    return program ? keep_program(profile, program, error) : FM_OK;
}
