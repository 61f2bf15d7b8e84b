/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/order.h"

#include <string.h>

int fm_compare_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

int fm_fields_compare(const struct fm_fields *fields, const void *a, const void *b, enum fm_field_merge which)
{
    int order = 0;
    for (size_t i = 0; !order && i < fields->n; i++) {
        const struct fm_field *field = &fields->list[i];
        if (field->merge != which || field->kind == FM_FIELD_RETIRED)
            continue;
        order = field->kind == FM_FIELD_TEXT ? fm_compare_text(*fm_field_text(field, a), *fm_field_text(field, b))
                                             : fm_compare_number(fm_field_get(field, a), fm_field_get(field, b));
    }
    return order;
}

int fm_site_compare(const struct fm_site *a, const struct fm_site *b)
{
    int order = fm_compare_text(a->module, b->module);
    if (!order)
        order = fm_compare_text(a->build_id, b->build_id);
    return order ? order : fm_compare_number(a->offset, b->offset);
}

int fm_misuse_compare(const struct fm_misuse *a, const struct fm_misuse *b)
{
    return a->kind != b->kind ? fm_compare_number(a->kind, b->kind) : fm_site_compare(&a->site, &b->site);
}

int fm_event_key_compare(const struct fm_event_key *a, const struct fm_event_key *b)
{
    int order = fm_compare_text(a->routine, b->routine);
    if (!order)
        order = fm_compare_text(a->region, b->region);
    if (!order)
        order = fm_compare_number(a->size_bin, b->size_bin);
    if (!order)
        order = fm_compare_number(a->comm_size, b->comm_size);
    return order ? order : fm_site_compare(&a->site, &b->site);
}

int fm_edge_compare(const struct fm_edge *a, const struct fm_edge *b)
{
    return fm_compare_number((uint64_t)a->from << 32 | a->to, (uint64_t)b->from << 32 | b->to);
}

int fm_note_compare(const struct fm_note *a, const struct fm_note *b)
{
    int order = fm_compare_number(a->code, b->code);
    if (!order)
        order = fm_compare_text(a->argument, b->argument);
    return order ? order : fm_compare_text(a->text, b->text);
}

/* By rank and pid, then by everything else, so that the result does not depend on the order of merging. */
int fm_process_compare(const struct fm_process *a, const struct fm_process *b)
{
    if (a->rank != b->rank)
        return fm_compare_number(a->rank, b->rank);
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return fm_fields_compare(&fm_process_fields, a, b, FM_MERGE_KEY);
}

static int snapshot_content_compare(const struct fm_snapshot *a, const struct fm_snapshot *b)
{
    int order = fm_compare_number(a->when_ns, b->when_ns);
    if (!order)
        order = fm_compare_number(a->mpi_ns, b->mpi_ns);
    if (!order)
        order = fm_compare_number(a->ranks, b->ranks);
    if (!order)
        order = fm_compare_number(a->n_routines, b->n_routines);
    for (size_t i = 0; !order && i < a->n_routines; i++) {
        const struct fm_snapshot_routine *x = &a->routines[i], *y = &b->routines[i];
        order = fm_compare_text(x->name, y->name);
        if (!order)
            order = fm_compare_number(x->count, y->count);
        if (!order)
            order = fm_compare_number(x->total_ns, y->total_ns);
        if (!order)
            order = fm_compare_number(x->bytes, y->bytes);
    }
    return order;
}

int fm_snapshot_compare(const struct fm_snapshot *a, const struct fm_snapshot *b)
{
    if (!a->collective != !b->collective)
        return a->collective ? -1 : 1;
    int order = fm_compare_text(a->label, b->label);
    if (!order)
        order = fm_compare_number(a->order, b->order);
    if (!order)
        order = fm_compare_number(a->rank, b->rank);
    return order || a->collective ? order : snapshot_content_compare(a, b);
}

int fm_job_compare(const struct fm_job *a, const struct fm_job *b)
{
    int order = fm_fields_compare(&fm_job_fields, a, b, FM_MERGE_FIRST);
    if (!order)
        order = fm_compare_number(a->n_argv, b->n_argv);
    for (size_t i = 0; !order && i < a->n_argv; i++)
        order = fm_compare_text(a->argv[i], b->argv[i]);
    if (!order)
        order = fm_compare_number(a->n_env, b->n_env);
    for (size_t i = 0; !order && i < a->n_env; i++) {
        order = fm_compare_text(a->env[i].name, b->env[i].name);
        if (!order)
            order = fm_compare_text(a->env[i].value, b->env[i].value);
    }
    return order;
}
