/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/order.h"

/* In the flat tree, a line without exclusive time (in one run) is a call site instead of a statement: treat both
 * alike. */
static unsigned kind_of(const struct fm_scale_item *item)
{
    enum fm_context_kind kind = item->context->id.kind;
    return kind == FM_CONTEXT_CALL_SITE ? FM_CONTEXT_STATEMENT : kind;
}

static int compare_names(const struct fm_scale_item *a, const struct fm_scale_item *b)
{
    int order = fm_compare_number(a->name, b->name);
    return order ? order : fm_compare_number(kind_of(a), kind_of(b));
}

static int compare_meaning(const struct fm_scale_item *a, const struct fm_scale_item *b)
{
    int order = compare_names(a, b);
    if (!order)
        order = fm_compare_number(a->context->id.line, b->context->id.line);
    if (!order)
        order = fm_compare_number(a->module, b->module);
    if (!order)
        order = fm_compare_number(a->path, b->path);
    return order ? order : fm_compare_number(a->context->id.inlined, b->context->id.inlined);
}

/* Compares everything that distinguishes contexts within one tree. */
static int compare_whole(const struct fm_scale_item *a, const struct fm_scale_item *b)
{
    const struct fm_context_id *x = &a->context->id, *y = &b->context->id;
    int order = fm_compare_number(x->kind, y->kind);
    if (!order)
        order = fm_compare_text(x->defined, y->defined);
    if (!order)
        order = fm_compare_text(x->path, y->path);
    if (!order)
        order = fm_compare_text(x->module, y->module);
    if (!order)
        order = fm_compare_text(x->body ? x->body : "", y->body ? y->body : "");
    return order ? order : fm_compare_text(x->name, y->name);
}

static int by_meaning(const void *a, const void *b)
{
    const struct fm_scale_item *x = a, *y = b;
    int order = compare_meaning(x, y);
    if (!order)
        order = fm_compare_number(x->run, y->run);
    return order ? order : compare_whole(x, y);
}

static int by_group(const void *a, const void *b)
{
    const struct fm_scale_item *x = a, *y = b;
    int order = fm_compare_number(x->group, y->group);
    return order ? order : fm_compare_number(x->run, y->run);
}

static void sort(struct fm_scale_item *items, size_t n, fm_compare *compare)
{
    enum { FEW = 8 };
    if (n > FEW) {
        qsort(items, n, sizeof *items, compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct fm_scale_item item = items[i];
        size_t at = i;
        for (; at > 0 && compare(&items[at - 1], &item) > 0; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* ---- exact matches ---- */

static void assign(struct fm_scale_group *group, struct fm_scale_item *item, size_t number)
{
    item->group = (uint32_t)number;
    group->runs |= 1u << item->run;
}

/* Items equal by meaning, but several per run, which differ only in directories: match identical ones first, then the
 * rest in order. Items are sorted by run. */
static size_t split(struct fm_scale_item *items, size_t n, struct fm_scale_group *groups, size_t n_groups)
{
    const uint32_t none = UINT32_MAX;
    size_t start = n_groups;
    for (size_t i = 0; i < n; i++)
        items[i].group = none;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && items[end].run == items[begin].run;)
            end++;
        for (size_t i = begin; i < end; i++)
            for (size_t j = 0; j < begin && items[i].group == none; j++)
                if (!compare_whole(&items[i], &items[j]) && !(groups[items[j].group].runs >> items[i].run & 1))
                    assign(&groups[items[j].group], &items[i], items[j].group);
        for (size_t i = begin, g = start; i < end; i++) {
            if (items[i].group != none)
                continue;
            while (g < n_groups && groups[g].runs >> items[i].run & 1)
                g++;
            if (g == n_groups)
                groups[n_groups++] = (struct fm_scale_group){0};
            assign(&groups[g], &items[i], g);
        }
    }
    return n_groups;
}

/* Groups items with the same meaning, numbered in order. */
static size_t match_exactly(struct fm_scale_item *items, size_t n, struct fm_scale_group *groups)
{
    size_t n_groups = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        bool several = false;
        for (end = begin + 1; end < n && !compare_meaning(&items[begin], &items[end]); end++)
            several |= items[end].run == items[end - 1].run;
        size_t from = n_groups;
        if (several) {
            n_groups = split(items + begin, end - begin, groups, n_groups);
        } else {
            groups[n_groups] = (struct fm_scale_group){0};
            for (size_t i = begin; i < end; i++)
                assign(&groups[n_groups], &items[i], n_groups);
            n_groups++;
        }
        for (size_t g = from; g < n_groups; g++)
            groups[g].joined_to = (uint32_t)g;
    }
    return n_groups;
}

/* ---- matches by name ---- */

static uint32_t all_alike(uint32_t runs, const uint32_t *alike)
{
    uint32_t all = 0;
    for (unsigned run = 0; run < FM_SCALE_RUNS; run++)
        if (runs >> run & 1)
            all |= alike[run];
    return all;
}

/* Joins groups of the same kind and name, in the order of lines: the groups of each run go to the targets in turn, so
 * that the order of lines is preserved in every run. */
static void match_by_name(struct fm_scale_group *groups, size_t begin, size_t end, uint32_t every,
                          const uint32_t *alike)
{
    uint32_t next[FM_SCALE_RUNS] = {0}; /* by run: number of targets already passed */
    uint32_t n_targets = 0;
    for (size_t g = begin; g < end; g++) {
        struct fm_scale_group *group = &groups[g];
        if (group->runs == every)
            continue;
        uint32_t taken = all_alike(group->runs, alike), at = 0;
        for (unsigned run = 0; run < FM_SCALE_RUNS; run++)
            if (taken >> run & 1 && next[run] > at)
                at = next[run];
        if (at == n_targets) {
            groups[begin + n_targets++].target = (uint32_t)g;
        } else {
            group->joined_to = groups[begin + at].target;
            groups[group->joined_to].by_name = true;
        }
        for (unsigned run = 0; run < FM_SCALE_RUNS; run++)
            if (group->runs >> run & 1)
                next[run] = at + 1;
    }
}

static void match_the_rest(struct fm_scale_item *items, size_t n, struct fm_scale_group *groups, const uint32_t *alike,
                           uint32_t every)
{
    for (size_t begin = 0, end; begin < n; begin = end) {
        uint32_t last = items[begin].group;
        bool partial = groups[last].runs != every;
        for (end = begin + 1; end < n && !compare_names(&items[begin], &items[end]); end++) {
            last = items[end].group > last ? items[end].group : last;
            partial |= groups[items[end].group].runs != every;
        }
        /* Groups are numbered in the order of names and lines. */
        if (partial && last > items[begin].group)
            match_by_name(groups, items[begin].group, (size_t)last + 1, every, alike);
    }
}

void fm_scale_match(struct fm_scale_item *items, size_t n, const uint32_t *alike, struct fm_scale_group *groups)
{
    sort(items, n, by_meaning);
    uint32_t every = 0;
    for (size_t i = 0; i < n; i++)
        every |= 1u << items[i].run;
    match_exactly(items, n, groups);
    match_the_rest(items, n, groups, alike, every);
    for (size_t i = 0; i < n; i++) {
        items[i].group = groups[items[i].group].joined_to;
        items[i].by_name = groups[items[i].group].by_name;
    }
    sort(items, n, by_group);
}
