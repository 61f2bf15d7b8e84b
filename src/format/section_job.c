/* SPDX-License-Identifier: BSD-3-Clause */
/* The job and its processes. */
#include "format/sections.h"

void fm_put_job(struct fm_column_writer *w)
{
    const struct fm_job *job = &w->profile->job;
    fm_put_fields(w, &fm_job_fields, job, 1, sizeof *job);
    fm_put_number(w, job->n_argv);
    fm_put_fields(w, &fm_text_fields, job->argv, job->n_argv, sizeof *job->argv);
    fm_put_number(w, job->n_env);
    fm_put_fields(w, &fm_name_value_fields, job->env, job->n_env, sizeof *job->env);
}

void fm_get_job(struct fm_column_reader *r)
{
    struct fm_job *job = &r->profile->job;
    fm_get_fields(r, &fm_job_fields, job, 1, sizeof *job);
    size_t n = fm_get_count(r, 1);
    job->argv = fm_column_reader_take(r, &r->profile->arena, n, sizeof *job->argv);
    fm_get_fields(r, &fm_text_fields, job->argv, n, sizeof *job->argv);
    job->n_argv = n;
    n = fm_get_count(r, 2);
    job->env = fm_column_reader_take(r, &r->profile->arena, n, sizeof *job->env);
    fm_get_fields(r, &fm_name_value_fields, job->env, n, sizeof *job->env);
    job->n_env = n;
}

void fm_put_processes(struct fm_column_writer *w)
{
    fm_put_list(w, &fm_list_processes);
}

/* A newer Fathom may have more values of enum fm_end. */
void fm_get_processes(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    fm_get_list(r, &fm_list_processes);
    for (size_t i = 0; i < p->n_processes; i++) {
        if (p->processes[i].end <= FM_END_MISSING)
            continue;
        p->processes[i].end = FM_END_UNKNOWN;
        p->left_out.values++;
    }
}

void fm_put_grid(struct fm_column_writer *w)
{
    fm_put_fields(w, &fm_grid_fields, &w->profile->job.cart, 1, sizeof w->profile->job.cart);
}

void fm_get_grid(struct fm_column_reader *r)
{
    fm_get_fields(r, &fm_grid_fields, &r->profile->job.cart, 1, sizeof r->profile->job.cart);
}
