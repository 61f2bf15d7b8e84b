#include "model/order.h"

#include <string.h>

int fm_compare_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
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

int fm_process_compare(const struct fm_process *a, const struct fm_process *b)
{
    if (a->rank != b->rank)
        return fm_compare_number(a->rank, b->rank);
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    const uint64_t of_a[] = {a->host,    a->core,      a->end,    (uint32_t)a->end_code, a->wall_ns,
                             a->user_ns, a->system_ns, a->mpi_ns, a->max_rss_bytes,      a->overhead_ns};
    const uint64_t of_b[] = {b->host,    b->core,      b->end,    (uint32_t)b->end_code, b->wall_ns,
                             b->user_ns, b->system_ns, b->mpi_ns, b->max_rss_bytes,      b->overhead_ns};
    for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++)
        if (of_a[i] != of_b[i])
            return fm_compare_number(of_a[i], of_b[i]);
    return fm_compare_text(a->inside, b->inside);
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
    const char *of_a[] = {a->id,       a->run_id, a->exe,         a->build_id, a->cwd,  a->user,
                          a->launcher, a->mpi,    a->mpi_library, a->language, a->tool, a->output};
    const char *of_b[] = {b->id,       b->run_id, b->exe,         b->build_id, b->cwd,  b->user,
                          b->launcher, b->mpi,    b->mpi_library, b->language, b->tool, b->output};
    int order = 0;
    for (size_t i = 0; !order && i < sizeof of_a / sizeof *of_a; i++)
        order = fm_compare_text(of_a[i], of_b[i]);
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
