/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/lists.h"

#define FIELD(kind, member, merge, unit, key, large, later)                                               \
    {                                                                                                     \
#member, key, offsetof(struct ITEM, member), kind, FM_MERGE_##merge, FM_UNIT_##unit, large, later \
    }
#define U64(member, merge, unit, key) FIELD(FM_FIELD_U64, member, merge, unit, key, FM_LARGE_EXACT, 0)
#define U32(member, merge, unit, key) FIELD(FM_FIELD_U32, member, merge, unit, key, FM_LARGE_EXACT, 0)
#define I32(member, merge, unit, key) FIELD(FM_FIELD_I32, member, merge, unit, key, FM_LARGE_EXACT, 0)
#define TEXT(member, merge, key) FIELD(FM_FIELD_TEXT, member, merge, NONE, key, FM_LARGE_EXACT, 0)
#define LATER_TEXT(member, merge, key) FIELD(FM_FIELD_TEXT, member, merge, NONE, key, FM_LARGE_EXACT, 1)
/* Rounded or left out in a large job. */
#define ROUNDED(member, merge, unit, key) FIELD(FM_FIELD_U64, member, merge, unit, key, FM_LARGE_ROUNDED, 0)
#define SPREAD(member, unit, key) FIELD(FM_FIELD_SPREAD, member, TYPE, unit, key, FM_LARGE_EXACT, 0)
#define STATS(member) FIELD(FM_FIELD_STATS, member, TYPE, NONE, "", FM_LARGE_EXACT, 0)
#define RANKS(member) FIELD(FM_FIELD_RANKS, member, TYPE, NONE, "ranks", FM_LARGE_EXACT, 0)
#define FIELDS(fields)                         \
    {                                          \
        fields, sizeof fields / sizeof *fields \
    }

/* One line per field. */
/* clang-format off */

/* ---- the job ---- */

#define ITEM fm_job
static const struct fm_field job[] = {
    TEXT(key,            KEY,          ""),
    TEXT(id,             FIRST,        "id"),
    TEXT(run_id,         FIRST,        ""),
    TEXT(exe,            FIRST,        "executable"),
    TEXT(build_id,       FIRST,        "build_id"),
    TEXT(cwd,            FIRST,        "directory"),
    TEXT(user,           FIRST,        "user"),
    TEXT(launcher,       FIRST,        "launcher"),
    TEXT(mpi,            FIRST,        "mpi"),
    TEXT(mpi_library,    FIRST,        "mpi_library"),
    TEXT(language,       FIRST,        "language"),
    TEXT(tool,           FIRST,        "tool"),
    TEXT(output,         FIRST,        ""),
    U32(ranks,           MAX,   COUNT, "ranks"),
    U32(thread_level,    MAX,   NONE,  "thread_level"),
    U64(started_real_ns, MIN,   NS,    "started"),
    U64(ended_real_ns,   MAX,   NS,    "ended"),
    LATER_TEXT(runtime_version, FIRST, "runtime"),
    LATER_TEXT(merge_version,   FIRST, "profile"),
    LATER_TEXT(commit,          FIRST, "commit"),
};
#undef ITEM

static const struct fm_field text[] = {
    {"text", "", 0, FM_FIELD_TEXT, FM_MERGE_FIRST, FM_UNIT_NONE, FM_LARGE_EXACT, 0},
};
#define ITEM fm_name_value
static const struct fm_field name_value[] = {
    TEXT(name,  FIRST,        ""),
    TEXT(value, FIRST,        ""),
};
#undef ITEM

#define ITEM fm_grid
static const struct fm_field grid[] = {
    U32(n,       OWN,   COUNT, ""),
    U32(dims[0], OWN,   COUNT, "cart_dims"),
    U32(dims[1], OWN,   COUNT, "cart_dims"),
    U32(dims[2], OWN,   COUNT, "cart_dims"),
    U32(dims[3], OWN,   COUNT, "cart_dims"),
};
#undef ITEM

/* ---- hosts and processes ---- */

