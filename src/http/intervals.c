/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/intervals.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(FM_LOOKS % 2 == 0, "the last one is dropped when every second one is");

static size_t number_of(struct fm_looks *looks, const char *name)
{
    for (size_t i = 0; i < looks->n_names; i++)
        if (strcmp(looks->names[i], name) == 0)
            return i;
    if (looks->n_names == FM_LOOK_MODULES || !(looks->names[looks->n_names] = strdup(name)))
        return FM_LOOK_MODULES;
    return looks->n_names++;
}

/* Keeps the first and every second one after it, so that those that are kept span all of the time. */
static void thin_out(struct fm_looks *looks)
{
    size_t kept = 0;
    for (size_t i = 0; i < looks->n; i += 2)
        looks->items[kept++] = looks->items[i];
    looks->n = kept;
    looks->since += looks->stride; /* the last one of an even number is not kept */
    looks->stride *= 2;
}

/* The place of a new look: after those that are kept, instead of one that is not. */
static struct fm_look *place_of_next(struct fm_looks *looks, double samples)
{
    if (!looks->n) {
        looks->stride = 1;
        return &looks->items[looks->n++];
    }
    if (samples <= looks->items[looks->n - 1].whole) /* nothing new: the same look again */
        return &looks->items[looks->n - 1];
    if (looks->since > 0 && looks->since < looks->stride)
        looks->n--;
    else
        looks->since = 0;
    looks->since++;
    if (looks->n == FM_LOOKS)
        thin_out(looks);
    return &looks->items[looks->n++];
}

/* The look with which batch `b` ends: the first that has its part of the samples since the first look. What was before
 * that is one large batch, which says nothing about how batches differ. */
static const struct fm_look *end_of_batch(const struct fm_looks *looks, size_t b)
{
    double from = looks->items[0].whole, to = looks->items[looks->n - 1].whole;
    double until = from + (to - from) * (double)(b + 1) / FM_BATCHES;
    size_t i = 0;
    while (i + 1 < looks->n && looks->items[i].whole < until * (1 - 1e-9))
        i++;
    return &looks->items[i];
}

static double width_of(const struct fm_looks *looks, size_t module, uint64_t samples)
{
    double parts[FM_BATCHES], wholes[FM_BATCHES];
    struct fm_look before = looks->items[0];
    for (size_t b = 0; b < FM_BATCHES; b++) {
        const struct fm_look *end = end_of_batch(looks, b);
        parts[b] = end->parts[module] - before.parts[module];
        wholes[b] = end->whole - before.whole;
        if (wholes[b] <= 0) /* two batches end with the same look: there are too few */
            return 1;
        before = *end;
    }
    return fm_module_share_width(parts, wholes, samples - (uint64_t)looks->items[0].whole);
}

void fm_looks_add(struct fm_looks *looks, struct fm_module_shares *shares, uint64_t samples, uint64_t ranks)
{
    struct fm_look *look = place_of_next(looks, (double)samples);
    *look = (struct fm_look){.whole = (double)samples};
    for (size_t i = 0; i < shares->n; i++) {
        size_t module = number_of(looks, shares->items[i].name);
        if (module < FM_LOOK_MODULES)
            look->parts[module] = shares->items[i].share * (double)samples;
    }
    if (look->whole - looks->items[0].whole < (double)(FM_BATCHES * FM_BATCH_MIN_MOMENTS * ranks))
        return;
    shares->widest = 0;
    for (size_t i = 0; i < shares->n; i++) {
        struct fm_module_share *share = &shares->items[i];
        size_t module = number_of(looks, share->name);
        share->width = module < FM_LOOK_MODULES ? width_of(looks, module, samples) : 1;
        if (share->share > FM_SHARE_MATTERS && share->width > shares->widest)
            shares->widest = share->width;
    }
}

void fm_looks_close(struct fm_looks *looks)
{
    for (size_t i = 0; i < looks->n_names; i++)
        free(looks->names[i]);
    *looks = (struct fm_looks){0};
}
