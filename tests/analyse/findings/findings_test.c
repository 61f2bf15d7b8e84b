/* Each rule on both sides of its threshold, on jobs made by hand. */
#include "analyse/findings/finding.h"

#include "analyse/findings/limits.h"
#include "made_job.h"

static void test_none(void)
{
    struct made_job *job = made_job(1);
    tap_ok(made_none(job), "a job in which nothing is wrong has no findings");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].mpi_ns += rank % 2 * 4 * SECOND;
    tap_ok(made_none(job), "nor has one with differences as in repeated runs");
    made_job_free(job);
    struct fm_profile *empty = fm_profile_create();
    struct made_job *other = made_job(1);
    other->profile = *empty;
    tap_ok(made_none(other), "nor an empty profile");
    free(other);
    fm_profile_destroy(empty);
}

/* Rank 0 to n - 1 spend this many seconds more outside MPI than the others. */
static void more_work(struct made_job *job, uint32_t n, uint64_t seconds)
{
    for (uint32_t rank = 0; rank < n; rank++)
        job->processes[rank].mpi_ns = (20 - seconds) * SECOND;
}

static void test_imbalance(void)
{
    struct made_job *job = made_job(1);
    more_work(job, 3, 10);
    const struct fm_finding *finding = made_finding(job, "imbalance");
    tap_ok(made_ranks(job, finding, "0-2") && made_cost(finding, 5 * 10) && finding->measured && job->found.n == 1,
           "three ranks with more work: the others lose the difference");
    more_work(job, 3, 4);
    tap_ok(made_none(job), "4 %% of the time is chance");
    more_work(job, 7, 10);
    tap_ok(made_none(job), "one rank with less work costs nothing");
    more_work(job, 3, 10);
    for (uint32_t rank = 0; rank < 3; rank++)
        job->processes[rank].user_ns = 80 * SECOND;
    tap_ok(!made_finding(job, "imbalance"), "ranks that wait outside MPI do not compute longer");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++) {
        job->processes[rank].user_ns = 60 * SECOND;
        job->processes[rank].involuntary_switches = 100000;
    }
    tap_ok(!made_finding(job, "imbalance") && made_finding(job, "no-cpu"),
           "without cores nothing is called imbalance, but it is said that they lacked them");
    made_job_free(job);

    job = made_job(1);
    for (uint32_t rank = 1; rank < JOB_RANKS; rank++)
        job->processes[rank].wall_ns -= 30 * SECOND, job->processes[rank].user_ns -= 30 * SECOND;
    finding = made_finding(job, "imbalance");
    tap_ok(made_ranks(job, finding, "0") && made_cost(finding, 7 * 30) && job->found.n == 1,
           "the others wait in MPI_Finalize for one rank");
    job->processes[0].user_ns -= 50 * SECOND;
    tap_ok(!made_finding(job, "imbalance"), "which is not imbalance if that rank does not run");
    job->processes[0].user_ns += 50 * SECOND;
    job->processes[1].end = FM_END_VANISHED;
    tap_ok(!made_finding(job, "imbalance"), "nor known if one of them was killed");
    made_job_free(job);

    job = made_job(1);
    made_calls(job, "MPI_Allreduce", 1, 8, 1000, 1000, 1000, 120 * MS);
    tap_ok(made_cost(made_finding(job, "imbalance"), 120) && job->found.n == 1, "ranks that are late in turns");
    made_job_free(job);
    job = made_job(1);
    made_calls(job, "MPI_Allreduce", 1, 8, 1000, 1000, 1000, 60 * MS);
    tap_ok(made_none(job), "a little of that is usual");
    made_job_free(job);
}

