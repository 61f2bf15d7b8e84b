/* What ran, where and as which processes; and what Fathom notes of it. */
#include "format/sections.h"

void fm_put_job(struct fm_writer *w)
{
    const struct fm_job *job = &w->profile->job;
    fm_put_fields(w, &fm_job_fields, job, 1, sizeof *job);
    fm_put_number(w, job->n_argv);
    fm_put_fields(w, &fm_text_fields, job->argv, job->n_argv, sizeof *job->argv);
    fm_put_number(w, job->n_env);
    fm_put_fields(w, &fm_name_value_fields, job->env, job->n_env, sizeof *job->env);
}

void fm_get_job(struct fm_reader *r)
{
    struct fm_job *job = &r->profile->job;
    fm_get_fields(r, &fm_job_fields, job, 1, sizeof *job);
    size_t n = fm_get_count(r, 1);
    job->argv = fm_reader_take(r, &r->profile->arena, n, sizeof *job->argv);
    fm_get_fields(r, &fm_text_fields, job->argv, n, sizeof *job->argv);
    job->n_argv = n;
    n = fm_get_count(r, 2);
    job->env = fm_reader_take(r, &r->profile->arena, n, sizeof *job->env);
    fm_get_fields(r, &fm_name_value_fields, job->env, n, sizeof *job->env);
    job->n_env = n;
}

void fm_put_hosts(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    fm_put_number(w, p->n_hosts);
    fm_put_fields(w, &fm_host_fields, p->hosts, p->n_hosts, sizeof *p->hosts);
    if (p->n_hosts)
        fm_put_ranksets(w, &p->hosts->ranks, p->n_hosts, sizeof *p->hosts);
}

void fm_get_hosts(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_host_fields));
    p->hosts = fm_reader_take(r, &p->arena, n, sizeof *p->hosts);
    if (fm_reader_stopped(r) || !n)
        return;
    p->n_hosts = p->hosts_capacity = n;
    fm_get_fields(r, &fm_host_fields, p->hosts, n, sizeof *p->hosts);
    fm_get_ranksets(r, &p->hosts->ranks, n, sizeof *p->hosts);
}

void fm_put_processes(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    fm_put_number(w, p->n_processes);
    fm_put_fields(w, &fm_process_fields, p->processes, p->n_processes, sizeof *p->processes);
}

void fm_get_processes(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_process_fields));
    p->processes = fm_reader_take(r, &p->arena, n, sizeof *p->processes);
    if (fm_reader_stopped(r) || !n)
        return;
    p->n_processes = p->processes_capacity = n;
    fm_get_fields(r, &fm_process_fields, p->processes, n, sizeof *p->processes);
    for (size_t i = 0; i < n; i++) {
        if (p->processes[i].end <= FM_END_MISSING)
            continue;
        p->processes[i].end = FM_END_UNKNOWN;
        p->left_out.values++;
    }
}

void fm_put_grid(struct fm_writer *w)
{
    fm_put_fields(w, &fm_grid_fields, &w->profile->job.cart, 1, sizeof w->profile->job.cart);
}

void fm_get_grid(struct fm_reader *r)
{
    fm_get_fields(r, &fm_grid_fields, &r->profile->job.cart, 1, sizeof r->profile->job.cart);
}

void fm_put_notes(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    fm_put_number(w, p->n_notes);
    fm_put_fields(w, &fm_note_fields, p->notes, p->n_notes, sizeof *p->notes);
    if (p->n_notes)
        fm_put_ranksets(w, &p->notes->ranks, p->n_notes, sizeof *p->notes);
}

void fm_get_notes(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_note_fields));
    p->notes = fm_reader_take(r, &p->arena, n, sizeof *p->notes);
    if (fm_reader_stopped(r) || !n)
        return;
    p->n_notes = p->notes_capacity = n;
    fm_get_fields(r, &fm_note_fields, p->notes, n, sizeof *p->notes);
    fm_get_ranksets(r, &p->notes->ranks, n, sizeof *p->notes);
}