#define ITEM fm_host
static const struct fm_field host[] = {
    TEXT(name,        KEY,          "name"),
    TEXT(cpu,         MAX,          "cpu"),
    U32(cores,        MAX,   COUNT, "cores"),
    U64(memory_bytes, MAX,   BYTES, "memory_bytes"),
#define X(member, merge, unit, key) FIELD(FM_FIELD_MAYBE, member, merge, unit, key, FM_LARGE_EXACT, 1),
    FM_HOST_FIGURES(X) /* model/host_figures.h */
#undef X
}, host_compounds[] = {
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_process
#define FIGURE(column, since, member, unit, known, source, key, heading)                                        \
    [column - 1] = FIELD((since) > 1 ? FM_FIELD_MAYBE : FM_FIELD_U64, member, KEY, unit, key, FM_LARGE_ROUNDED, \
                         (since) > 1),
static const struct fm_field process[] = {
    [0] = U32(rank,     KEY,   NONE,  "rank"),
    [1] = U32(host,     KEY,   NONE,  "host"),
    [2] = U32(core,     KEY,   NONE,  "core"),
    [3] = FIELD(FM_FIELD_I32, pid, KEY, NONE, "pid", FM_LARGE_ZERO, 0),
    [4] = U32(end,      KEY,   NONE,  "end"),
    [5] = I32(end_code, KEY,   NONE,  "end"),
    FM_PROCESS_FIGURES(FIGURE) /* model/figures.h: 7 to 12, and from 14 on */
    [12] = TEXT(inside, KEY,          "inside"),
}, process_compounds[] = {};
#undef ITEM

#define ITEM fm_program
static const struct fm_field program[] = {
    TEXT(exe,      KEY,          "executable"),
    TEXT(build_id, KEY,          "build_id"),
}, program_compounds[] = {
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_counter
static const struct fm_field counter[] = {
    TEXT(name,          KEY,          "name"),
    U32(rank,           KEY,   NONE,  ""),
    U32(position,       MIN,   NONE,  ""),
    U32(software,       MAX,   NONE,  ""),
    U32(unsplit,        MAX,   NONE,  ""),
    ROUNDED(count,      SUM,   COUNT, ""),
    ROUNDED(in_mpi,     SUM,   COUNT, ""),
    ROUNDED(enabled_ns, SUM,   NS,    ""),
    ROUNDED(running_ns, SUM,   NS,    ""),
}, counter_compounds[] = {
    SPREAD(counts,  COUNT, ""),
    SPREAD(in_mpis, COUNT, ""),
    RANKS(ranks),
};
#undef ITEM

/* ---- MPI calls ---- */

#define ITEM fm_stats
static const struct fm_field stats[] = {
    U64(count,           SUM,   COUNT, "calls"),
    U64(count_arguments, SUM,   COUNT, "count_arguments"),
    U64(total_ns,        SUM,   NS,    "time_s"),
    U64(min.ns,          TYPE,  NS,    "min_s"),
    U64(min.event,       TYPE,  NONE,  ""),
    U32(min.rank,        TYPE,  NONE,  ""),
    U64(max.ns,          TYPE,  NS,    "max_s"),
    U64(max.event,       TYPE,  NONE,  ""),
    U32(max.rank,        TYPE,  NONE,  ""),
    U64(second.ns,       TYPE,  NS,    ""),
    U64(second.event,    TYPE,  NONE,  ""),
    U32(second.rank,     TYPE,  NONE,  ""),
    U64(bytes,           SUM,   BYTES, "bytes"),
    U64(bytes_sent,      SUM,   BYTES, "bytes_sent"),
    U64(bytes_received,  SUM,   BYTES, "bytes_received"),
    U64(messages,        SUM,   COUNT, "messages"),
};
#undef ITEM

#define ITEM fm_spread
static const struct fm_field spread[] = {
    U64(min,      TYPE,  NONE,  "min"),
    U64(max,      TYPE,  NONE,  "max"),
    U64(sum,      SUM,   NONE,  "avg"),
    U32(min_rank, TYPE,  NONE,  "min_rank"),
    U32(max_rank, TYPE,  NONE,  "max_rank"),
    U32(ranks,    SUM,   COUNT, ""),
};
#undef ITEM

#define ITEM fm_routine_total
static const struct fm_field routine[] = {
    TEXT(name, KEY,          "name"),
}, routine_compounds[] = {
    STATS(stats),
    SPREAD(time_ns,        NS,    "time_s"),
    SPREAD(calls,          COUNT, "calls"),
    SPREAD(bytes,          BYTES, "bytes"),
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_rank_value
static const struct fm_field rank_value[] = {
    U32(rank,        KEY,   NONE,  ""),
    ROUNDED(time_ns, SUM,   NS,    ""),
    FIELD(FM_FIELD_U64, calls, SUM, COUNT, "", FM_LARGE_ZERO, 0),
    FIELD(FM_FIELD_U64, bytes, SUM, BYTES, "", FM_LARGE_ZERO, 0),
};
#undef ITEM

#define ITEM fm_event
static const struct fm_field event[] = {
    TEXT(key.routine,       KEY,          "routine"),
    TEXT(key.region,        KEY,          ""),
    U32(key.size_bin,       KEY,   NONE,  ""),
    U32(key.comm_size,      KEY,   COUNT, "size"),
    TEXT(key.site.module,   KEY,          "module"),
    TEXT(key.site.build_id, KEY,          ""),
    U64(key.site.offset,    KEY,   NONE,  "offset"),
}, event_compounds[] = {
    STATS(stats),
};
#undef ITEM

#define ITEM fm_succession
static const struct fm_field succession[] = {
    TEXT(routine,         KEY,          "routine"),
    TEXT(first.module,    KEY,          ""),
    TEXT(first.build_id,  KEY,          ""),
    U64(first.offset,     KEY,   NONE,  ""),
    TEXT(second.module,   KEY,          ""),
    TEXT(second.build_id, KEY,          ""),
    U64(second.offset,    KEY,   NONE,  ""),
    U64(count,            SUM,   COUNT, "count"),
    U64(gap_ns,           SUM,   NS,    "gap_s"),
    U64(short_gaps,       SUM,   COUNT, "short_gaps"),
    U32(dependent,        MAX,   NONE,  "dependent"),
}, succession_compounds[] = {
    RANKS(ranks),
};
#undef ITEM

/* ---- files ---- */

#define ITEM fm_file
static const struct fm_field file[] = {
    TEXT(class,             KEY,          "class"),
    U32(mpi,                KEY,   NONE,  "mpi"),
    TEXT(path,              KEY,          "path"),
    U64(io.opens,           SUM,   COUNT, "opens"),
    U64(io.reads,           SUM,   COUNT, "reads"),
    U64(io.writes,          SUM,   COUNT, "writes"),
    U64(io.seeks,           SUM,   COUNT, "seeks"),
    U64(io.syncs,           SUM,   COUNT, "syncs"),
    U64(io.read_bytes,      SUM,   BYTES, "read_bytes"),
    U64(io.written_bytes,   SUM,   BYTES, "written_bytes"),
    U64(io.rewritten_bytes, SUM,   BYTES, "rewritten_bytes"),
    U64(io.read_ns,         SUM,   NS,    "read_s"),
    U64(io.write_ns,        SUM,   NS,    "write_s"),
    U64(io.meta_ns,         SUM,   NS,    "metadata_s"),
    U32(stdio,              MAX,   NONE,  "stdio"),
    U32(fortran,            MAX,   NONE,  "fortran"),
}, file_compounds[] = {
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_class_of_files
static const struct fm_field class_of_files[] = {
    TEXT(name,              KEY,          "name"),
    U32(mpi,                KEY,   NONE,  "mpi"),
    U64(files,              SUM,   COUNT, ""),
    U64(io.opens,           SUM,   COUNT, "opens"),
    U64(io.reads,           SUM,   COUNT, "reads"),
    U64(io.writes,          SUM,   COUNT, "writes"),
    U64(io.seeks,           SUM,   COUNT, "seeks"),
    U64(io.syncs,           SUM,   COUNT, "syncs"),
    U64(io.read_bytes,      SUM,   BYTES, "read_bytes"),
    U64(io.written_bytes,   SUM,   BYTES, "written_bytes"),
    U64(io.rewritten_bytes, SUM,   BYTES, "rewritten_bytes"),
    U64(io.read_ns,         SUM,   NS,    "read_s"),
    U64(io.write_ns,        SUM,   NS,    "write_s"),
    U64(io.meta_ns,         SUM,   NS,    "metadata_s"),
    U64(read_sizes[0], SUM, COUNT, ""),
    U64(read_sizes[1], SUM, COUNT, ""),
    U64(read_sizes[2], SUM, COUNT, ""),
    U64(read_sizes[3], SUM, COUNT, ""),
    U64(read_sizes[4], SUM, COUNT, ""),
    U64(read_sizes[5], SUM, COUNT, ""),
    U64(read_sizes[6], SUM, COUNT, ""),
    U64(read_sizes[7], SUM, COUNT, ""),
    U64(read_sizes[8], SUM, COUNT, ""),
    U64(read_sizes[9], SUM, COUNT, ""),
    U64(write_sizes[0], SUM, COUNT, ""),
    U64(write_sizes[1], SUM, COUNT, ""),
    U64(write_sizes[2], SUM, COUNT, ""),
    U64(write_sizes[3], SUM, COUNT, ""),
    U64(write_sizes[4], SUM, COUNT, ""),
    U64(write_sizes[5], SUM, COUNT, ""),
    U64(write_sizes[6], SUM, COUNT, ""),
    U64(write_sizes[7], SUM, COUNT, ""),
    U64(write_sizes[8], SUM, COUNT, ""),
    U64(write_sizes[9], SUM, COUNT, ""),
    U32(stdio,              MAX,   NONE,  "stdio"),
    U32(fortran,            MAX,   NONE,  "fortran"),
}, class_of_files_compounds[] = {
    SPREAD(time_ns,        NS,    "time_s"),
    SPREAD(bytes,          BYTES, "bytes"),
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_region
static const struct fm_field region[] = {
    TEXT(path,   KEY,          "path"),
    U64(entries, SUM,   COUNT, "entries"),
    U64(wall_ns, SUM,   NS,    "wall_s"),
}, region_compounds[] = {
    SPREAD(wall_per_rank,        NS,    "wall_per_rank_s"),
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_span
static const struct fm_field span[] = {
    U32(kind,  KEY,   NONE,  ""),
    TEXT(name, KEY,          "name"),
}, span_compounds[] = {
    SPREAD(wall_ns,              NS,    "wall_s"),
    SPREAD(outside_ns,           NS,    "outside_mpi_s"),
    RANKS(ranks),
};
#undef ITEM

#define ITEM fm_snapshot
static const struct fm_field snapshot[] = {
    TEXT(label,     KEY,          "label"),
    U32(collective, KEY,   NONE,  "collective"),
    U32(order,      KEY,   NONE,  "order"),
    U32(rank,       KEY,   NONE,  "rank"),
    U32(ranks,      SUM,   COUNT, "ranks"),
    U64(when_ns,    MAX,   NS,    "when_s"),
    U64(mpi_ns,     SUM,   NS,    "mpi_s"),
};
#undef ITEM

#define ITEM fm_snapshot_routine
static const struct fm_field snapshot_routine[] = {
    TEXT(name,    KEY,          "name"),
    U64(count,    SUM,   COUNT, "calls"),
    U64(total_ns, SUM,   NS,    "time_s"),
    U64(bytes,    SUM,   BYTES, "bytes"),
};
#undef ITEM

/* ---- timers ---- */

#define ITEM fm_timer
static const struct fm_field timer[] = {
    TEXT(name,                     KEY,          "name"),
    TEXT(parent,                   OWN,          ""),
    U64(total_events[0],           OWN,   COUNT, ""),
    U64(total_events[1],           OWN,   COUNT, ""),
    U64(longest.ns,                OWN,   NS,    ""),
    U64(longest.event,             OWN,   NONE,  ""),
    U32(longest.rank,              OWN,   NONE,  ""),
    U64(second.ns,                 OWN,   NS,    ""),
    U64(second.event,              OWN,   NONE,  ""),
    U32(second.rank,               OWN,   NONE,  ""),
    U64(shortest.ns,               OWN,   NS,    ""),
    U64(shortest.event,            OWN,   NONE,  ""),
    U32(shortest.rank,             OWN,   NONE,  ""),
    U64(longest_average.total_ns,  OWN,   NS,    ""),
    U64(longest_average.events,    OWN,   COUNT, ""),
    U32(longest_average.rank,      OWN,   NONE,  ""),
    U64(shortest_average.total_ns, OWN,   NS,    ""),
    U64(shortest_average.events,   OWN,   COUNT, ""),
    U32(shortest_average.rank,     OWN,   NONE,  ""),
    U64(children_ns,               SUM,   NS,    ""),
    U64(overhead_ns,               SUM,   NS,    ""),
    U64(overhead_inside_ns,        SUM,   NS,    ""),
    U64(half_events[0],            SUM,   COUNT, ""),
    U64(half_events[1],            SUM,   COUNT, ""),
    U64(half_ns[0],                SUM,   NS,    ""),
    U64(half_ns[1],                SUM,   NS,    ""),
    U32(coarse,                    OWN,   NONE,  ""),
};
#undef ITEM

#define ITEM fm_timer_group
static const struct fm_field timer_group[] = {
    U32(shape.words[0], KEY,   NONE,  ""),
    U32(shape.words[1], KEY,   NONE,  ""),
    U32(shape.words[2], KEY,   NONE,  ""),
};
#undef ITEM

#define ITEM fm_timer_bin
static const struct fm_field timer_bin[] = {
    U32(bin,      KEY,   NONE,  ""),
    U32(max_rank, OWN,   NONE,  "max_rank"),
    U32(min_rank, OWN,   NONE,  "min_rank"),
    U64(max,      OWN,   COUNT, "max"),
    U64(min,      OWN,   COUNT, "min"),
    U64(sum,      SUM,   COUNT, "avg"),
};
#undef ITEM

#define ITEM fm_misuse
static const struct fm_field misuse[] = {
    U32(kind,           KEY,   NONE,  ""),
    TEXT(site.module,   KEY,          ""),
    TEXT(site.build_id, KEY,          ""),
    U64(site.offset,    KEY,   NONE,  ""),
    U64(count,          SUM,   COUNT, ""),
}, misuse_compounds[] = {
    RANKS(ranks),
};
#undef ITEM

/* ---- call paths: see also format/call_path_form.h ---- */

#define ITEM fm_path_share
static const struct fm_field path_share[] = {
    U32(node, KEY,   NONE,  ""),
    U32(rank, KEY,   NONE,  ""),
    FIELD(FM_FIELD_U64, all_ns, SUM, NS, "", FM_LARGE_COARSE, 0),
};
#undef ITEM

#define ITEM fm_sequence
static const struct fm_field sequence[] = {
    U32(shift,      OWN,   NONE,  ""),
    U32(n_cells,    OWN,   COUNT, ""),
    U64(first,      OWN,   NONE,  ""),
    U32(rank_shift, OWN,   NONE,  ""),
};
#undef ITEM

#define ITEM fm_sequence_row
static const struct fm_field sequence_row[] = {
    U32(rank, KEY,   NONE,  ""),
};
#undef ITEM

/* ---- the measurement itself ---- */

#define ITEM fm_note
static const struct fm_field note[] = {
    TEXT(text,  KEY,          "text"),
    U64(amount, SUM,   COUNT, "amount"),
    FIELD(FM_FIELD_U32, code, KEY, NONE, "code", FM_LARGE_EXACT, 1),
    FIELD(FM_FIELD_TEXT, argument, KEY, NONE, "argument", FM_LARGE_EXACT, 1),
}, note_compounds[] = {
    RANKS(ranks),
};
#undef ITEM

/* clang-format on */

#define X(section, list, item, merged) \
    const struct fm_fields fm_##item##_fields = FIELDS(item), fm_##item##_compounds = FIELDS(item##_compounds);
FM_LISTS(X)
#undef X
const struct fm_fields fm_job_fields = FIELDS(job), fm_text_fields = FIELDS(text),
                       fm_name_value_fields = FIELDS(name_value), fm_stats_fields = FIELDS(stats),
                       fm_spread_fields = FIELDS(spread), fm_rank_value_fields = FIELDS(rank_value),
                       fm_snapshot_fields = FIELDS(snapshot), fm_snapshot_routine_fields = FIELDS(snapshot_routine),
                       fm_timer_fields = FIELDS(timer), fm_timer_group_fields = FIELDS(timer_group),
                       fm_timer_bin_fields = FIELDS(timer_bin), fm_misuse_fields = FIELDS(misuse),
                       fm_misuse_compounds = FIELDS(misuse_compounds), fm_grid_fields = FIELDS(grid),
                       fm_path_share_fields = FIELDS(path_share), fm_sequence_fields = FIELDS(sequence),
                       fm_sequence_row_fields = FIELDS(sequence_row);

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
    if (field->kind == FM_FIELD_MAYBE)
        return *(const uint64_t *)(const void *)at + 1; /* 0: unknown */
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
    else if (field->kind == FM_FIELD_MAYBE)
        *(uint64_t *)(void *)at = value - 1;
    else if (field->kind == FM_FIELD_I32)
        *(uint32_t *)(void *)at = half >> 1 ^ (0 - (half & 1));
    else
        *(uint32_t *)(void *)at = half;
}