static void test_no_cpu(void)
{
    struct made_job *job = made_job(1);
    job->hosts[0].cores = 4;
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].user_ns = 50 * SECOND;
    const struct fm_finding *finding = made_finding(job, "no-cpu");
    tap_ok(made_cost(finding, 400) && !finding->measured && made_ranks(job, finding, "0-7"), "two ranks per core");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].user_ns = 97 * SECOND;
    tap_ok(made_none(job), "which may be harmless");
    job->hosts[0].cores = 8;
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++) {
        job->processes[rank].user_ns = 80 * SECOND;
        job->processes[rank].involuntary_switches = 80 * 30;
    }
    tap_ok(made_none(job), "ranks that are preempted may have enough CPU time outside MPI");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].mpi_ns = 2 * SECOND;
    tap_ok(made_cost(made_finding(job, "no-cpu"), 18 * JOB_RANKS), "other programs on the cores");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].involuntary_switches = 80 * 10;
    tap_ok(made_none(job), "ranks that sleep by themselves have cores");
    made_job_free(job);
}

/* Rank 0 to n - 1 had no CPU for this long, the others always. */
static void no_cpu(struct made_job *job, uint32_t n, uint64_t ns)
{
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].runqueue_ns = rank < n ? ns : 0;
}

static void test_measured_no_cpu(void)
{
    struct made_job *job = made_job(1);
    no_cpu(job, JOB_RANKS, 20 * SECOND);
    const struct fm_finding *finding = made_finding(job, "no-cpu");
    tap_ok(made_cost(finding, 160) && finding->measured && made_ranks(job, finding, "0-7") && job->found.n == 1,
           "the measured time without a CPU");
    job->hosts[0].cores = 4;
    finding = made_finding(job, "no-cpu");
    tap_ok(finding && strstr(finding->text, "20 % of their time: 8 ranks on 4 cores"), "and why");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++) {
        job->processes[rank].user_ns = 50 * SECOND;
        job->processes[rank].involuntary_switches = 100000;
    }
    no_cpu(job, JOB_RANKS, SECOND);
    tap_ok(made_none(job), "ranks that sleep have a CPU whenever they need one");
    made_job_free(job);

    job = made_job(1);
    more_work(job, 3, 10);
    no_cpu(job, 3, 10 * SECOND);
    tap_ok(!made_finding(job, "imbalance") && made_finding(job, "no-cpu"),
           "ranks that take longer because they have no CPU do not compute longer");
    more_work(job, 3, 8);
    no_cpu(job, 3, 4 * SECOND);
    tap_ok(made_none(job), "nor if they lack it only now and then");
    more_work(job, 3, 20);
    finding = made_finding(job, "imbalance");
    tap_ok(made_cost(finding, 5 * 16), "what they compute longer is without the time without a CPU");
    made_job_free(job);

    job = made_job(1);
    made_calls(job, "MPI_Allreduce", 1, 8, 1000, 1000, 1000, 100 * MS);
    no_cpu(job, 1, 4 * SECOND);
    tap_ok(made_none(job), "waiting for a rank that has no CPU is no imbalance");
    no_cpu(job, 1, SECOND);
    tap_ok(made_finding(job, "imbalance"), "but more waiting than that is");
    made_job_free(job);
}

static void test_measured_slow_host(void)
{
    struct made_job *job = made_job(2);
    more_work(job, 4, 20);
    no_cpu(job, 4, 18 * SECOND);
    tap_ok(!made_finding(job, "slow-host") && made_finding(job, "no-cpu"), "a host that lacks CPUs is not slow");
    no_cpu(job, JOB_RANKS, 6 * SECOND);
    tap_ok(made_ranks(job, made_finding(job, "slow-host"), "0-3") && made_finding(job, "no-cpu"),
           "one that is slow by more than that is");
    made_job_free(job);
}

