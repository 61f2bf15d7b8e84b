/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "base/writer.h"
#include "render/text.h"
#include "render/xml.h"
#include "site/job/job.h"

/* "Job 481516 of ann: pop" */
static const char *title_of(struct fm_job_report *report)
{
    const struct fm_record *record = &report->job.record;
    const char *program = *record->program ? record->program : "an unknown program";
    if (*record->job_id)
        return fm_format(&report->arena, "Job %s of %s: %s", record->job_id, record->user, program);
    return fm_format(&report->arena, "Job #%lld of %s: %s", (long long)report->job.id, record->user, program);
}

void fm_job_report_text(struct fm_job_report *report, size_t rows, FILE *out)
{
    fm_print_text(out, title_of(report));
    fputs("\n\n", out);
    fm_facts_text(&report->facts, out);
    fputc('\n', out);
    for (size_t i = 0; i < report->n_sheets; i++)
        fm_sheet_text(&report->sheets[i], rows, &report->arena, out);
}

void fm_job_report_html(struct fm_job_report *report, size_t rows, FILE *out)
{
    fputs("<section>\n<h1>", out);
    fm_xml_text(out, title_of(report));
    fputs("</h1>\n", out);
    fm_facts_html(&report->facts, out);
    for (size_t i = 0; i < report->n_sheets; i++)
        fm_sheet_html(&report->sheets[i], rows, &report->arena, out);
    fputs("</section>\n", out);
}

/* ---- JSON ---- */

static void write_field(struct fm_json *json, const struct fm_record *record, const struct fm_record_field *field)
{
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        fm_json_text(json, field->key, *fm_record_text(record, field));
        break;
    case FM_RECORD_KIND_WHOLE:
    case FM_RECORD_KIND_TIME:
        fm_json_signed(json, field->key, *fm_record_whole(record, field));
        break;
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        fm_json_real(json, field->key, *fm_record_real(record, field));
        break;
    case FM_RECORD_KIND_FLAG:
        fm_json_bool(json, field->key, *fm_record_flag(record, field));
        break;
    }
}

/* As the database has it: the user that was vouched for; times are seconds since 1970. */
static void write_fields(struct fm_json *json, const struct fm_record *record)
{
    const char *section = "";
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++) {
        const struct fm_record_field *field = &fm_record_fields[i];
        if (!fm_record_known(record, field))
            continue;
        if (strcmp(field->section, section) != 0) {
            if (*section)
                fm_json_end(json);
            section = field->section;
            fm_json_object(json, section, FM_JSON_LINES);
        }
        write_field(json, record, field);
    }
    if (*section)
        fm_json_end(json);
}

void fm_job_report_json(struct fm_job_report *report, struct fm_json *json)
{
    const struct fm_site_job *job = &report->job;
    fm_json_signed(json, "number", job->id);
    fm_json_signed(json, "uid", job->uid);
    fm_json_real(json, "weight", job->weight);
    fm_json_real(json, "wasted_s", job->wasted_s);
    fm_json_real(json, "mpi_fraction", job->mpi_fraction);
    write_fields(json, &job->record);
    for (size_t i = 0; i < report->n_sheets; i++)
        fm_sheet_json(&report->sheets[i], json);
}

void fm_job_report_select(struct fm_job_report *report, const char *sheet)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n_sheets; i++)
        if (strcmp(report->sheets[i].key, sheet) == 0)
            report->sheets[n++] = report->sheets[i];
    report->n_sheets = n;
    report->facts.n = 0;
}

bool fm_job_report_csv(struct fm_job_report *report, const char *sheet, FILE *out)
{
    for (size_t i = 0; i < report->n_sheets; i++)
        if (strcmp(report->sheets[i].key, sheet) == 0) {
            fm_sheet_csv(&report->sheets[i], &report->arena, out);
            return true;
        }
    return false;
}
