#include "site/store/made_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t below(uint64_t *state, uint64_t n)
{
    return next(state) % n;
}

/* Between 10^low and 10^high, all magnitudes alike. */
static double spread(uint64_t *state, double low, double high)
{
    double value = pow(10, low + (high - low) * (double)below(state, 1000000) / 1e6);
    return rint(value * 1e6) / 1e6;
}

static const char *text(struct fm_record *record, const char *format, unsigned long long number)
{
    char made[64];
    snprintf(made, sizeof made, format, number);
    return fm_arena_strndup(&record->arena, made, strlen(made));
}

/* Whatever the table has, so that a new field is tested by being there. */
static void fill_fields(struct fm_record *record, uint64_t *state)
{
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++) {
        const struct fm_record_field *field = &fm_record_fields[i];
        char *at = (char *)record + field->offset;
        if (below(state, 12) == 0) /* stays unknown */
            continue;
        if (field->kind == FM_RECORD_KIND_TEXT)
            *(const char **)(void *)at = text(record, "text %llu", below(state, 20));
        else if (field->kind == FM_RECORD_KIND_WHOLE)
            *(int64_t *)(void *)at = (int64_t)spread(state, 0, 12);
        else if (field->kind == FM_RECORD_KIND_SECONDS)
            *(double *)(void *)at = spread(state, -3, 5);
        else if (field->kind == FM_RECORD_KIND_FRACTION)
            *(double *)(void *)at = (double)below(state, 1001) / 1000;
        else if (field->kind == FM_RECORD_KIND_FLAG)
            *(int *)(void *)at = (int)below(state, 2);
    }
}

static void fill_job(struct fm_record *record, uint64_t *state, int64_t started)
{
    static const char *const languages[] = {"C", "Fortran", "C++"};
    static const char *const mpis[] = {"Open MPI 4.1.4", "MPICH 4.0.2", "Intel MPI 2021.9"};
    char key[40];
    snprintf(key, sizeof key, "%016llx%016llx", (unsigned long long)next(state), (unsigned long long)next(state));
    record->key = fm_arena_strndup(&record->arena, key, strlen(key));
    uint64_t user = below(state, 20) * below(state, 20);
    record->user = text(record, "user%03llu", user);
    record->job_id = text(record, "%llu", below(state, 10000000));
    record->program = text(record, "program%llu", user % 40);
    record->language = languages[user % 3];
    record->mpi = mpis[below(state, 3)];
    record->compiler = "GNU Fortran 12.2.0";
    record->launcher = "mpirun";
    record->tool = below(state, 50) ? "" : "Score-P";
    record->end = "";
    record->command = "";
    record->commit_id = "";
    record->version = "0.1.0";
    record->sample_weight = NAN;
    record->started = started + (int64_t)below(state, 3600);
    record->wall_s = spread(state, (double)(user % 4), (double)(user % 4) + 0.7); /* users repeat themselves */
    record->ended = record->started + (int64_t)record->wall_s;
    record->ranks = (int64_t)1 << (user + below(state, 2)) % 10;
    if (below(state, 8) == 0)
        record->ranks += (int64_t)below(state, (uint64_t)record->ranks);
    record->hosts = (record->ranks + 47) / 48;
    record->cpu_s = record->wall_s * (double)record->ranks;
    record->mpi_s = rint(record->cpu_s * (double)below(state, 400)) / 1000;
}

static void fill_lists(struct fm_record *record, uint64_t *state)
{
    static const char *const routines[] = {"MPI_Allreduce",   "MPI_Bcast",     "MPI_Waitall", "MPI_Isend",
                                           "MPI_Irecv",       "MPI_Send",      "MPI_Recv",    "MPI_Barrier",
                                           "MPI_Reduce",      "MPI_Gather",    "MPI_Wtime",   "MPI_Alltoallv",
                                           "MPI_Cart_create", "MPI_Comm_split"};
    static const char *const rules[] = {"late-sender", "barrier", "load-imbalance", "small-messages"};
    struct fm_arena *arena = &record->arena;
    record->n_routines = 4 + below(state, 11);
    record->routines = fm_arena_alloc(arena, record->n_routines * sizeof *record->routines);
    for (size_t i = 0; i < record->n_routines; i++) {
        double calls = spread(state, 0, 7);
        record->routines[i] = (struct fm_record_routine){routines[i],
                                                         (int64_t)calls,
                                                         i % 3 ? (int64_t)(calls * 800) : -1,
                                                         i % 3 ? (int64_t)(calls * 100) : -1,
                                                         spread(state, -5, 4),
                                                         i % 2 ? (int64_t)calls * record->ranks : -1};
    }
    record->n_findings = below(state, 4);
    record->findings = fm_arena_alloc(arena, record->n_findings * sizeof *record->findings);
    for (size_t i = 0; i < record->n_findings; i++)
        record->findings[i] = (struct fm_record_finding){rules[below(state, 4)],
                                                         "Ranks wait for others; \"quoted\"; 5 % of the time.",
                                                         "solve",
                                                         below(state, 5) ? "pcg.f90" : "",
                                                         (int64_t)below(state, 500),
                                                         spread(state, -1, 4),
                                                         1};
    record->n_host_list = record->hosts < 8 ? (size_t)record->hosts : 8;
    record->host_list = fm_arena_alloc(arena, record->n_host_list * sizeof *record->host_list);
    for (size_t i = 0; i < record->n_host_list; i++)
        record->host_list[i] = (struct fm_record_host){text(record, "node%04llu", i * 100 + below(state, 100)), 48,
                                                       below(state, 9) ? 0.9 + (double)below(state, 200) / 1000 : NAN};
    record->n_settings = below(state, 3);
    record->settings = fm_arena_alloc(arena, record->n_settings * sizeof *record->settings);
    for (size_t i = 0; i < record->n_settings; i++)
        record->settings[i] = (struct fm_record_setting){i ? "UCX_TLS" : "OMPI_MCA_pml", "ucx"};
}

void fm_made_record(struct fm_record *record, uint64_t *state, int64_t started)
{
    fm_record_init(record);
    fill_fields(record, state);
    fill_job(record, state, started);
    fill_lists(record, state);
}
