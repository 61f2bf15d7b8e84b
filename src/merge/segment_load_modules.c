/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/segment_load_modules.h"

#include "base/sort.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/strings.h"

static int by_name(const void *a, const void *b)
{
    const struct fm_mapped_module *x = *(struct fm_mapped_module *const *)a, *y = *(struct fm_mapped_module *const *)b;
    int order = fm_compare_text(x->path, y->path);
    return order ? order : fm_compare_text(x->build_id, y->build_id);
}

static int by_start(const void *a, const void *b)
{
    const struct fm_mapped_module *x = *(struct fm_mapped_module *const *)a, *y = *(struct fm_mapped_module *const *)b;
    return fm_compare_number(x->start, y->start);
}

static bool read_texts(struct fm_segment_reader *r, struct fm_mapped_module *module,
                       const struct fm_segment_module *from)
{
    struct fm_arena *scratch = &r->view.scratch;
    const char *path = fm_clean_text(scratch, fm_segment_text(&r->view, from->text_path), SIZE_MAX, false);
    const char *id = fm_clean_text(scratch, fm_segment_text(&r->view, from->text_build_id), SIZE_MAX, false);
    if (!path || !id)
        return false;
    module->path = fm_profile_intern(r->profile, path);
    module->build_id = fm_profile_intern(r->profile, *path ? id : ""); /* meaningless without a file */
    return module->path && module->build_id;
}

static bool order_by_name(struct fm_mapped_modules *modules, struct fm_arena *scratch)
{
    struct fm_mapped_module **sorted = fm_arena_alloc(scratch, modules->n * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < modules->n; i++)
        sorted[i] = &modules->list[i];
    if (!fm_sort(sorted, modules->n, sizeof *sorted, by_name, scratch))
        return false;
    for (size_t i = 0; i < modules->n; i++)
        sorted[i]->order = i ? sorted[i - 1]->order + !!by_name(&sorted[i - 1], &sorted[i]) : 1;
    return true;
}

static bool order_by_address(struct fm_mapped_modules *modules, struct fm_arena *scratch)
{
    const struct fm_mapped_module **mapped = fm_arena_alloc(scratch, modules->n * sizeof *mapped);
    size_t n = 0, kept = 0;
    if (!mapped)
        return false;
    for (size_t i = 0; i < modules->n; i++)
        if (*modules->list[i].path && modules->list[i].start < modules->list[i].end)
            mapped[n++] = &modules->list[i];
    if (!fm_sort(mapped, n, sizeof *mapped, by_start, scratch))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct fm_mapped_module *module = mapped[i];
        while (kept && mapped[kept - 1]->end > module->start && mapped[kept - 1] < module)
            kept--;
        if (!kept || mapped[kept - 1]->end <= module->start)
            mapped[kept++] = module;
    }
    modules->mapped = mapped;
    modules->n_mapped = kept;
    return true;
}

bool fm_read_load_modules(struct fm_segment_reader *r, struct fm_mapped_modules *modules)
{
    struct fm_arena *scratch = &r->view.scratch;
    modules->n = fm_segment_items(&r->view, FM_SECTION_MODULES);
    modules->list = fm_arena_alloc(scratch, modules->n * sizeof *modules->list);
    if (!modules->list)
        return false;
    for (size_t i = 0; i < modules->n; i++) {
        struct fm_segment_module from;
        fm_segment_item(&r->view, FM_SECTION_MODULES, i, &from, sizeof from);
        modules->list[i] = (struct fm_mapped_module){.start = from.start, .end = from.end, .bias = from.bias};
        if (!read_texts(r, &modules->list[i], &from))
            return false;
    }
    return order_by_name(modules, scratch) && order_by_address(modules, scratch);
}

const struct fm_mapped_module *fm_mapped_module_at(const struct fm_mapped_modules *modules, uint64_t address,
                                                   const struct fm_mapped_module *last)
{
    if (last && address >= last->start && address < last->end)
        return last;
    size_t low = 0, high = modules->n_mapped;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (modules->mapped[middle]->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < modules->n_mapped && address >= modules->mapped[low]->start ? modules->mapped[low] : NULL;
}
