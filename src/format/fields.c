#include "format/fields.h"

#define FIELD(type, member, kind, large)              \
    {                                                 \
        offsetof(struct type, member), kind, large, 0 \
    }
#define U64(type, member) FIELD(type, member, FM_FIELD_U64, FM_LARGE_EXACT)
#define U32(type, member) FIELD(type, member, FM_FIELD_U32, FM_LARGE_EXACT)
#define I32(type, member) FIELD(type, member, FM_FIELD_I32, FM_LARGE_EXACT)
#define TEXT(type, member) FIELD(type, member, FM_FIELD_TEXT, FM_LARGE_EXACT)
#define ROUNDED(type, member) FIELD(type, member, FM_FIELD_U64, FM_LARGE_ROUNDED)
#define LIST(fields)                           \
    {                                          \
        fields, sizeof fields / sizeof *fields \
    }

static const struct fm_field job[] = {
    TEXT(fm_job, key),          TEXT(fm_job, id),          TEXT(fm_job, run_id),      TEXT(fm_job, exe),
    TEXT(fm_job, build_id),     TEXT(fm_job, cwd),         TEXT(fm_job, user),        TEXT(fm_job, launcher),
    TEXT(fm_job, mpi),          TEXT(fm_job, mpi_library), TEXT(fm_job, language),    TEXT(fm_job, tool),
    TEXT(fm_job, output),       U32(fm_job, ranks),        U32(fm_job, thread_level), U64(fm_job, started_real_ns),
    U64(fm_job, ended_real_ns),
};
static const struct fm_field text[] = {{0, FM_FIELD_TEXT, FM_LARGE_EXACT, 0}};
static const struct fm_field name_value[] = {TEXT(fm_name_value, name), TEXT(fm_name_value, value)};
static const struct fm_field host[] = {
    TEXT(fm_host, name),
    TEXT(fm_host, cpu),
    U32(fm_host, cores),
    U64(fm_host, memory_bytes),
};
static const struct fm_field process[] = {
    U32(fm_process, rank),
    U32(fm_process, host),
    U32(fm_process, core),
    FIELD(fm_process, pid, FM_FIELD_I32, FM_LARGE_ZERO),
    U32(fm_process, end),
    I32(fm_process, end_code),
    ROUNDED(fm_process, wall_ns),
    ROUNDED(fm_process, user_ns),
    ROUNDED(fm_process, system_ns),
    ROUNDED(fm_process, mpi_ns),
    ROUNDED(fm_process, max_rss_bytes),
    ROUNDED(fm_process, overhead_ns),
    TEXT(fm_process, inside),
};
static const struct fm_field routine[] = {TEXT(fm_routine_total, name)};
static const struct fm_field stats[] = {
    U64(fm_stats, count),     U64(fm_stats, count_arguments), U64(fm_stats, total_ns),       U64(fm_stats, min.ns),
    U64(fm_stats, min.event), U32(fm_stats, min.rank),        U64(fm_stats, max.ns),         U64(fm_stats, max.event),
    U32(fm_stats, max.rank),  U64(fm_stats, second.ns),       U64(fm_stats, second.event),   U32(fm_stats, second.rank),
    U64(fm_stats, bytes),     U64(fm_stats, bytes_sent),      U64(fm_stats, bytes_received), U64(fm_stats, messages),
};
static const struct fm_field spread[] = {
    U64(fm_spread, min),      U64(fm_spread, max),      U64(fm_spread, sum),
    U32(fm_spread, min_rank), U32(fm_spread, max_rank), U32(fm_spread, ranks),
};
static const struct fm_field rank_value[] = {
    U32(fm_rank_value, rank),
    ROUNDED(fm_rank_value, time_ns),
    FIELD(fm_rank_value, calls, FM_FIELD_U64, FM_LARGE_ZERO),
    FIELD(fm_rank_value, bytes, FM_FIELD_U64, FM_LARGE_ZERO),
};
static const struct fm_field event[] = {
    TEXT(fm_event, key.routine),    TEXT(fm_event, key.region),      U32(fm_event, key.size_bin),
    U32(fm_event, key.comm_size),   TEXT(fm_event, key.site.module), TEXT(fm_event, key.site.build_id),
    U64(fm_event, key.site.offset),
};
static const struct fm_field region[] = {TEXT(fm_region, path), U64(fm_region, entries), U64(fm_region, wall_ns)};
static const struct fm_field snapshot[] = {
    TEXT(fm_snapshot, label), U32(fm_snapshot, collective), U32(fm_snapshot, order),  U32(fm_snapshot, rank),
    U32(fm_snapshot, ranks),  U64(fm_snapshot, when_ns),    U64(fm_snapshot, mpi_ns),
};
static const struct fm_field snapshot_routine[] = {
    TEXT(fm_snapshot_routine, name),
    U64(fm_snapshot_routine, count),
    U64(fm_snapshot_routine, total_ns),
    U64(fm_snapshot_routine, bytes),
};
static const struct fm_field timer[] = {
    TEXT(fm_timer, name),
    TEXT(fm_timer, parent),
    U64(fm_timer, total_events[0]),
    U64(fm_timer, total_events[1]),
    U64(fm_timer, longest.ns),
    U64(fm_timer, longest.event),
    U32(fm_timer, longest.rank),
    U64(fm_timer, second.ns),
    U64(fm_timer, second.event),
    U32(fm_timer, second.rank),
    U64(fm_timer, shortest.ns),
    U64(fm_timer, shortest.event),
    U32(fm_timer, shortest.rank),
    U64(fm_timer, longest_average.total_ns),
    U64(fm_timer, longest_average.events),
    U32(fm_timer, longest_average.rank),
    U64(fm_timer, shortest_average.total_ns),
    U64(fm_timer, shortest_average.events),
    U32(fm_timer, shortest_average.rank),
    U64(fm_timer, children_ns),
    U64(fm_timer, overhead_ns),
    U64(fm_timer, overhead_inside_ns),
    U64(fm_timer, half_events[0]),
    U64(fm_timer, half_events[1]),
    U64(fm_timer, half_ns[0]),
    U64(fm_timer, half_ns[1]),
    U32(fm_timer, coarse),
};
static const struct fm_field timer_group[] = {
    U32(fm_timer_group, shape.words[0]),
    U32(fm_timer_group, shape.words[1]),
    U32(fm_timer_group, shape.words[2]),
};
static const struct fm_field timer_bin[] = {
    U32(fm_timer_bin, bin), U32(fm_timer_bin, max_rank), U32(fm_timer_bin, min_rank),
    U64(fm_timer_bin, max), U64(fm_timer_bin, min),      U64(fm_timer_bin, sum),
};
static const struct fm_field misuse[] = {
    U32(fm_misuse, kind),        TEXT(fm_misuse, site.module), TEXT(fm_misuse, site.build_id),
    U64(fm_misuse, site.offset), U64(fm_misuse, count),
};
static const struct fm_field grid[] = {
    U32(fm_grid, n), U32(fm_grid, dims[0]), U32(fm_grid, dims[1]), U32(fm_grid, dims[2]), U32(fm_grid, dims[3]),
};
static const struct fm_field path_count[] = {
    U64(fm_path_counts, samples),   U64(fm_path_counts, partial),      U64(fm_path_counts, lost),
    U64(fm_path_counts, folded_ns), U64(fm_path_counts, period_ns[0]), U64(fm_path_counts, period_ns[1]),
};
static const struct fm_field path_place[] = {TEXT(fm_path_place, module), TEXT(fm_path_place, build_id)};
static const struct fm_field path_step[] = {
    U32(fm_path_record, up),     U32(fm_path_record, kind),     U32(fm_path_record, place),
    U64(fm_path_record, offset), TEXT(fm_path_record, routine), U32(fm_path_record, has_own),
};
static const struct fm_field path_figure[] = {
    U32(fm_path_figures, more_ranks), U64(fm_path_figures, sum_ns),         U64(fm_path_figures, rest_ns),
    U64(fm_path_figures, gap_ns),     ROUNDED(fm_path_figures, squares[0]), ROUNDED(fm_path_figures, squares[1]),
    U32(fm_path_figures, max_rank),   I32(fm_path_figures, rank_distance),
};
static const struct fm_field path_share[] = {
    U32(fm_path_share, node),
    U32(fm_path_share, rank),
    ROUNDED(fm_path_share, all_ns),
};
static const struct fm_field sequence[] = {
    U32(fm_sequence, shift),
    U32(fm_sequence, n_cells),
    U64(fm_sequence, first),
    U32(fm_sequence, rank_shift),
};
static const struct fm_field sequence_row[] = {U32(fm_sequence_row, rank)};
static const struct fm_field note[] = {TEXT(fm_note, text), U64(fm_note, amount)};