static void test_slow_host(void)
{
    struct made_job *job = made_job(2);
    more_work(job, 4, 10);
    const struct fm_finding *finding = made_finding(job, "slow-host");
    tap_ok(made_ranks(job, finding, "0-3") && made_cost(finding, 40) && job->found.n == 1,
           "a host whose ranks are all slow is a slow host, and no imbalance");
    more_work(job, 3, 10);
    job->processes[3].mpi_ns = 20 * SECOND;
    tap_ok(!made_finding(job, "slow-host") && made_finding(job, "imbalance"), "not if one of them is not");
    made_job_free(job);
    job = made_job(1);
    more_work(job, 4, 10);
    tap_ok(!made_finding(job, "slow-host"), "nor on a single host");
    made_job_free(job);
}

static void test_waiting(void)
{
    static const struct {
        const char *routine, *rule;
        uint64_t slow_ms;
    } waits[] = {{"MPI_Recv", "late-sender", 120},
                 {"MPI_Waitall", "late-sender", 120},
                 {"MPI_Send", "late-receiver", 120},
                 {"MPI_Barrier", "barrier", 60}};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct made_job *job = made_job(1);
        made_calls(job, waits[i].routine, 1, 8, 1000, 1000, 1000, waits[i].slow_ms * MS);
        const struct fm_finding *finding = made_finding(job, waits[i].rule);
        tap_ok(made_cost(finding, (double)waits[i].slow_ms) && !finding->measured && job->found.n == 1, "%s: %s",
               waits[i].routine, waits[i].rule);
        made_job_free(job);
        job = made_job(1);
        made_calls(job, waits[i].routine, 1, 8, 1000, 1000, 1000, waits[i].slow_ms * MS / 2);
        tap_ok(made_none(job), "%s: half of that is no finding", waits[i].routine);
        made_job_free(job);
        job = made_job(1);
        made_calls(job, waits[i].routine, 1, 8, 1000, 1000, 200, 5 * waits[i].slow_ms * MS);
        tap_ok(made_none(job), "%s: disturbances of few calls are no finding", waits[i].routine);
        made_job_free(job);
        job = made_job(1);
        more_work(job, 1, 18);
        made_calls(job, waits[i].routine, 1, 8, 1000, 1000, 1000, waits[i].slow_ms * MS);
        tap_ok(!made_finding(job, waits[i].rule) && made_finding(job, "imbalance"),
               "%s: waiting for a rank with more work is imbalance alone", waits[i].routine);
        made_job_free(job);
        job = made_job(1);
        made_calls(job, waits[i].routine, 1, 8, 0, 1, 2000, waits[i].slow_ms * MS);
        tap_ok(made_finding(job, waits[i].rule), "%s: no network is so slow", waits[i].routine);
        made_job_free(job);
        job = made_job(1);
        made_calls(job, waits[i].routine, 1, 8, 0, 1, 500000, waits[i].slow_ms * 2000);
        tap_ok(made_none(job), "%s: calls that are never faster may need that time", waits[i].routine);
        made_job_free(job);
    }
}

static void test_small_messages(void)
{
    struct made_job *job = made_job(1);
    made_calls(job, "MPI_Isend", 1, 64, 12000000, 5000, 0, 0);
    const struct fm_finding *finding = made_finding(job, "small-messages");
    tap_ok(made_cost(finding, 60) && job->found.n == 1, "very many messages of 64 bytes");
    made_job_free(job);
    job = made_job(1);
    made_calls(job, "MPI_Isend", 1, 64, 7000000, 9000, 0, 0);
    tap_ok(made_none(job), "9,000 per second are not many");
    made_job_free(job);
    job = made_job(1);
    made_calls(job, "MPI_Isend", 1, 8192, 12000000, 5000, 0, 0);
    tap_ok(made_none(job), "8 KiB are not small");
    made_job_free(job);
    job = made_job(1);
    made_calls(job, "MPI_Isend", 1, 64, 12000000, 1000, 0, 0);
    tap_ok(made_none(job), "nor if they cost little");
    made_job_free(job);
}

