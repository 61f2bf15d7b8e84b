/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled call paths, and the sequence. */
#include "format/sections.h"

void fm_make_paths(struct fm_column_writer *w)
{
    struct fm_call_paths paths = w->profile->paths;
    if ((!w->exact && !fm_call_paths_keep_vectors(&w->profile->paths, w->large ? FM_LARGE_PATH_VECTORS : SIZE_MAX,
                                                  &w->scratch, &paths)) ||
        !fm_call_paths_fold(&paths, w->exact ? SIZE_MAX : FM_CALL_PATHS_IN_FILE, &w->scratch, &w->paths) ||
        !fm_sequence_thin(&w->paths.sequence, w->exact ? SIZE_MAX : FM_SEQUENCE_IN_FILE, &w->scratch, &w->sequence) ||
        !fm_path_form_make(&w->paths, &w->scratch, &w->path_form))
        w->failed = true;
}

void fm_put_paths(struct fm_column_writer *w)
{
    const struct fm_path_form *form = &w->path_form;
    const struct fm_call_paths *paths = &w->paths;
    const struct fm_path_counts counts = {
        paths->samples, paths->partial, paths->lost, paths->folded_ns, {paths->period_ns[0], paths->period_ns[1]}};
    fm_put_fields(w, &fm_path_count_fields, &counts, 1, sizeof counts);
    fm_put_number(w, form->n_places);
    fm_put_fields(w, &fm_path_place_fields, form->places, form->n_places, sizeof *form->places);
    fm_put_number(w, form->n);
    fm_put_fields(w, &fm_path_record_fields, form->steps, form->n, sizeof *form->steps);
    fm_put_fields(w, &fm_path_figure_fields, form->figures, form->n_figures, sizeof *form->figures);
    fm_put_number(w, paths->n_shares);
    fm_put_fields(w, &fm_path_share_fields, paths->shares, paths->n_shares, sizeof *paths->shares);
}

static void get_path_counts(struct fm_column_reader *r, struct fm_call_paths *paths)
{
    struct fm_path_counts counts = {0};
    fm_get_fields(r, &fm_path_count_fields, &counts, 1, sizeof counts);
    paths->samples = counts.samples;
    paths->partial = counts.partial;
    paths->lost = counts.lost;
    paths->folded_ns = counts.folded_ns;
    paths->period_ns[0] = counts.period_ns[0];
    paths->period_ns[1] = counts.period_ns[1];
}

static void get_path_nodes(struct fm_column_reader *r, struct fm_call_paths *paths)
{
    struct fm_path_form form = {.n_places = fm_get_count(r, fm_fields_at_first(&fm_path_place_fields))};
    form.places = fm_column_reader_take(r, &r->scratch, form.n_places, sizeof *form.places);
    if (fm_column_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_path_place_fields, form.places, form.n_places, sizeof *form.places);
    form.n = fm_get_count(r, fm_fields_at_first(&fm_path_record_fields));
    form.steps = fm_column_reader_take(r, &r->scratch, form.n, sizeof *form.steps);
    if (fm_column_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_path_record_fields, form.steps, form.n, sizeof *form.steps);
    if (fm_column_reader_stopped(r))
        return;
    form.n_figures = fm_path_form_count(&form, &r->wrong);
    form.figures = fm_column_reader_take(r, &r->scratch, form.n_figures, sizeof *form.figures);
    struct fm_path_node *nodes = fm_column_reader_take(r, &r->profile->arena, form.n, sizeof *nodes);
    if (fm_column_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_path_figure_fields, form.figures, form.n_figures, sizeof *form.figures);
    if (!fm_column_reader_stopped(r) && !fm_path_form_read(&form, &r->scratch, nodes))
        r->no_memory = true;
    paths->nodes = nodes;
    paths->n = paths->capacity = form.n;
}

void fm_get_paths(struct fm_column_reader *r)
{
    struct fm_call_paths *paths = &r->profile->paths;
    get_path_counts(r, paths);
    get_path_nodes(r, paths);
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_path_share_fields));
    struct fm_path_share *shares = fm_column_reader_take(r, &r->profile->arena, n, sizeof *shares);
    if (fm_column_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_path_share_fields, shares, n, sizeof *shares);
    paths->shares = shares;
    paths->n_shares = paths->shares_capacity = n;
}

/* The cells of all rows are one column. */
void fm_put_sequence(struct fm_column_writer *w)
{
    const struct fm_sequence *s = &w->sequence;
    fm_put_fields(w, &fm_sequence_fields, s, 1, sizeof *s);
    fm_put_number(w, s->n);
    fm_put_fields(w, &fm_sequence_row_fields, s->rows, s->n, sizeof *s->rows);
    uint64_t *column = w->collecting || !s->n ? NULL : fm_put_room(w, s->n * s->n_cells);
    if (!column)
        return;
    for (size_t row = 0, at = 0; row < s->n; row++)
        for (uint32_t i = 0; i < s->n_cells; i++)
            column[at++] = s->rows[row].cells[i];
    fm_pack_column(&w->pack, column, s->n * s->n_cells, NULL, false);
}

void fm_get_sequence(struct fm_column_reader *r)
{
    struct fm_sequence *s = &r->profile->paths.sequence;
    fm_get_fields(r, &fm_sequence_fields, s, 1, sizeof *s);
    size_t n = fm_get_count(r, 1);
    if (!fm_column_reader_stopped(r) && (n > FM_SEQUENCE_ROWS || s->n_cells > FM_SEQUENCE_CELLS))
        r->wrong = "invalid sequence";
    s->rows = fm_column_reader_take(r, &r->profile->arena, n, sizeof *s->rows);
    if (fm_column_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_sequence_row_fields, s->rows, n, sizeof *s->rows);
    const uint64_t *column = n ? fm_get_column(r, n * s->n_cells, NULL) : NULL;
    for (size_t row = 0, at = 0; column && row < n; row++) {
        uint32_t *cells = fm_column_reader_take(r, &r->profile->arena, FM_SEQUENCE_CELLS, sizeof *cells);
        for (uint32_t i = 0; cells && i < s->n_cells; i++, at++)
            cells[i] = column[at] < UINT32_MAX ? (uint32_t)column[at] : UINT32_MAX;
        s->rows[row].cells = cells;
    }
    s->n = s->capacity = n;
}