const struct fm_fields fm_job_fields = LIST(job), fm_text_fields = LIST(text), fm_name_value_fields = LIST(name_value),
                       fm_host_fields = LIST(host), fm_process_fields = LIST(process),
                       fm_routine_fields = LIST(routine), fm_stats_fields = LIST(stats),
                       fm_spread_fields = LIST(spread), fm_rank_value_fields = LIST(rank_value),
                       fm_event_fields = LIST(event), fm_region_fields = LIST(region),
                       fm_snapshot_fields = LIST(snapshot), fm_snapshot_routine_fields = LIST(snapshot_routine),
                       fm_note_fields = LIST(note), fm_timer_fields = LIST(timer),
                       fm_timer_group_fields = LIST(timer_group), fm_timer_bin_fields = LIST(timer_bin),
                       fm_misuse_fields = LIST(misuse), fm_grid_fields = LIST(grid),
                       fm_path_count_fields = LIST(path_count), fm_path_place_fields = LIST(path_place),
                       fm_path_record_fields = LIST(path_step), fm_path_figure_fields = LIST(path_figure),
                       fm_path_share_fields = LIST(path_share), fm_sequence_fields = LIST(sequence),
                       fm_sequence_row_fields = LIST(sequence_row);

#define NESTED(type, items, n)                                                                    \
    {                                                                                             \
        offsetof(struct type, items), offsetof(struct type, n), sizeof *((struct type *)0)->items \
    }
