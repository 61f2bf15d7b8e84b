/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_segments.h"

#include <stdio.h>
#include <string.h>

#include "cli/gather.h"
#include "collect/node.h"

/* The key of the job that has a segment of the target in this directory. Returns false if there is none. */
static bool find_key(const char *directory, const struct fm_target *target, char key[72])
{
    struct fm_node_list list;
    bool found = false;
    if (fm_node_scan(directory, NULL, NULL, &list, NULL) != FM_OK)
        return false;
    for (size_t i = 0; i < list.n && !found; i++) {
        const struct fm_node_segment *item = &list.items[i];
        found = item->pid == target->pid && item->start_time == target->start_time && item->alive && !item->foreign;
        if (found)
            snprintf(key, 72, "%.71s", item->job_key);
    }
    fm_node_list_destroy(&list);
    return found;
}

enum fm_status fm_attach_segments(const struct fm_targets *targets, struct fm_profile **profile, struct fm_error *error)
{
    char usual[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES], key[72];
    size_t n = fm_node_directories(usual);
    *profile = NULL;
    for (size_t t = 0; t < targets->n; t++) {
        const struct fm_target *target = &targets->items[t];
        if (!target->fathom)
            continue;
        if (*target->directory && find_key(target->directory, target, key))
            return fm_node_merge(target->directory, key, NULL, 0, false, profile, error);
        for (size_t i = 0; i < n; i++)
            if (find_key(usual[i], target, key))
                return fm_node_merge(usual[i], key, NULL, 0, false, profile, error);
    }
    return FM_OK;
}
