/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/column_writer.h"

#include <string.h>

#include "model/quantize.h"

uint64_t *fm_put_room(struct fm_column_writer *w, size_t n)
{
    uint64_t *column = fm_arena_grow(&w->scratch, w->column, &w->column_capacity, n, sizeof *column);
    if (column)
        w->column = column;
    else
        w->failed = true;
    return column;
}

void fm_put_number(struct fm_column_writer *w, uint64_t value)
{
    if (!w->collecting)
        fm_pack_number(&w->pack, value);
}

static uint64_t text_number(struct fm_column_writer *w, const char *text)
{
    return *text ? fm_intern_find(&w->strings, text)->number : 0;
}

static void collect(struct fm_column_writer *w, const struct fm_field *field, const char *item, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++, item += stride) {
        const char *text = *fm_field_text(field, item);
        if (*text && !fm_intern_put(&w->strings, &w->scratch, text, false))
            w->failed = true;
    }
}

static void put_field(struct fm_column_writer *w, const struct fm_field *field, const char *item, size_t n,
                      size_t stride)
{
    uint64_t *column = fm_put_room(w, n);
    if (!column)
        return;
    bool zero = w->large && field->large == FM_LARGE_ZERO;
    for (size_t i = 0; i < n; i++, item += stride)
        column[i] = zero                           ? 0
                    : field->kind == FM_FIELD_TEXT ? text_number(w, *fm_field_text(field, item))
                                                   : fm_field_get(field, item);
    bool coarse = !w->exact && field->large == FM_LARGE_COARSE;
    for (size_t i = 0; coarse && i < n; i++)
        column[i] = fm_quantize(column[i], w->large ? FM_QUANTIZED_BITS_LARGE : FM_QUANTIZED_BITS);
    fm_pack_column(&w->pack, column, n, NULL, coarse || (w->large && field->large == FM_LARGE_ROUNDED));
}

/* The number of columns that follow, and for each the number of field numbers skipped before it. */
static void put_column_numbers(struct fm_column_writer *w, const struct fm_fields *fields)
{
    size_t columns = 0;
    for (size_t f = 0; f < fields->n; f++)
        columns += fields->list[f].kind != FM_FIELD_RETIRED;
    fm_put_number(w, columns);
    for (size_t f = 0, next = 0; f < fields->n; f++) {
        if (fields->list[f].kind == FM_FIELD_RETIRED)
            continue;
        fm_put_number(w, f - next);
        next = f + 1;
    }
}

void fm_put_fields(struct fm_column_writer *w, const struct fm_fields *fields, const void *items, size_t n,
                   size_t stride)
{
    if (n)
        put_column_numbers(w, fields);
    for (size_t f = 0; f < fields->n && n; f++) {
        if (!w->collecting && fields->list[f].kind != FM_FIELD_RETIRED)
            put_field(w, &fields->list[f], items, n, stride);
        else if (w->collecting && fields->list[f].kind == FM_FIELD_TEXT)
            collect(w, &fields->list[f], items, n, stride);
    }
}

static const struct fm_rankset *set_at(const void *sets, size_t i, size_t stride)
{
    return (const void *)((const char *)sets + i * stride);
}

/* The number of ranges of each set; then, for all ranges, the distance from the previous one, and their lengths. */
void fm_put_ranksets(struct fm_column_writer *w, const void *sets, size_t n, size_t stride)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += set_at(sets, i, stride)->n;
    uint64_t *column = w->collecting ? NULL : fm_put_room(w, n > total ? n : total);
    if (!column)
        return;
    for (size_t i = 0; i < n; i++)
        column[i] = set_at(sets, i, stride)->n;
    fm_pack_column(&w->pack, column, n, NULL, false);
    for (size_t i = 0, at = 0; i < n; i++) {
        const struct fm_rankset *set = set_at(sets, i, stride);
        for (size_t k = 0; k < set->n; k++)
            column[at++] = k ? set->ranges[k].first - set->ranges[k - 1].last : set->ranges[k].first;
    }
    fm_pack_column(&w->pack, column, total, NULL, false);
    for (size_t i = 0, at = 0; i < n; i++) {
        const struct fm_rankset *set = set_at(sets, i, stride);
        for (size_t k = 0; k < set->n; k++)
            column[at++] = set->ranges[k].last - set->ranges[k].first;
    }
    fm_pack_column(&w->pack, column, total, NULL, false);
}

static const struct fm_histogram *histogram_at(const void *stats, size_t i, size_t stride)
{
    return &((const struct fm_stats *)(const void *)((const char *)stats + i * stride))->histogram;
}

/* The number of bins in use, the distances between them, and their counts. */
static void put_histograms(struct fm_column_writer *w, const void *stats, size_t n, size_t stride)
{
    uint64_t *column = w->collecting ? NULL : fm_put_room(w, n);
    if (!column)
        return;
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        column[i] = 0;
        for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++)
            column[i] += histogram_at(stats, i, stride)->bins[bin] != 0;
        total += column[i];
    }
    fm_pack_column(&w->pack, column, n, NULL, false);
    column = fm_put_room(w, total);
    if (!column)
        return;
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0, at = 0; i < n; i++) {
            const uint64_t *bins = histogram_at(stats, i, stride)->bins;
            for (unsigned bin = 0, next = 0; bin < FM_DURATION_BINS; bin++) {
                if (!bins[bin])
                    continue;
                column[at++] = part ? bins[bin] : bin - next;
                next = bin + 1;
            }
        }
        fm_pack_column(&w->pack, column, total, NULL, false);
    }
}

void fm_put_stats(struct fm_column_writer *w, const void *stats, size_t n, size_t stride)
{
    fm_put_fields(w, &fm_stats_fields, stats, n, stride);
    put_histograms(w, stats, n, stride);
}

const void *fm_put_lists(struct fm_column_writer *w, const struct fm_nested *nested, const void *outer, size_t n,
                         size_t stride, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        size_t count = *(const size_t *)(const void *)((const char *)outer + i * stride + nested->n);
        fm_put_number(w, count);
        *total += count;
    }
    char *all = fm_arena_alloc(&w->scratch, *total * nested->item_size), *at = all;
    if (!all) {
        w->failed = true;
        *total = 0;
    }
    for (size_t i = 0; all && i < n; i++) {
        const char *item = (const char *)outer + i * stride;
        size_t bytes = *(const size_t *)(const void *)(item + nested->n) * nested->item_size;
        if (bytes)
            memcpy(at, *(const void *const *)(const void *)(item + nested->items), bytes);
        at += bytes;
    }
    return all;
}
