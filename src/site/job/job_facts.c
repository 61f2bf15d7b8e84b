/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record says of the whole job. Names are those that the store gave it: its user is the one that is vouched for. */
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "site/job/job.h"

static void tell(struct fm_facts *facts, const char *name, const char *text)
{
    if (*text)
        fm_fact_add(facts, name, NULL, "%s", text);
}

static void tell_date(struct fm_facts *facts, const char *name, int64_t seconds)
{
    char text[FM_UNIT_CHARS];
    if (seconds > 0)
        tell(facts, name, fm_date_text(text, (uint64_t)seconds * 1000000000));
}

static void tell_count(struct fm_facts *facts, const char *name, int64_t count)
{
    char text[FM_UNIT_CHARS];
    if (count >= 0)
        fm_fact_add(facts, name, fm_count_text(text, (uint64_t)count), "%s", "");
}

static void tell_bytes(struct fm_facts *facts, const char *name, int64_t bytes, const char *note)
{
    char text[FM_UNIT_CHARS];
    if (bytes >= 0)
        fm_fact_add(facts, name, fm_bytes_text(text, (double)bytes), "%s", note);
}

static void tell_time(struct fm_facts *facts, const char *name, double seconds, double of_s)
{
    char text[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    if (isnan(seconds))
        return;
    fm_time_text(text, seconds * 1e9);
    if (of_s > 0)
        fm_fact_add(facts, name, text, "%s", fm_percent_fine(share, seconds / of_s));
    else
        fm_fact_add(facts, name, text, "%s", "");
}

static void tell_share(struct fm_facts *facts, const char *name, double fraction)
{
    char text[FM_UNIT_CHARS];
    if (!isnan(fraction))
        fm_fact_add(facts, name, fm_percent_text(text, fraction), "%%");
}

static void tell_identity(struct fm_facts *facts, const struct fm_site_job *job, const struct fm_record *record)
{
    fm_fact_add(facts, "number", NULL, "%" PRId64, job->id);
    tell(facts, "batch id", record->job_id);
    fm_fact_add(facts, "user", NULL, "%s (uid %" PRId64 ")", job->record.user, job->uid);
    tell(facts, "account", record->account);
    tell(facts, "partition", record->partition);
    tell(facts, "program", record->program);
    tell(facts, "  command", record->command);
    tell(facts, "  build id", record->build_id);
    tell(facts, "  commit", record->commit_id);
    tell(facts, "  language", record->language);
    tell(facts, "  compiler", record->compiler);
    tell(facts, "MPI", record->mpi);
    tell(facts, "launcher", record->launcher);
    tell(facts, "other tool", record->tool);
    tell(facts, "Fathom", record->version);
    tell_date(facts, "started", record->started);
    tell_date(facts, "ended", record->ended);
    tell(facts, "  end", record->complete == 0 && !*record->end ? "not all ranks finished" : record->end);
    if (job->weight > 1)
        fm_fact_number(facts, "stands for", job->weight, 1, "jobs: the site thins");
}

static double zero_if_unknown(double seconds)
{
    return isnan(seconds) ? 0 : seconds;
}

/* What is left of the sum: time in MPI by the clock contains time without a core, which is told by itself. */
static double transfer_s(const struct fm_record *record)
{
    double others_s = record->program_s + record->waiting_s + zero_if_unknown(record->io_s) +
                      zero_if_unknown(record->no_cpu_s);
    return fmax(record->cpu_s - others_s, isnan(others_s) ? NAN : 0);
}

static void tell_times(struct fm_facts *facts, const struct fm_record *record)
{
    double cpu_s = record->cpu_s;
    tell_count(facts, "ranks", record->ranks);
    tell_count(facts, "hosts", record->hosts);
    tell_count(facts, "cores", record->cores);
    tell_time(facts, "wall time", record->wall_s, NAN);
    tell_time(facts, "sum over ranks", cpu_s, NAN);
    tell_time(facts, "  program", record->program_s, cpu_s);
    tell_time(facts, "  waiting in MPI, estimated", record->waiting_s, cpu_s);
    tell_time(facts, "  transfer in MPI, estimated", transfer_s(record), cpu_s);
    tell_time(facts, "  file I/O", record->io_s, cpu_s);
    tell_time(facts, "  without a core", record->no_cpu_s, cpu_s);
    tell_time(facts, "in MPI, with a core or not", record->mpi_s, cpu_s);
    tell_time(facts, "overhead of Fathom", record->overhead_s, cpu_s);
    tell_share(facts, "parallel efficiency", record->parallel);
    tell_share(facts, "  load balance", record->load_balance);
    tell_share(facts, "  communication", record->communication);
    tell_share(facts, "    serialisation", record->serialisation);
    tell_share(facts, "    transfer", record->transfer);
}

static void tell_rate(struct fm_facts *facts, const char *name, int64_t events, double seconds)
{
    if (events >= 0 && seconds > 0)
        fm_fact_number(facts, name, (double)events / seconds / 1e6, 1, "million/s per rank");
}

static void tell_resources(struct fm_facts *facts, const struct fm_record *record)
{
    tell_bytes(facts, "read from files", record->read_bytes, "");
    tell_bytes(facts, "written to files", record->written_bytes, "");
    tell_count(facts, "calls of file I/O", record->io_calls);
    tell_bytes(facts, "memory", record->memory_bytes, "at most, of a rank");
    tell_bytes(facts, "  of the host", record->host_memory_bytes, "of the one with the least free");
    tell_rate(facts, "instructions", record->instructions, record->counted_s);
    tell_rate(facts, "floating point", record->fp_instructions, record->counted_s);
    tell_rate(facts, "level-2 misses", record->l2_misses, record->counted_s);
    tell_rate(facts, "cycles", record->cycles, record->counted_s);
    tell_rate(facts, "instructions in MPI", record->instructions_mpi, record->mpi_s);
}

void fm_job_report_facts(struct fm_job_report *report)
{
    tell_identity(&report->facts, &report->job, &report->record);
    tell_times(&report->facts, &report->record);
    tell_resources(&report->facts, &report->record);
}