/* Ranks 0 to n - 1 write this many requests, of `bytes` and `ns` each, to a file of their own. */
static void write_files(struct made_job *job, uint32_t n, uint64_t requests, uint64_t bytes, uint64_t ns)
{
    job->profile.file_classes = &job->file_class;
    job->profile.n_file_classes = 1;
    job->file_class = (struct fm_class_of_files){.name = "*.dat below /scratch/u"};
    job->file_class.io.writes = n * requests;
    job->file_class.io.written_bytes = n * requests * bytes;
    job->file_class.io.write_ns = n * requests * ns;
    if (n)
        fm_rankset_add(&job->file_class.ranks, &job->arena, 0, n - 1);
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].io_ns = rank < n ? requests * ns : 0;
}

static void test_io(void)
{
    struct made_job *job = made_job(1);
    write_files(job, JOB_RANKS, 1000, 1 << 20, 15 * MS);
    const struct fm_finding *finding = made_finding(job, "io");
    tap_ok(made_cost(finding, 15 * JOB_RANKS) && !finding->measured && made_ranks(job, finding, "0-7") &&
               strstr(finding->text, "*.dat") && job->found.n == 1,
           "15 %% of the time in files");
    write_files(job, JOB_RANKS, 1000, 1 << 20, 9 * MS);
    tap_ok(made_none(job), "9 %% is not much");
    write_files(job, 1, 1000, 1 << 20, 40 * MS);
    tap_ok(made_none(job), "nor what one rank does while others compute");
    more_work(job, 1, 18);
    finding = made_finding(job, "io");
    tap_ok(made_cost(finding, 18 * JOB_RANKS) && made_ranks(job, finding, "0") && !made_finding(job, "imbalance"),
           "what they wait for is not imbalance of computation");
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->processes[rank].io_ns = FM_UNKNOWN;
    tap_ok(!made_finding(job, "io") && made_finding(job, "imbalance"), "unless I/O is unknown");
    made_job_free(job);
}

static void test_small_io(void)
{
    struct made_job *job = made_job(1);
    write_files(job, JOB_RANKS, 10000000, 64, 1200);
    const struct fm_finding *finding = made_finding(job, "small-io");
    tap_ok(made_cost(finding, 12 * JOB_RANKS) && made_ranks(job, finding, "0-7") && job->found.n == 1,
           "very many requests of 64 bytes, which are not told again as I/O");
    write_files(job, JOB_RANKS, 10000000, 4096, 1200);
    tap_ok(!made_finding(job, "small-io") && made_finding(job, "io"), "4 KiB are not small");
    write_files(job, JOB_RANKS, 90000, 64, 100000);
    tap_ok(made_none(job), "900 per second are not many");
    write_files(job, JOB_RANKS, 40000000, 64, 200);
    tap_ok(made_none(job), "requests of 200 ns are served from a buffer");
    write_files(job, JOB_RANKS, 4000000, 64, 1000);
    tap_ok(made_none(job), "nor if they cost little");
    made_job_free(job);
}

static struct fm_timer *add_timer(struct made_job *job, const char *name, const char *parent)
{
    struct fm_timer *timer = &job->timers[job->profile.n_timers++];
    *timer = (struct fm_timer){.name = name, .parent = parent};
    timer->events = (struct fm_spread){.min = 20, .max = 20, .sum = 20 * JOB_RANKS, .ranks = JOB_RANKS};
    timer->half_events[0] = timer->half_events[1] = 10 * JOB_RANKS;
    timer->half_ns[0] = timer->half_ns[1] = 10 * JOB_RANKS * SECOND;
    timer->longest = (struct fm_extreme){2 * SECOND, 7, 3};
    timer->second = (struct fm_extreme){SECOND, 4, 3};
    fm_rankset_add(&timer->ranks, &job->arena, 0, JOB_RANKS - 1);
    return timer;
}

