/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/calibration/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/calibration/fit.h"

const char *const fm_place_names[FM_PLACES] = {"host", "hosts"};
const char *const fm_byte_growth_names[FM_GROWTHS] = {"log2", "ranks"};

double fm_model_latency(const struct fm_model *model, double ranks)
{
    return model->a_s + model->b_s * log2(ranks);
}

double fm_model_per_byte(const struct fm_model *model, double ranks)
{
    return model->c_s + model->d_s * (model->growth == FM_GROWTH_LOG2 ? log2(ranks) : ranks - 1);
}

static int compare(const void *a, const void *b)
{
    const struct fm_calibration_routine *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (int)x->place - (int)y->place;
}

const struct fm_calibration_routine *fm_calibration_find(const struct fm_calibration *calibration, const char *name,
                                                         enum fm_place place)
{
    struct fm_calibration_routine wanted = {.name = name, .place = place};
    if (!calibration->n_routines)
        return NULL;
    return bsearch(&wanted, calibration->routines, calibration->n_routines, sizeof wanted, compare);
}

bool fm_calibration_add(struct fm_calibration *calibration, const char *name, enum fm_place place,
                        const struct fm_calibration_point *points, size_t n)
{
    size_t capacity = calibration->n_routines;
    struct fm_calibration_routine routine = {.place = place, .n_points = n};
    struct fm_calibration_routine *grown = fm_arena_grow(&calibration->arena, calibration->routines, &capacity,
                                                         calibration->n_routines + 1, sizeof *grown);
    struct fm_calibration_point *kept = fm_arena_alloc(&calibration->arena, n * sizeof *kept);
    routine.name = fm_arena_strndup(&calibration->arena, name, strlen(name));
    if (!grown || !kept || !routine.name)
        return false;
    if (n)
        memcpy(kept, points, n * sizeof *kept);
    for (size_t i = 0; i < n; i++) {
        routine.ranks_max = points[i].ranks > routine.ranks_max ? points[i].ranks : routine.ranks_max;
        if (!routine.ranks_min || points[i].ranks < routine.ranks_min)
            routine.ranks_min = points[i].ranks;
    }
    routine.points = kept;
    calibration->routines = grown;
    if (fm_fit(points, n, &routine.model))
        grown[calibration->n_routines++] = routine;
    return true;
}

void fm_calibration_sort(struct fm_calibration *calibration)
{
    if (calibration->n_routines)
        qsort(calibration->routines, calibration->n_routines, sizeof *calibration->routines, compare);
}

void fm_calibration_destroy(struct fm_calibration *calibration)
{
    fm_arena_destroy(&calibration->arena);
}
