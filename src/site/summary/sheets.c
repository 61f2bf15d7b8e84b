/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a summary. */
#include <string.h>

#include "site/summary/sheet.h"

#define RATIO(a, b) "SUM(" a ") / NULLIF(SUM(" b "), 0)"
#define SHARE(a) "SUM(" a ") / NULLIF(SUM(SUM(" a ")) OVER (), 0)"
#define NS(a) "SUM(" a ") * 1e3"

#define JOBS                                           \
    {                                                  \
        {"jobs", "jobs", FM_COLUMN_COUNT}, "SUM(jobs)" \
    }
#define JOBS_SHARE                                                                         \
    {                                                                                      \
        {"% of jobs", "jobs_fraction", FM_COLUMN_PERCENT}, "SUM(jobs) / NULLIF({jobs}, 0)" \
    }
#define CPU                                                 \
    {                                                       \
        {"CPU time", "cpu_s", FM_COLUMN_TIME}, NS("cpu_us") \
    }
#define CPU_SHARE                                                                             \
    {                                                                                         \
        {"% of time", "cpu_fraction", FM_COLUMN_PERCENT}, "SUM(cpu_us) / NULLIF({cpu_us}, 0)" \
    }
#define MPI                                                 \
    {                                                       \
        {"MPI time", "mpi_s", FM_COLUMN_TIME}, NS("mpi_us") \
    }
#define MPI_SHARE                                                               \
    {                                                                           \
        {"% MPI", "mpi_fraction", FM_COLUMN_PERCENT}, RATIO("mpi_us", "cpu_us") \
    }
#define CAPACITY                                                                                \
    {                                                                                           \
        {"% of machine", "capacity_fraction", FM_COLUMN_PERCENT}, "SUM(cpu_us) / {capacity_us}" \
    }
/* Unknown if no job of the row tells its time outside MPI. */
#define IF_KNOWN(a) "CASE WHEN SUM(program_us) > 0 THEN " a " END"
#define EFFICIENCY                                                                                      \
    {                                                                                                   \
        {"% efficient", "efficiency", FM_COLUMN_PERCENT}, IF_KNOWN("1 - " RATIO("wasted_us", "cpu_us")) \
    }
/* In the order of the rows: the share of the first n. */
#define CPU_SO_FAR                                                                                             \
    {                                                                                                          \
        {"% so far", "cpu_fraction_so_far", FM_COLUMN_PERCENT},                                                \
            "SUM(SUM(cpu_us)) OVER (ORDER BY SUM(cpu_us) DESC ROWS UNBOUNDED PRECEDING) / NULLIF({cpu_us}, 0)" \
    }
#define OF_FORTRAN(a)                                                                                     \
    "SUM(CASE WHEN language_id = (SELECT id FROM names WHERE name = 'Fortran') THEN " a " ELSE 0 END) / " \
    "NULLIF(SUM(" a "), 0)"
#define FORTRAN_JOBS                                                                       \
    {                                                                                      \
        {"% jobs Fortran", "fortran_jobs_fraction", FM_COLUMN_PERCENT}, OF_FORTRAN("jobs") \
    }
#define FORTRAN_TIME                                                                        \
    {                                                                                       \
        {"% time Fortran", "fortran_cpu_fraction", FM_COLUMN_PERCENT}, OF_FORTRAN("cpu_us") \
    }
#define WASTED                                                            \
    {                                                                     \
        {"wasted", "wasted_s", FM_COLUMN_TIME}, IF_KNOWN(NS("wasted_us")) \
    }
#define RANKS_PER_JOB                                                          \
    {                                                                          \
        {"ranks/job", "ranks_per_job", FM_COLUMN_MEAN}, RATIO("ranks", "jobs") \
    }
#define RANKS_WEIGHTED                                                                  \
    {                                                                                   \
        {"weighted", "ranks_weighted", FM_COLUMN_MEAN}, RATIO("ranks_cpu_us", "cpu_us") \
    }
#define INSTRUCTIONS                                                                            \
    {                                                                                           \
        {"Minstr/s", "instruction_rate_m", FM_COLUMN_MEAN}, RATIO("instructions", "counted_us") \
    }
#define FP                                                                             \
    {                                                                                  \
        {"Mfp/s", "fp_rate_m", FM_COLUMN_MEAN}, RATIO("fp_instructions", "counted_us") \
    }