static void test_timers(void)
{
    struct made_job *job = made_job(1);
    struct fm_timer *timer = add_timer(job, "step", "");
    tap_ok(made_none(job), "a timer whose events are alike");
    timer->longest = (struct fm_extreme){10 * SECOND, 1, 3};
    tap_ok(made_cost(made_finding(job, "first-event"), 8 * 9) && job->found.n == 1,
           "a first event of ten times the time");
    timer->longest.event = 2;
    tap_ok(made_none(job), "another long event is not the first");
    timer->longest = (struct fm_extreme){10 * SECOND, 1, 3};
    timer->second.ns = 4 * SECOND;
    tap_ok(made_none(job), "not if a second one is nearly as long");
    timer->second.ns = SECOND;
    timer->events.min = 4;
    tap_ok(made_none(job), "nor in a run of four events");
    timer->events.min = 20;
    struct fm_timer *inner = add_timer(job, "solver", "step");
    inner->longest = (struct fm_extreme){9 * SECOND, 1, 3};
    const struct fm_finding *finding = made_finding(job, "first-event");
    tap_ok(job->found.n == 1 && finding && strstr(finding->text, "'solver'"), "the inner of two timers is reported");
    made_job_free(job);

    job = made_job(1);
    timer = add_timer(job, "step", "");
    timer->half_ns[1] = 20 * JOB_RANKS * SECOND;
    tap_ok(made_cost(made_finding(job, "drift"), 80) && job->found.n == 1, "events that become twice as long");
    no_cpu(job, 1, 9 * SECOND);
    tap_ok(made_none(job), "not if a rank had no CPU for as long");
    no_cpu(job, 0, 0);
    timer->half_ns[1] = 11 * JOB_RANKS * SECOND;
    tap_ok(made_none(job), "10 %% is no drift");
    struct fm_timer *part = add_timer(job, "halo", "*");
    part->half_ns[1] = 20 * JOB_RANKS * SECOND;
    tap_ok(made_none(job), "nor if a part of a step grows at the cost of another");
    timer->half_ns[1] = 20 * JOB_RANKS * SECOND;
    timer->half_events[0] = timer->half_events[1] = 9 * JOB_RANKS;
    timer->events.min = 9;
    tap_ok(made_finding(job, "drift") && job->found.n == 1, "unless the step grows with it");
    job->profile.n_timers--;
    timer->events.min = 20;
    timer->half_ns[0] = 10 * JOB_RANKS * MS;
    timer->half_ns[1] = 20 * JOB_RANKS * MS;
    tap_ok(made_none(job), "nor if it costs nothing");
    made_job_free(job);
}

/* Ranks exchange with the one that is `distance` away. */
static void exchange(struct made_job *job, uint32_t distance, uint64_t bytes)
{
    job->profile.sent.n = 0;
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++)
        job->sent[job->profile.sent.n++] = (struct fm_edge){rank, rank ^ distance, 1000, bytes, 3 * SECOND};
}

static void test_placement(void)
{
    struct made_job *job = made_job(2);
    exchange(job, 4, 10 * SECOND);
    const struct fm_finding *finding = made_finding(job, "placement");
    tap_ok(made_cost(finding, 24) && !finding->measured, "all neighbours are on the other host");
    exchange(job, 1, 10 * SECOND);
    tap_ok(made_none(job), "all are on the same");
    exchange(job, 4, 100 * MS);
    tap_ok(made_none(job), "a slow network is enough for little traffic");
    job->profile.sent.n = 0;
    for (uint32_t from = 0; from < JOB_RANKS; from++)
        for (uint32_t to = 0; to < JOB_RANKS; to++)
            job->sent[job->profile.sent.n++] = (struct fm_edge){from, to, 1000, SECOND, SECOND};
    tap_ok(made_none(job), "no placement is better if all exchange with all");
    made_job_free(job);
}

static void test_memory(void)
{
    struct made_job *job = made_job(2);
    job->processes[5].max_rss_bytes = 960 << 20;
    const struct fm_finding *finding = made_finding(job, "memory");
    tap_ok(made_ranks(job, finding, "4-7") && finding->cost_ns == 0 && strstr(finding->text, "n2"),
           "a host with little memory left");
    job->processes[5].max_rss_bytes = 900 << 20;
    tap_ok(made_none(job), "a tenth is enough");
    made_job_free(job);
}

