/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/runs.h"

#include <stdlib.h>

static void keep_half(struct fm_runs *runs)
{
    size_t kept = 0;
    for (size_t i = 0; i < runs->n; i += 2) {
        runs->runs[kept] = runs->runs[i];
        runs->runs[kept++].weight *= 2;
    }
    runs->n = kept;
    runs->stride = runs->stride ? 2 * runs->stride : 2;
}

bool fm_runs_add(struct fm_runs *runs, const struct fm_run *run)
{
    if (runs->stride && ++runs->skipped < runs->stride)
        return true;
    runs->skipped = 0;
    if (runs->n == FM_RUNS_MOST)
        keep_half(runs);
    if (runs->n == runs->capacity) {
        size_t capacity = runs->capacity ? 2 * runs->capacity : 256;
        struct fm_run *grown = realloc(runs->runs, capacity * sizeof *grown);
        if (!grown)
            return false;
        runs->runs = grown;
        runs->capacity = capacity;
    }
    runs->runs[runs->n] = *run;
    runs->runs[runs->n++].weight *= runs->stride ? runs->stride : 1;
    return true;
}

void fm_runs_clear(struct fm_runs *runs)
{
    runs->n = 0;
    runs->stride = runs->skipped = 0;
}

void fm_runs_destroy(struct fm_runs *runs)
{
    free(runs->runs);
    *runs = (struct fm_runs){0};
}
