/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a job's record that are one value each, one line of the table for every field: its place in JSON, its
 * member of struct fm_record and its column in the database (they have the same name), and what a roll-up does with it.
 *
 *   X(kind, section, key, member, roll-up)
 *
 * kind      TEXT      "" is unknown
 *           WHOLE     int64_t, -1 is unknown
 *           SECONDS   double; NAN is unknown, as for FRACTION
 *           FRACTION  double
 *           TIME      int64_t: seconds since 1970; in JSON "2026-11-15T02:00:00Z"; -1 is unknown
 *           FLAG      int: 0, 1, -1 is unknown
 * section   object of the document, key: in it; both as in the contract (doc/JSON.md) where it has them
 * roll-up   NONE; SUM: added over jobs
 *
 * Fields are only added. A reader takes those it knows and leaves what is missing unknown. */
#ifndef FM_SITE_RECORD_FIELDS_H
#define FM_SITE_RECORD_FIELDS_H

/* clang-format off */
#define FM_RECORD_FIELDS(X) \
    X(TEXT,     "job", "key",               key,              NONE) /* identifies the job: 32 hexadecimal digits */ \
    X(TEXT,     "job", "id",                job_id,           NONE) /* of the batch system, else date and pid */ \
    X(TEXT,     "job", "user",              user,             NONE) \
    X(TEXT,     "job", "account",           account,          NONE) \
    X(TEXT,     "job", "partition",         partition,        NONE) \
    X(TEXT,     "job", "program",           program,          NONE) /* name of the executable without its directory */ \
    X(TEXT,     "job", "build_id",          build_id,         NONE) \
    X(TEXT,     "job", "path_hash",         path_hash,        NONE) /* of the executable's path: 16 hexadecimal digits */ \
    X(TEXT,     "job", "commit",            commit_id,        NONE) \
    X(TEXT,     "job", "command",           command,          NONE) /* arguments, if the site records them */ \
    X(TEXT,     "job", "launcher",          launcher,         NONE) \
    X(TEXT,     "job", "mpi",               mpi,              NONE) \
    X(TEXT,     "job", "language",          language,         NONE) \
    X(TEXT,     "job", "compiler",          compiler,         NONE) \
    X(TEXT,     "job", "tool",              tool,             NONE) /* another PMPI tool */ \
    X(TEXT,     "job", "end",               end,              NONE) /* how the ranks that did not finish ended */ \
    X(TEXT,     "job", "version",           version,          NONE) /* of the Fathom that measured */ \
    X(TIME,     "job", "started",           started,          NONE) \
    X(TIME,     "job", "ended",             ended,            NONE) \
    X(WHOLE,    "job", "ranks",             ranks,            SUM)  \
    X(WHOLE,    "job", "hosts",             hosts,            NONE) \
    X(WHOLE,    "job", "cores",             cores,            NONE) /* that the ranks could use */ \
    X(FLAG,     "job", "complete",          complete,         NONE) \
    X(FRACTION, "job", "weight",            sample_weight,    NONE) /* jobs that it stands for, if the sender leaves some out */ \
    X(SECONDS,  "job", "wall_s",            wall_s,           NONE) \
    X(SECONDS,  "job", "wall_sum_s",        cpu_s,            SUM)  /* sum over ranks of the wall time */ \
    X(SECONDS,  "job", "overhead_s",        overhead_s,       SUM)  /* sum over ranks of what Fathom took */ \
    X(SECONDS,  "mpi", "time_s",            mpi_s,            SUM)  \
    X(SECONDS,  "split", "program_s",       program_s,        SUM)  \
    X(SECONDS,  "split", "waiting_s",       waiting_s,        SUM)  /* in MPI; time without a CPU is in no_cpu_s alone */ \
    X(SECONDS,  "split", "io_s",            io_s,             SUM)  \
    X(SECONDS,  "split", "no_cpu_s",        no_cpu_s,         SUM)  \
    X(FRACTION, "efficiency", "parallel",      parallel,      NONE) \
    X(FRACTION, "efficiency", "load_balance",  load_balance,  NONE) \
    X(FRACTION, "efficiency", "communication", communication, NONE) \
    X(FRACTION, "efficiency", "serialisation", serialisation, NONE) \
    X(FRACTION, "efficiency", "transfer",      transfer,      NONE) \
    X(WHOLE,    "io", "read_bytes",         read_bytes,       SUM)  \
    X(WHOLE,    "io", "written_bytes",      written_bytes,    SUM)  \
    X(WHOLE,    "io", "calls",              io_calls,         SUM)  \
    X(WHOLE,    "memory", "high_water_bytes", memory_bytes,   NONE) /* the highest of a rank */ \
    X(WHOLE,    "memory", "host_bytes",     host_memory_bytes, NONE) /* of the host with the least free */ \
    X(WHOLE,    "counters", "instructions",     instructions,     SUM) /* outside MPI, as the next ones */ \
    X(WHOLE,    "counters", "fp_instructions",  fp_instructions,  SUM) \
    X(WHOLE,    "counters", "l2_misses",        l2_misses,        SUM) \
    X(WHOLE,    "counters", "cycles",           cycles,           SUM) \
    X(WHOLE,    "counters", "instructions_mpi", instructions_mpi, SUM) \
    X(SECONDS,  "counters", "time_s",       counted_s,        SUM)  /* time outside MPI during which they counted */
/* clang-format on */

#endif
