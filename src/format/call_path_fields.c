/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of call paths in a file (format/call_path_form.h). */
#include "format/layout.h"

#define FIELD(kind, type, member, unit, large)                                                              \
    {                                                                                                       \
#member, "", offsetof(struct type, member), FM_FIELD_##kind, FM_MERGE_OWN, FM_UNIT_##unit, large, 0 \
    }
#define EXACT(kind, type, member, unit) FIELD(kind, type, member, unit, FM_LARGE_EXACT)
#define FIELDS(fields)                         \
    {                                          \
        fields, sizeof fields / sizeof *fields \
    }

/* One line per field. */
/* clang-format off */
static const struct fm_field path_count[] = {
    EXACT(U64, fm_path_counts, samples, COUNT),
    EXACT(U64, fm_path_counts, partial, COUNT),
    EXACT(U64, fm_path_counts, lost, COUNT),
    EXACT(U64, fm_path_counts, folded_ns, NS),
    EXACT(U64, fm_path_counts, period_ns[0], NS),
    EXACT(U64, fm_path_counts, period_ns[1], NS),
};
static const struct fm_field path_place[] = {
    EXACT(TEXT, fm_path_place, module, NONE),
    EXACT(TEXT, fm_path_place, build_id, NONE),
};
static const struct fm_field path_step[] = {
    EXACT(U32, fm_path_record, up, COUNT),
    EXACT(U32, fm_path_record, kind, NONE),
    EXACT(U32, fm_path_record, place, NONE),
    EXACT(U64, fm_path_record, offset, NONE),
    EXACT(TEXT, fm_path_record, routine, NONE),
    EXACT(U32, fm_path_record, has_own, NONE),
};
static const struct fm_field path_figure[] = {
    EXACT(U32, fm_path_figures, more_ranks, COUNT),
    EXACT(U64, fm_path_figures, sum_ns, NS),
    EXACT(U64, fm_path_figures, rest_ns, NS),
    EXACT(U64, fm_path_figures, gap_ns, NS),
    FIELD(U64, fm_path_figures, squares[0], NONE, FM_LARGE_ROUNDED),
    FIELD(U64, fm_path_figures, squares[1], NONE, FM_LARGE_ROUNDED),
    EXACT(U32, fm_path_figures, max_rank, NONE),
    EXACT(I32, fm_path_figures, rank_distance, NONE),
};
/* clang-format on */

const struct fm_fields fm_path_count_fields = FIELDS(path_count), fm_path_place_fields = FIELDS(path_place),
                       fm_path_record_fields = FIELDS(path_step), fm_path_figure_fields = FIELDS(path_figure);
