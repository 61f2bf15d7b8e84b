/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_shares.h"

#include <math.h>
#include <string.h>

#include "analyse/calls/workers.h"

/* Student's t for 95 % and FM_BATCHES - 1 degrees of freedom. */
#define STUDENT 2.2622

/* Width of the Wilson interval for a share found in that many independent samples, made symmetric. A rare module that
 * happens to be missed in most batches has little variance between them, although it is not known well. */
static double width_of(double share, double samples)
{
    const double z2 = STUDENT * STUDENT / samples;
    double middle = (share + z2 / 2) / (1 + z2);
    double half = sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2);
    return 2 * (half + fabs(middle - share));
}

double fm_module_share_width(const double *parts, const double *wholes, uint64_t samples)
{
    double part = 0, whole = 0, squares = 0, products = 0, previous = 0;
    for (size_t i = 0; i < FM_BATCHES; i++) {
        part += parts[i];
        whole += wholes[i];
    }
    if (whole <= 0 || !samples)
        return 1;
    for (size_t i = 0; i < FM_BATCHES; i++) {
        double residual = parts[i] - part / whole * wholes[i];
        squares += residual * residual;
        products += residual * previous;
        previous = residual;
    }
    if (products > 0) /* successive batches are correlated: program phases are about as long as a batch */
        squares += 2 * products;
    double share = part / whole, variance = squares / (FM_BATCHES - 1) * FM_BATCHES / (whole * whole);
    double independent = variance * (double)samples > share * (1 - share) ? share * (1 - share) / variance
                                                                          : (double)samples;
    return width_of(share, independent);
}

static enum fm_status modules_of(const struct fm_profile *profile, const struct fm_module_map *map,
                                 struct fm_symbols *symbols, struct fm_arena *arena,
                                 struct fm_module_breakdown *modules, struct fm_error *error)
{
    struct fm_calltree calls;
    enum fm_status status = fm_calltree_make(profile, symbols, arena, &calls, error);
    if (status)
        return status;
    fm_calltree_begin_with_main(&calls);
    status = fm_calltree_join_workers(&calls, error);
    if (status)
        return status;
    fm_calltree_without_helpers(&calls);
    return fm_module_breakdown_make(&calls, map, arena, modules, error);
}

static double total_of(const struct fm_module_breakdown *modules, const char *name)
{
    for (size_t i = 0; i < modules->n_items; i++)
        if (strcmp(modules->items[i].name, name) == 0)
            return (double)fm_module_total(&modules->items[i].own);
    return 0;
}

static enum fm_status find_widths(struct fm_module_shares *shares, uint64_t samples, struct fm_profile *const *batches,
                                  const struct fm_module_map *map, struct fm_symbols *symbols, struct fm_arena *arena,
                                  struct fm_error *error)
{
    struct fm_module_breakdown modules[FM_BATCHES];
    double parts[FM_BATCHES], wholes[FM_BATCHES];
    for (size_t s = 0; s < FM_BATCHES; s++) {
        enum fm_status status = modules_of(batches[s], map, symbols, arena, &modules[s], error);
        if (status)
            return status;
        wholes[s] = (double)fm_module_total(&modules[s].whole);
    }
    for (size_t i = 0; i < shares->n; i++) {
        for (size_t s = 0; s < FM_BATCHES; s++)
            parts[s] = total_of(&modules[s], shares->items[i].name);
        shares->items[i].width = fm_module_share_width(parts, wholes, samples);
    }
    return FM_OK;
}

enum fm_status fm_module_shares_find(struct fm_module_shares *shares, const struct fm_profile *whole,
                                     struct fm_profile *const *batches, const struct fm_module_map *map,
                                     struct fm_symbols *symbols, struct fm_arena *arena, struct fm_error *error)
{
    struct fm_module_breakdown modules;
    enum fm_status status = modules_of(whole, map, symbols, arena, &modules, error);
    if (status)
        return status;
    double all = (double)fm_module_total(&modules.whole);
    *shares = (struct fm_module_shares){.items = fm_arena_alloc(arena, modules.n_items * sizeof *shares->items)};
    if (!shares->items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the modules");
    for (size_t i = 0; i < modules.n_items && all > 0; i++) {
        const struct fm_module_item *item = &modules.items[i];
        shares->items[shares->n++] = (struct fm_module_share){.name = item->name,
                                                              .share = (double)fm_module_total(&item->own) / all,
                                                              .transfer = (double)item->own.transfer_ns / all,
                                                              .waiting = (double)item->own.waiting_ns / all,
                                                              .width = 1};
    }
    if (all > 0) {
        shares->work = (double)modules.whole.work_ns / all;
        shares->transfer = (double)modules.whole.transfer_ns / all;
        shares->waiting = (double)modules.whole.waiting_ns / all;
    }
    if (batches)
        status = find_widths(shares, whole->paths.samples, batches, map, symbols, arena, error);
    for (size_t i = 0; i < shares->n; i++)
        if (shares->items[i].share > FM_SHARE_MATTERS && shares->items[i].width > shares->widest)
            shares->widest = shares->items[i].width;
    if (!shares->n)
        shares->widest = 1;
    return status;
}