#define MISSES                                                                            \
    {                                                                                     \
        {"ML2miss/s", "l2_miss_rate_m", FM_COLUMN_MEAN}, RATIO("l2_misses", "counted_us") \
    }

const struct fm_sheet_kind fm_sheet_kinds[] = {
    {"users",
     "Users",
     FM_ROLLUP_JOBS,
     "user_id",
     FM_LABEL_NAME,
     0,
     "SUM(cpu_us) DESC",
     NULL,
     {"user", "user", FM_COLUMN_KEY},
     {JOBS, CPU, CPU_SHARE, CPU_SO_FAR, CAPACITY, MPI, MPI_SHARE, EFFICIENCY, WASTED, INSTRUCTIONS, FP, MISSES}},
    {"users_by_rate",
     "Users by their rate of instructions",
     FM_ROLLUP_JOBS,
     "user_id",
     FM_LABEL_NAME,
     0,
     NULL,
     "users",
     {"user", "user", FM_COLUMN_KEY},
     {INSTRUCTIONS, FP, MISSES, MPI_SHARE, EFFICIENCY, CPU, CPU_SHARE, CAPACITY}},
    {"programs",
     "Programs",
     FM_ROLLUP_JOBS,
     "program_id",
     FM_LABEL_NAME,
     0,
     IF_KNOWN("SUM(wasted_us)") " DESC NULLS LAST, SUM(cpu_us) DESC",
     NULL,
     {"program", "program", FM_COLUMN_KEY},
     {JOBS, CPU, CPU_SHARE, MPI_SHARE, EFFICIENCY, WASTED, INSTRUCTIONS, FP, MISSES}},
    {"languages",
     "Languages",
     FM_ROLLUP_JOBS,
     "language_id",
     FM_LABEL_NAME,
     0,
     "SUM(cpu_us) DESC",
     NULL,
     {"language", "language", FM_COLUMN_KEY},
     {JOBS,
      JOBS_SHARE,
      CPU,
      CPU_SHARE,
      MPI_SHARE,
      RANKS_PER_JOB,
      RANKS_WEIGHTED,
      /* from another roll-up: summary.c */
      {{"routines", "routines", FM_COLUMN_COUNT}, "CAST(NULL AS REAL)"}}},
    {"ranks",
     "Numbers of ranks",
     FM_ROLLUP_JOBS,
     "ranks_class",
     FM_LABEL_RANKS,
     0,
     "ranks_class",
     NULL,
     {"ranks", "ranks", FM_COLUMN_KEY},
     {JOBS, JOBS_SHARE, CPU, CPU_SHARE, MPI, MPI_SHARE, EFFICIENCY, WASTED}},
    {"cpu_classes",
     "CPU time per job",
     FM_ROLLUP_JOBS,
     "cpu_class",
     FM_LABEL_CPU,
     0,
     "cpu_class",
     NULL,
     {"CPU time per job", "cpu_class", FM_COLUMN_KEY},
     {JOBS, JOBS_SHARE, CPU, CPU_SHARE, MPI_SHARE, FORTRAN_JOBS, FORTRAN_TIME, EFFICIENCY, WASTED}},
    {"groups",
     "Groups of MPI routines",
     FM_ROLLUP_GROUPS,
     "group_number",
     FM_LABEL_GROUP,
     0,
     "group_number",
     NULL,
     {"group", "group", FM_COLUMN_KEY},
     {JOBS,
      {{"in % of jobs", "jobs_fraction", FM_COLUMN_PERCENT}, "SUM(jobs) / NULLIF({jobs}, 0)"},
      {{"% by CPU time", "cpu_fraction", FM_COLUMN_PERCENT}, "SUM(cpu_us) / NULLIF({cpu_us}, 0)"}}},
    {"routines",
     "MPI routines",
     FM_ROLLUP_ROUTINES,
     "routine_id",
     FM_LABEL_NAME,
     0,
     "SUM(time_us) DESC",
     NULL,
     {"routine", "name", FM_COLUMN_KEY},
     {{{"calls", "calls", FM_COLUMN_COUNT}, "SUM(calls)"},
      {{"calls/rank", "calls_per_rank", FM_COLUMN_MEAN}, "SUM(calls) / NULLIF({ranks}, 0)"},
      {{"time", "time_s", FM_COLUMN_TIME}, NS("time_us")},
      {{"% of MPI", "mpi_fraction", FM_COLUMN_PERCENT}, SHARE("time_us")},
      {{"time/call", "time_per_call_s", FM_COLUMN_TIME}, "SUM(time_us) * 1e3 / NULLIF(SUM(calls), 0)"},
      {{"counts", "count_arguments", FM_COLUMN_COUNT}, "NULLIF(SUM(counts), 0)"},
      {{"bytes", "bytes", FM_COLUMN_BYTES}, "NULLIF(SUM(bytes), 0)"},
      {{"bytes/call", "bytes_per_call", FM_COLUMN_BYTES}, "NULLIF(SUM(bytes), 0) / NULLIF(SUM(calls), 0)"},
      {{"jobs", "jobs", FM_COLUMN_COUNT}, "SUM(jobs)"}}},
    {"findings",
     "Findings",
     FM_ROLLUP_RULES,
     "rule_id",
     FM_LABEL_NAME,
     0,
     "SUM(cost_us) DESC",
     NULL,
     {"finding", "rule", FM_COLUMN_KEY},
     {JOBS,
      {{"costs", "cost_s", FM_COLUMN_TIME}, NS("cost_us")},
      {{"% of time", "cpu_fraction", FM_COLUMN_PERCENT}, "SUM(cost_us) / NULLIF({cpu_us}, 0)"}}},
    {"hosts",
     "Hosts, slowest first",
     FM_ROLLUP_HOSTS,
     "host_id",
     FM_LABEL_NAME,
     0,
     "SUM(slowness_ppm) / NULLIF(SUM(slowness_jobs), 0) DESC NULLS LAST",
     NULL,
     {"host", "host", FM_COLUMN_KEY},
     {JOBS,
      {{"ranks", "ranks", FM_COLUMN_COUNT}, "SUM(ranks)"},
      {{"compared", "compared_jobs", FM_COLUMN_COUNT}, "SUM(slowness_jobs)"},
      {{"% slower", "slower", FM_COLUMN_PERCENT}, "SUM(slowness_ppm) / NULLIF(SUM(slowness_jobs), 0) / 1e6 - 1"}}},
    {"mpi_libraries",
     "MPI libraries",
     FM_ROLLUP_SETTINGS,
     "name_id",
     FM_LABEL_SETTING,
     FM_SETTING_MPI,
     "SUM(cpu_us) DESC",
     NULL,
     {"MPI", "mpi", FM_COLUMN_KEY},
     {JOBS, JOBS_SHARE, CPU, CPU_SHARE}},
    {"compilers",
     "Compilers",
     FM_ROLLUP_SETTINGS,
     "name_id",
     FM_LABEL_SETTING,
     FM_SETTING_COMPILER,
     "SUM(cpu_us) DESC",
     NULL,
     {"compiler", "compiler", FM_COLUMN_KEY},
     {JOBS, JOBS_SHARE, CPU, CPU_SHARE}},
    {"variables",
     "Environment variables of MPI",
     FM_ROLLUP_SETTINGS,
     "name_id",
     FM_LABEL_SETTING,
     FM_SETTING_VARIABLE,
     "SUM(jobs) DESC",
     NULL,
     {"variable", "variable", FM_COLUMN_KEY},
     {JOBS, JOBS_SHARE, CPU_SHARE}},
    {"tools",
     "Other tools on the MPI profiling interface",
     FM_ROLLUP_SETTINGS,
     "name_id",
     FM_LABEL_SETTING,
     FM_SETTING_TOOL,
     "SUM(jobs) DESC",
     NULL,
     {"tool", "tool", FM_COLUMN_KEY},
     {JOBS, JOBS_SHARE, CPU_SHARE}},
};
const size_t fm_n_sheet_kinds = sizeof fm_sheet_kinds / sizeof *fm_sheet_kinds;

const struct fm_sheet_kind *fm_sheet_kind_of(const char *key)
{
    for (size_t i = 0; i < fm_n_sheet_kinds; i++)
        if (strcmp(fm_sheet_kinds[i].key, key) == 0)
            return &fm_sheet_kinds[i];
    return NULL;
}
