/* SPDX-License-Identifier: BSD-3-Clause */
/* "io" of the JSON report. */
#include "analyse/io/io_summary.h"
#include "base/saturate.h"
#include "report/json_parts.h"

static void write_sizes(struct fm_json *json, const uint64_t *reads, const uint64_t *writes)
{
    fm_json_array(json, "sizes", FM_JSON_INLINE);
    for (unsigned i = 0; i < FM_REQUEST_BINS; i++) {
        if (!reads[i] && !writes[i])
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "from_bytes", fm_request_bin_from(i));
        if (i < FM_REQUEST_BINS - 1)
            fm_json_whole(json, "to_bytes", fm_request_bin_to(i));
        else
            fm_json_null(json, "to_bytes");
        fm_json_whole(json, "reads", reads[i]);
        fm_json_whole(json, "writes", writes[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_class(struct fm_report *report, struct fm_json *json, const struct fm_io_class *class)
{
    const struct fm_class_of_files *of = class->of;
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_item_fields(report, json, &fm_list_file_classes, of);
    fm_json_whole(json, "files", class->files);
    fm_json_bool(json, "files_at_most", class->at_most);
    fm_json_seconds(json, "time_s", fm_io_ns(&of->io));
    fm_json_whole(json, "small_requests", class->small);
    write_sizes(json, of->read_sizes, of->write_sizes);
    fm_json_object(json, "per_rank", FM_JSON_INLINE);
    fm_json_spread_seconds(json, "time_s", &of->time_ns);
    fm_json_spread(json, "bytes", &of->bytes);
    fm_json_end(json);
    fm_json_end(json);
}

static void write_file(struct fm_report *report, struct fm_json *json, const struct fm_file *file)
{
    static const char *const accesses[] = {"none", "read", "write", "read and write"};
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_item_fields(report, json, &fm_list_files, file);
    fm_json_seconds(json, "time_s", fm_io_ns(&file->io));
    fm_json_text(json, "access", accesses[fm_io_access(&file->io)]);
    fm_json_bool(json, "shared", fm_rankset_count(&file->ranks) > 1);
    fm_json_end(json);
}

/* One value per process, in the order of "processes". */
static void write_per_rank(struct fm_report *report, struct fm_json *json)
{
    const struct fm_profile *profile = report->profile;
    uint64_t read_bytes, written_bytes, io_ns;
    fm_json_object(json, "per_rank", FM_JSON_LINES);
    fm_json_array(json, "time_s", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        if (fm_figure_get(&profile->processes[i], FM_FIGURE_io_ns, &io_ns))
            fm_json_seconds(json, NULL, io_ns);
        else
            fm_json_null(json, NULL);
    fm_json_end(json);
    fm_json_array(json, "bytes", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        if (fm_figure_get(&profile->processes[i], FM_FIGURE_read_bytes, &read_bytes) &&
            fm_figure_get(&profile->processes[i], FM_FIGURE_written_bytes, &written_bytes))
            fm_json_whole(json, NULL, fm_sum(read_bytes, written_bytes));
        else
            fm_json_null(json, NULL);
    fm_json_end(json);
    fm_json_end(json);
}

enum fm_status fm_json_io(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_io_summary io;
    enum fm_status status = fm_io_summarise(report->profile, &report->arena, &io, error);
    if (status)
        return status;
    fm_json_object(json, "io", FM_JSON_LINES);
    fm_json_bool(json, "measured", io.known);
    fm_json_whole(json, "read_bytes", io.total.read_bytes);
    fm_json_whole(json, "written_bytes", io.total.written_bytes);
    fm_json_whole(json, "rewritten_bytes", io.total.rewritten_bytes);
    fm_json_seconds(json, "time_s", io.time_ns);
    fm_json_seconds(json, "mpi_time_s", io.mpi_ns);
    fm_json_whole(json, "calls", fm_sum(fm_sum(io.requests, io.total.opens), fm_sum(io.total.seeks, io.total.syncs)));
    fm_json_whole(json, "opens", io.total.opens);
    fm_json_whole(json, "reads", io.total.reads);
    fm_json_whole(json, "writes", io.total.writes);
    fm_json_whole(json, "small_requests", io.small);
    write_sizes(json, io.read_sizes, io.write_sizes);
    fm_json_array(json, "classes", FM_JSON_LINES);
    for (size_t i = 0; i < io.n_classes; i++)
        write_class(report, json, &io.classes[i]);
    fm_json_end(json);
    fm_json_array(json, "files", FM_JSON_LINES);
    for (size_t i = 0; i < io.n_files; i++)
        write_file(report, json, io.files[i]);
    fm_json_end(json);
    write_per_rank(report, json);
    fm_json_end(json);
    return FM_OK;
}