static void test_incomplete(void)
{
    struct made_job *job = made_job(1);
    job->notes[0] = (struct fm_note){.code = FM_NOTE_EVENTS_WITHOUT_SITE, .argument = "", .text = "", .amount = 12};
    job->notes[1] = (struct fm_note){.code = FM_NOTE_SMALLER_TABLE, .argument = "", .text = ""};
    job->profile.n_notes = 2;
    fm_rankset_add(&job->notes[0].ranks, &job->arena, 2, 2);
    const struct fm_finding *finding = made_finding(job, "incomplete");
    tap_ok(made_ranks(job, finding, "2") && finding->n_evidence == 2 && finding->evidence[0].value == 12,
           "limits of the measurement are one finding");
    job->notes[0].code = FM_NOTE_COARSE_CLOCK;
    job->profile.n_notes = 1;
    tap_ok(made_none(job), "other notes are none");
    made_job_free(job);
}

static void test_order(void)
{
    struct made_job *job = made_job(1);
    more_work(job, 3, 10);
    struct fm_timer *timer = add_timer(job, "step", "");
    timer->half_ns[1] = 20 * JOB_RANKS * SECOND;
    job->processes[5].max_rss_bytes = 1 << 30;
    made_finding(job, "");
    tap_ok(job->found.n == 3 && !strcmp(job->found.items[0].rule, "drift") &&
               !strcmp(job->found.items[1].rule, "imbalance") && !strcmp(job->found.items[2].rule, "memory"),
           "findings are sorted by cost");
    made_job_free(job);
}

static void test_evidence(void)
{
    struct fm_arena arena = {0};
    char text[64];
    struct fm_evidence seconds = {"work_max_s", 1.5}, bytes = {"used_bytes", 2048}, part = {"running_fraction", 0.5};
    tap_ok(!strcmp(fm_evidence_text(text, &seconds), "1.5 s") &&
               !strcmp(fm_evidence_name(&seconds, &arena), "longest work"),
           "evidence in seconds");
    tap_ok(!strcmp(fm_evidence_text(text, &bytes), "2.0 KiB") && !strcmp(fm_evidence_name(&bytes, &arena), "used"),
           "in bytes");
    tap_ok(!strcmp(fm_evidence_text(text, &part), "50 %") && !strcmp(fm_evidence_name(&part, &arena), "running"),
           "as a fraction");
    fm_arena_destroy(&arena);
}

/* The table in the document is that of the program. */
static void test_document(void)
{
    const char *source = getenv("FATHOM_SOURCE");
    char path[4096], line[512];
    size_t missing = 0;
    char *text = calloc(1, 1 << 16);
    snprintf(path, sizeof path, "%s/doc/FINDINGS.md", source ? source : ".");
    FILE *file = fopen(path, "r");
    if (file && text)
        text[fread(text, 1, (1 << 16) - 1, file)] = 0;
    if (file)
        fclose(file);
#define X(name, value, rule, meaning)                                                \
    snprintf(line, sizeof line, "| %s | %g | %s |", rule, (double)(value), meaning); \
    if (!text || !strstr(text, line)) {                                              \
        printf("# missing: %s\n", line);                                             \
        missing++;                                                                   \
    }
    FM_FINDING_LIMITS(X)
#undef X
    tap_ok(missing == 0, "doc/FINDINGS.md has the thresholds");
    free(text);
}

int main(void)
{
    test_none();
    test_imbalance();
    test_no_cpu();
    test_measured_no_cpu();
    test_slow_host();
    test_measured_slow_host();
    test_waiting();
    test_small_messages();
    test_io();
    test_small_io();
    test_timers();
    test_placement();
    test_memory();
    test_incomplete();
    test_order();
    test_evidence();
    test_document();
    return tap_done();
}