const struct fm_nested fm_snapshot_routines = NESTED(fm_snapshot, routines, n_routines),
                       fm_timer_groups = NESTED(fm_timer, groups, n_groups),
                       fm_timer_group_bins = NESTED(fm_timer_group, bins, n_bins),
                       fm_timer_misuses = NESTED(fm_timer, misuses, n_misuses);

size_t fm_fields_at_first(const struct fm_fields *fields)
{
    size_t n = 0;
    while (n < fields->n && !fields->list[n].later)
        n++;
    return n;
}

uint64_t fm_field_get(const struct fm_field *field, const void *item)
{
    const char *at = (const char *)item + field->offset;
    if (field->kind == FM_FIELD_U64)
        return *(const uint64_t *)(const void *)at;
    uint32_t value = *(const uint32_t *)(const void *)at;
    if (field->kind == FM_FIELD_I32)
        return value << 1 ^ (0 - (value >> 31)); /* 0, -1, 1, -2 ... */
    return value;
}

void fm_field_set(const struct fm_field *field, void *item, uint64_t value)
{
    char *at = (char *)item + field->offset;
    uint32_t half = (uint32_t)value;
    if (field->kind == FM_FIELD_U64)
        *(uint64_t *)(void *)at = value;
    else if (field->kind == FM_FIELD_I32)
        *(uint32_t *)(void *)at = half >> 1 ^ (0 - (half & 1));
    else
        *(uint32_t *)(void *)at = half;
}
