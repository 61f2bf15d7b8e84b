/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a profile keeps: of each class the first ones by name, and the first classes by name. Which ones these
 * are does not depend on what is measured. So a file that is kept in the end was kept in every part that was merged, and
 * its sums are complete; everything else is in the sums of its class, or of the class for all others. */
#include <string.h>

#include "base/saturate.h"
#include "merge/join.h"
#include "merge/parts.h"
#include "model/file_class.h"
#include "model/order.h"

static bool is_other(const struct fm_class_of_files *class)
{
    return strcmp(class->name, FM_OTHER_FILES) == 0;
}

/* Adds the sums of a class that is given up to those of all others. */
static bool give_up(struct fm_profile *profile, const struct fm_class_of_files *class)
{
    struct fm_class_of_files other = *class;
    other.name = FM_OTHER_FILES;
    return fm_merge_list(profile, &fm_list_file_classes, &other, 1);
}

static int compare_class(const struct fm_file *file, const struct fm_class_of_files *class)
{
    int order = fm_compare_text(file->class, class->name);
    return order ? order : fm_compare_number(file->mpi, class->mpi);
}

static bool same_class(const struct fm_file *a, const struct fm_file *b)
{
    return a->mpi == b->mpi && fm_compare_text(a->class, b->class) == 0;
}

/* last: the last class that is kept; NULL: all are. */
static void limit_files(struct fm_profile *profile, const struct fm_class_of_files *last)
{
    size_t kept = 0, of_class = 0;
    for (size_t i = 0; i < profile->n_files; i++) {
        const struct fm_file *file = &profile->files[i];
        of_class = kept && same_class(&profile->files[kept - 1], file) ? of_class + 1 : 1;
        if (of_class > FM_FILES_OF_CLASS || (last && compare_class(file, last) > 0))
            continue;
        profile->files[kept++] = *file;
    }
    profile->n_files = kept;
}

bool fm_profile_limit_files(struct fm_profile *profile)
{
    size_t n = profile->n_file_classes, kept = 0;
    struct fm_arena scratch = {.spare = profile->arena.spare};
    struct fm_class_of_files *all = fm_arena_alloc(&scratch, n * sizeof *all), last = {.name = NULL};
    bool done = all != NULL;
    if (done && n > FM_FILE_CLASSES) {
        memcpy(all, profile->file_classes, n * sizeof *all);
        profile->n_file_classes = 0;
        for (size_t i = 0; i < n; i++) /* the others before all that are given up, which are added to them */
            if (is_other(&all[i]) || ++kept <= FM_FILE_CLASSES) {
                profile->file_classes[profile->n_file_classes++] = all[i];
                if (!is_other(&all[i]))
                    last = all[i];
            }
        kept = 0;
        for (size_t i = 0; i < n && done; i++)
            done = is_other(&all[i]) || ++kept <= FM_FILE_CLASSES || give_up(profile, &all[i]);
    }
    if (done)
        limit_files(profile, last.name ? &last : NULL);
    fm_arena_destroy(&scratch);
    return done;
}
