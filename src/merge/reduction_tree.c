/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/reduction_tree.h"

/* Merges `profile` into *into and destroys it. */
static enum fm_status absorb(struct fm_profile *into, struct fm_profile *profile, struct fm_error *error)
{
    enum fm_status status = fm_profile_merge(into, profile, error);
    fm_profile_destroy(profile);
    return status;
}

enum fm_status fm_reduction_tree_add(struct fm_reduction_tree *tree, struct fm_profile *profile, struct fm_error *error)
{
    size_t level = 0;
    for (; tree->levels[level]; level++) {
        struct fm_profile *earlier = tree->levels[level];
        tree->levels[level] = NULL;
        enum fm_status status = absorb(earlier, profile, error);
        if (status) {
            fm_profile_destroy(earlier);
            return status;
        }
        profile = earlier;
    }
    tree->levels[level] = profile;
    return FM_OK;
}

static enum fm_status join_levels(struct fm_reduction_tree *tree, struct fm_profile **profile, struct fm_error *error)
{
    struct fm_profile *merged = NULL;
    enum fm_status status = FM_OK;
    for (size_t level = 0; level < sizeof tree->levels / sizeof *tree->levels; level++) {
        struct fm_profile *part = tree->levels[level]; /* higher levels have earlier profiles */
        tree->levels[level] = NULL;
        if (!part)
            continue;
        if (merged && !status)
            status = absorb(part, merged, error);
        else if (merged)
            fm_profile_destroy(merged);
        merged = part;
    }
    if (!merged && !(merged = fm_profile_create()))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to merge profiles");
    if (status)
        fm_profile_destroy(merged);
    else
        *profile = merged;
    return status;
}

enum fm_status fm_reduction_tree_finish(struct fm_reduction_tree *tree, struct fm_profile **profile,
                                        struct fm_error *error)
{
    enum fm_status status = join_levels(tree, profile, error);
    fm_arena_destroy(&tree->spare);
    if (!status)
        (*profile)->arena.spare = NULL;
    return status;
}
