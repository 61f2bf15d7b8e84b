/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of the schema. */
#include "format/sections.h"

/* The kind as stored in a file. */
static uint64_t stored_kind(const struct fm_field *compound)
{
    return compound->kind == FM_FIELD_SPREAD ? 1 : compound->kind == FM_FIELD_STATS ? 2 : 3;
}

static void put_compound(struct fm_column_writer *w, const struct fm_field *compound, const char *items, size_t n,
                         size_t stride)
{
    const void *first = items + compound->offset;
    if (compound->kind == FM_FIELD_SPREAD)
        fm_put_fields(w, &fm_spread_fields, first, n, stride);
    else if (compound->kind == FM_FIELD_STATS)
        fm_put_stats(w, first, n, stride);
    else
        fm_put_ranksets(w, first, n, stride);
}

void fm_put_items(struct fm_column_writer *w, const struct fm_list *list, const void *items, size_t n)
{
    fm_put_number(w, n);
    if (!n)
        return;
    fm_put_fields(w, list->fields, items, n, list->item_size);
    fm_put_number(w, list->compounds->n);
    for (size_t c = 0; c < list->compounds->n; c++)
        fm_put_number(w, stored_kind(&list->compounds->list[c]));
    for (size_t c = 0; c < list->compounds->n; c++)
        put_compound(w, &list->compounds->list[c], items, n, list->item_size);
}

void fm_put_list(struct fm_column_writer *w, const struct fm_list *list)
{
    size_t n;
    const void *items = fm_list_items(list, w->profile, &n);
    fm_put_items(w, list, items, n);
}

static void get_compound(struct fm_column_reader *r, uint64_t kind, void *first, size_t n, size_t stride)
{
    if (kind == 1)
        fm_get_fields(r, &fm_spread_fields, first, n, stride);
    else if (kind == 2)
        fm_get_stats(r, first, n, stride);
    else
        fm_get_ranksets(r, first, n, stride);
}

/* Reads into memory that is not used. Returns false if the kind is unknown: the columns after it cannot be found
 * then. */
static bool skip_compound(struct fm_column_reader *r, uint64_t kind, size_t n)
{
    static const size_t sizes[] = {0, sizeof(struct fm_spread), sizeof(struct fm_stats), sizeof(struct fm_rankset)};
    r->profile->left_out.columns++;
    if (!kind || kind >= sizeof sizes / sizeof *sizes)
        return false;
    void *unused = fm_column_reader_take(r, &r->scratch, n, sizes[kind]);
    if (unused)
        get_compound(r, kind, unused, n, sizes[kind]);
    return unused;
}

/* In format 1, the kinds are not stored: they are those of the schema. */
static size_t get_kinds(struct fm_column_reader *r, const struct fm_fields *compounds, uint64_t *kinds)
{
    bool listed = r->version > 1;
    uint64_t n = listed ? fm_unpack_number(&r->unpack) : fm_fields_at_first(compounds);
    if (n > FM_MOST_COLUMNS && !r->wrong)
        r->wrong = "a list has too many columns";
    if (fm_column_reader_stopped(r))
        return 0;
    for (size_t c = 0; c < n; c++)
        kinds[c] = listed ? fm_unpack_number(&r->unpack) : stored_kind(&compounds->list[c]);
    return (size_t)n;
}

static void get_compounds(struct fm_column_reader *r, const struct fm_list *list, char *items, size_t n)
{
    uint64_t kinds[FM_MOST_COLUMNS];
    size_t n_kinds = get_kinds(r, list->compounds, kinds);
    for (size_t c = 0; c < n_kinds && !fm_column_reader_stopped(r); c++) {
        const struct fm_field *compound = c < list->compounds->n ? &list->compounds->list[c] : NULL;
        if (compound && stored_kind(compound) == kinds[c])
            get_compound(r, kinds[c], items + compound->offset, n, list->item_size);
        else if (compound)
            r->wrong = "a list has a column of the wrong kind";
        else if (!skip_compound(r, kinds[c], n))
            return;
    }
}

/* At least this many numbers follow for each item. */
static size_t min_columns(const struct fm_list *list)
{
    size_t n = fm_fields_at_first(list->fields);
    for (size_t c = 0; c < fm_fields_at_first(list->compounds); c++)
        n += list->compounds->list[c].kind == FM_FIELD_STATS ? fm_fields_at_first(&fm_stats_fields) : 1;
    return n;
}

void fm_get_list(struct fm_column_reader *r, const struct fm_list *list)
{
    size_t n = fm_get_count(r, min_columns(list));
    void *items = fm_column_reader_take(r, &r->profile->arena, n, list->item_size);
    if (fm_column_reader_stopped(r) || !n)
        return;
    fm_list_set(list, r->profile, items, n);
    fm_get_fields(r, list->fields, items, n, list->item_size);
    get_compounds(r, list, items, n);
}
