/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/simulate/simulate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/launchers.h"

enum {
    DAY_S = 86400,
    FIRST_UID = 10000,
    NAME_BYTES = 32,
    RANKS_PER_HOST = 32,
    SIZES = 6,         /* different numbers of ranks of a program */
    LARGEST_SIZE = 11, /* 2048 ranks */
};

const struct fm_simulation_options fm_simulation_usual = {
    .jobs = 10000,
    .users = 40,
    .programs = 100,
    .hosts = 64,
    .days = 91,
    .slower = 3,
    .limited = 3,
    .slow_hosts = 2,
    .grown = 2,
    .seed = 1,
    .from = 1767225600, /* 2026-01-01 */
};

enum slower_part { SLOWER_PROGRAM, SLOWER_MPI, SLOWER_IO, SLOWER_PARTS };
static const char *const part_names[] = {"program", "mpi", "io"};

/* What a program is like. */
struct simulated_program {
    char name[NAME_BYTES], source[NAME_BYTES];
    unsigned user;
    const char *language, *compiler;
    uint64_t build;   /* distinguishes builds */
    double work_s;    /* time outside MPI, summed over ranks */
    double mpi_share; /* of the time, with the smallest number of ranks */
    double growth;    /* how much the time in MPI of a rank grows with its number of ranks: LIMITED ones only */
    double imbalance; /* slowest rank / mean - 1 */
    double instruction_rate, fp_share, miss_share;
    unsigned smallest;   /* smallest number of ranks: 2^smallest */
    unsigned routine;    /* the one with the most time */
    int64_t slower_from; /* seconds since 1970; 0: never */
    double slower_by;
    enum slower_part slower_part;
    int64_t grown_from; /* larger problems since then; 0: never */
    double grown_by;
    bool grown_steps; /* more steps, otherwise more data */
    double noise;     /* deviation of a run from the next one, relative */
};

struct fm_simulation {
    struct fm_simulation_options options;
    struct simulated_program *programs;
    char (*hosts)[NAME_BYTES];
    double *host_factor;
    struct fm_planted *planted;
    size_t n_planted;
};

/* Routines that programs use, with the share of MPI time that each takes if it is not the main one, and the usual size of
 * a message. */
static const struct {
    const char *name;
    double share, bytes;
    int calls; /* of a rank in a step; 0: once */
    bool collective;
} routines[] = {
    {"MPI_Allreduce", 0.25, 8, 4, true},   {"MPI_Waitall", 0.22, -1, 1, false},  {"MPI_Bcast", 0.08, 4096, 1, true},
    {"MPI_Isend", 0.06, 32768, 6, false},  {"MPI_Irecv", 0.02, 32768, 6, false}, {"MPI_Alltoall", 0.12, 16384, 1, true},
    {"MPI_Reduce", 0.06, 64, 1, true},     {"MPI_Barrier", 0.08, -1, 1, true},   {"MPI_Recv", 0.06, 8192, 2, false},
    {"MPI_Send", 0.03, 8192, 2, false},    {"MPI_Gather", 0.01, 1024, 1, true},  {"MPI_Init", 0.005, -1, 0, false},
    {"MPI_Finalize", 0.005, -1, 0, false},
};
enum { ROUTINES = sizeof routines / sizeof *routines, MAIN_ROUTINES = 6 };

/* SplitMix64: a good random number for every number, so that jobs do not depend on each other. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

struct dice {
    uint64_t state;
};
static struct dice dice_of(uint64_t seed, uint64_t kind, uint64_t number)
{
    return (struct dice){mix(mix(seed * 31 + kind) + number)};
}
static uint64_t roll(struct dice *dice)
{
    return dice->state = mix(dice->state);
}
static double roll_real(struct dice *dice) /* 0 <= x < 1 */
{
    return (double)(roll(dice) >> 11) / (double)(UINT64_C(1) << 53);
}
static double roll_between(struct dice *dice, double least, double most)
{
    return least + (most - least) * roll_real(dice);
}
static size_t roll_below(struct dice *dice, size_t n)
{
    return (size_t)(roll_real(dice) * (double)n);
}
static double roll_normal(struct dice *dice) /* mean 0, deviation 1; between -6 and 6 */
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += roll_real(dice);
    return sum - 6;
}

static void make_program(struct simulated_program *program, unsigned number,
                         const struct fm_simulation_options *options)
{
    static const char *const kinds[] = {"ocean",   "atmos",  "qcd",  "md",  "cfd",
                                        "seismic", "plasma", "chem", "ice", "dns"};
    static const struct {
        const char *language, *compiler, *suffix;
    } languages[] = {
        {"Fortran", "GNU Fortran 12.2.0", "f90"}, {"C", "GNU C17 12.2.0", "c"}, {"C++", "clang 14.0.6", "cc"}};
    struct dice dice = dice_of(options->seed, 1, number);
    const char *kind = kinds[number % (sizeof kinds / sizeof *kinds)];
    size_t language = roll_real(&dice) < 0.6 ? 0 : 1 + roll_below(&dice, 2);
    snprintf(program->name, sizeof program->name, "%s%u", kind, number);
    snprintf(program->source, sizeof program->source, "%s.%s", kind, languages[language].suffix);
    program->language = languages[language].language;
    program->compiler = languages[language].compiler;
    program->user = number < options->users ? number : (unsigned)roll_below(&dice, options->users);
    program->build = roll(&dice);
    program->work_s = exp(roll_between(&dice, log(1e3), log(3e6)));
    program->mpi_share = roll_between(&dice, 0.02, 0.35);
    program->imbalance = roll_between(&dice, 0.01, 0.25);
    program->instruction_rate = roll_between(&dice, 0.5e9, 4e9);
    program->fp_share = roll_between(&dice, 0.05, 0.5);
    program->miss_share = roll_between(&dice, 0.0005, 0.02);
    program->smallest = (unsigned)roll_below(&dice, LARGEST_SIZE - SIZES + 1);
    program->routine = (unsigned)roll_below(&dice, MAIN_ROUTINES);
    program->noise = roll_real(&dice) < 0.2 ? 0.1 : roll_between(&dice, 0.005, 0.03);
}

static void plant(struct fm_simulation *simulation, struct fm_planted planted)
{
    simulation->planted[simulation->n_planted++] = planted;
}

static double host_count(const struct fm_simulation *simulation, double ranks)
{
    double n = ceil(ranks / RANKS_PER_HOST);
    return n > simulation->options.hosts ? simulation->options.hosts : n;
}

/* The slowest one of n neighbours. */
static double slowest_from(const struct fm_simulation *simulation, size_t first, size_t n)
{
    double slowest = 1;
    for (size_t i = 0; i < n; i++)
        slowest = fmax(slowest, simulation->host_factor[(first + i) % simulation->options.hosts]);
    return slowest;
}

/* Of n neighbours, in half of the places where they can be. */
static double usual_slowest(const struct fm_simulation *simulation, size_t n)
{
    size_t hosts = simulation->options.hosts;
    double least = 1, most = 1;
    for (size_t i = 0; i < hosts; i++)
        most = fmax(most, simulation->host_factor[i]);
    for (int step = 0; step < 30; step++) {
        double middle = (least + most) / 2;
        size_t below = 0;
        for (size_t first = 0; first < hosts; first++)
            below += slowest_from(simulation, first, n) <= middle;
        *(2 * below >= hosts ? &most : &least) = middle;
    }
    return most;
}

static double wall_of(const struct fm_simulation *simulation, const struct simulated_program *program, unsigned size)
{
    double ranks = ldexp(1, (int)(program->smallest + size));
    double share = program->mpi_share / (1 - program->mpi_share), smallest = ldexp(1, (int)program->smallest);
    double slowest = usual_slowest(simulation, (size_t)host_count(simulation, ranks));
    return program->work_s * ((slowest * (1 + program->imbalance) + 0.01) / ranks +
                              share / smallest * (1 / ldexp(1, (int)size) + program->growth * size));
}

/* The number of ranks that takes the shortest wall time, of those that the program runs with; 0 if another one is nearly as
 * short. */
static int64_t best_ranks(const struct fm_simulation *simulation, const struct simulated_program *program)
{
    const double clearly = 1.05;
    double shortest = INFINITY, second = INFINITY;
    int64_t best = 0;
    for (unsigned i = 0; i < SIZES; i++) {
        double wall = wall_of(simulation, program, i);
        if (wall < shortest) {
            second = shortest;
            shortest = wall;
            best = INT64_C(1) << (program->smallest + i);
        } else if (wall < second) {
            second = wall;
        }
    }
    return second >= clearly * shortest ? best : 0;
}

static int64_t plant_day(const struct fm_simulation *simulation, struct dice *dice)
{
    return simulation->options.from + (int64_t)((0.4 + 0.3 * roll_real(dice)) * simulation->options.days) * DAY_S;
}

static void plant_slower(struct fm_simulation *simulation, unsigned number, struct dice *dice)
{
    static const char *const changed[SLOWER_PARTS] = {"build", "mpi", NULL};
    struct simulated_program *program = &simulation->programs[number];
    program->slower_from = plant_day(simulation, dice);
    program->slower_by = roll_between(dice, 1.08, 1.3);
    program->slower_part = (enum slower_part)(number % SLOWER_PARTS);
    program->noise = roll_between(dice, 0.005, 0.03);
    plant(simulation, (struct fm_planted){
                          .kind = FM_PLANTED_SLOWER,
                          .name = program->name,
                          .day = program->slower_from,
                          .factor = program->slower_by,
                          .part = part_names[program->slower_part],
                          .changed = changed[program->slower_part],
                          .routine = program->slower_part == SLOWER_MPI ? routines[program->routine].name : NULL,
                      });
}

static void plant_limited(struct fm_simulation *simulation, unsigned number, struct dice *dice)
{
    struct simulated_program *program = &simulation->programs[number];
    int64_t best = 0;
    program->noise = roll_between(dice, 0.005, 0.03);
    program->routine = number % 2 ? 0 : 5;
    for (int attempt = 0; !best && attempt < 1000; attempt++) {
        program->growth = number % 2 ? roll_between(dice, 0.1, 0.4) : roll_between(dice, 0.5, 1.2);
        program->mpi_share = roll_between(dice, 0.1, 0.2);
        best = best_ranks(simulation, program);
    }
    plant(simulation, (struct fm_planted){.kind = FM_PLANTED_LIMITED,
                                          .name = program->name,
                                          .routine = routines[program->routine].name,
                                          .best_ranks = best});
}

static void plant_all(struct fm_simulation *simulation)
{
    const struct fm_simulation_options *options = &simulation->options;
    struct dice dice = dice_of(options->seed, 2, 0);
    for (unsigned i = 0; i < options->slow_hosts; i++) {
        unsigned host = (unsigned)((i + 0.5) * options->hosts / options->slow_hosts);
        simulation->host_factor[host] = roll_between(&dice, 1.15, 1.4);
        plant(simulation, (struct fm_planted){.kind = FM_PLANTED_SLOW_HOST,
                                              .name = simulation->hosts[host],
                                              .factor = simulation->host_factor[host]});
    }
    /* The first programs, which have the most jobs: what is planted must be visible. */
    unsigned number = 0;
    for (unsigned i = 0; i < options->slower; i++)
        plant_slower(simulation, number++, &dice);
    for (unsigned i = 0; i < options->limited; i++)
        plant_limited(simulation, number++, &dice);
    for (unsigned i = 0; i < options->grown && number < options->programs; i++) {
        struct simulated_program *program = &simulation->programs[number++];
        program->grown_from = plant_day(simulation, &dice);
        program->grown_by = roll_between(&dice, 1.15, 1.4);
        program->grown_steps = i % 2;
        program->noise = roll_between(&dice, 0.005, 0.03);
    }
}

enum fm_status fm_simulation_create(struct fm_simulation **simulation, const struct fm_simulation_options *options,
                                    struct fm_error *error)
{
    *simulation = NULL;
    if (!options->users || options->programs < options->users || !options->days || !options->hosts)
        return fm_fail(error, FM_ERR_USAGE, "a site needs users, hosts, days, and a program for every user");
    if (options->slower + options->limited > options->programs || options->slow_hosts * 4 > options->hosts)
        return fm_fail(error, FM_ERR_USAGE, "too much is planted: at most every program, and a quarter of the hosts");
    struct fm_simulation *made = calloc(1, sizeof *made);
    if (made) {
        made->options = *options;
        made->programs = calloc(options->programs, sizeof *made->programs);
        made->hosts = calloc(options->hosts, sizeof *made->hosts);
        made->host_factor = calloc(options->hosts, sizeof *made->host_factor);
        made->planted = calloc((size_t)options->slower + options->limited + options->slow_hosts + 1,
                               sizeof *made->planted);
    }
    if (!made || !made->programs || !made->hosts || !made->host_factor || !made->planted) {
        fm_simulation_destroy(made);
        return fm_fail(error, FM_ERR_MEMORY, "out of memory");
    }
    for (unsigned i = 0; i < options->programs; i++)
        make_program(&made->programs[i], i, options);
    for (unsigned i = 0; i < options->hosts; i++) {
        snprintf(made->hosts[i], sizeof made->hosts[i], "node%04u", i + 1);
        made->host_factor[i] = 1;
    }
    plant_all(made);
    *simulation = made;
    return FM_OK;
}

void fm_simulation_destroy(struct fm_simulation *simulation)
{
    if (!simulation)
        return;
    free(simulation->programs);
    free(simulation->hosts);
    free(simulation->host_factor);
    free(simulation->planted);
    free(simulation);
}

size_t fm_simulation_n_planted(const struct fm_simulation *simulation)
{
    return simulation->n_planted;
}

const struct fm_planted *fm_simulation_planted(const struct fm_simulation *simulation, size_t i)
{
    return &simulation->planted[i];
}

/* ---- one job ---- */

static const char *print(struct fm_record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *print(struct fm_record *record, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = fm_arena_strndup(&record->arena, text, (size_t)length);
    return copy ? copy : "";
}

/* Its hosts, neighbours of each other, and how much slower the slowest one makes the job. */
static bool place(const struct fm_simulation *simulation, struct fm_record *record, struct dice *dice, double *slowest)
{
    const struct fm_simulation_options *options = &simulation->options;
    size_t n = (size_t)(record->ranks + RANKS_PER_HOST - 1) / RANKS_PER_HOST;
    n = n > options->hosts ? options->hosts : n;
    size_t first = roll_below(dice, options->hosts);
    record->hosts = (int64_t)n;
    record->host_list = fm_arena_alloc(&record->arena, n * sizeof *record->host_list);
    if (!record->host_list)
        return false;
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        size_t host = (first + i) % options->hosts;
        mean += simulation->host_factor[host] / (double)n;
        if (simulation->host_factor[host] > *slowest)
            *slowest = simulation->host_factor[host];
    }
    record->n_host_list = n < FM_RECORD_ITEMS ? n : FM_RECORD_ITEMS;
    for (size_t i = 0; i < record->n_host_list; i++) {
        size_t host = (first + i) % options->hosts;
        record->host_list[i] = (struct fm_record_host){
            .name = simulation->hosts[host],
            .ranks = (int64_t)((size_t)record->ranks / n + (i < (size_t)record->ranks % n)),
            /* one host alone cannot be compared */
            .slowness = n > 1 ? simulation->host_factor[host] / mean * (1 + 0.01 * roll_normal(dice)) : NAN,
        };
    }
    return true;
}

/* What a run sends follows from its problem, not from how long it takes. */
static bool fill_routines(struct fm_record *record, const struct simulated_program *program, double main_s,
                          double steps, double data)
{
    record->routines = fm_arena_alloc(&record->arena, ROUTINES * sizeof *record->routines);
    if (!record->routines)
        return false;
    double others_s = record->mpi_s - main_s, shares = 0;
    for (size_t i = 0; i < ROUTINES; i++)
        shares += i == program->routine ? 0 : routines[i].share;
    for (size_t i = 0; i < ROUTINES; i++) {
        struct fm_record_routine *routine = &record->routines[i];
        bool none = routines[i].bytes < 0;
        routine->name = routines[i].name;
        routine->time_s = i == program->routine ? main_s : others_s * routines[i].share / shares;
        routine->calls = record->ranks * (routines[i].calls ? (int64_t)(steps * routines[i].calls) : 1);
        routine->bytes = none ? -1 : (int64_t)((double)routine->calls * routines[i].bytes * data);
        routine->counts = none ? -1 : routine->bytes / 8;
        routine->comm_calls = routines[i].collective ? routine->calls * record->ranks : -1;
    }
    record->n_routines = ROUTINES;
    return true;
}

static bool fill_findings(struct fm_record *record, const struct simulated_program *program)
{
    double lost_s = record->waiting_s;
    if (lost_s < 0.05 * record->cpu_s)
        return true;
    record->findings = fm_arena_alloc(&record->arena, sizeof *record->findings);
    if (!record->findings)
        return false;
    record->findings[0] = (struct fm_record_finding){
        .rule = "imbalance",
        .text = print(record, "Some ranks compute longer in step (%s:%u)", program->source, 40 + program->routine),
        .function = "step",
        .file = program->source,
        .line = 40 + program->routine,
        .cost_s = lost_s,
        .measured = 1,
    };
    record->n_findings = 1;
    return true;
}

/* Programs with a low number have more jobs. */
static const struct simulated_program *choose_program(const struct fm_simulation *simulation, struct dice *dice)
{
    double place = roll_real(dice);
    return &simulation->programs[(size_t)(place * place * simulation->options.programs)];
}

bool fm_simulation_job(const struct fm_simulation *simulation, uint64_t number, struct fm_record *record, int64_t *uid)
{
    const struct fm_simulation_options *options = &simulation->options;
    struct dice dice = dice_of(options->seed, 3, number);
    const struct simulated_program *program = choose_program(simulation, &dice);
    double days = ((double)number + roll_real(&dice)) / (double)options->jobs * options->days;
    record->ended = options->from + (int64_t)(days * DAY_S);
    bool slower = program->slower_from && record->ended >= program->slower_from;

    unsigned size = (unsigned)roll_below(&dice, SIZES);
    record->ranks = INT64_C(1) << (program->smallest + size);
    record->cores = record->ranks;
    double slowest = 1;
    if (!place(simulation, record, &dice, &slowest))
        return false;

    /* Input of different sizes: half of the jobs are short tests. */
    double input = roll_real(&dice) < 0.5 ? 1.0 : 0.02;
    double noise = exp(program->noise * roll_normal(&dice));
    double grown = program->grown_from && record->ended >= program->grown_from ? program->grown_by : 1;
    double work_s = program->work_s * input * noise * grown;
    if (slower && program->slower_part == SLOWER_PROGRAM)
        work_s *= program->slower_by;
    double share = program->mpi_share / (1 - program->mpi_share);
    double smallest = ldexp(1, (int)program->smallest);
    /* Of a rank: the main routine divides among ranks as the work does, or grows with their number. */
    double mpi_of_rank = work_s * share / smallest * (1 / ldexp(1, (int)size) + program->growth * size);
    double waiting = work_s * (slowest * (1 + program->imbalance) - 1);
    record->program_s = work_s;
    record->mpi_s = mpi_of_rank * (double)record->ranks + waiting;
    record->waiting_s = waiting;
    record->io_s = 0.01 * work_s;
    record->no_cpu_s = 0;
    record->cpu_s = record->program_s + record->mpi_s + record->io_s;
    double more_s = slower ? record->cpu_s * (program->slower_by - 1) : 0;
    if (program->slower_part == SLOWER_MPI)
        record->mpi_s += more_s;
    if (program->slower_part == SLOWER_IO)
        record->io_s += more_s;
    if (roll_real(&dice) < 0.02) /* a file system with trouble */
        record->io_s += record->cpu_s * roll_between(&dice, 0.1, 0.8);
    record->cpu_s = record->program_s + record->mpi_s + record->io_s;
    record->wall_s = record->cpu_s / (double)record->ranks;
    record->overhead_s = 3e-4 * record->cpu_s;
    record->started = record->ended - (int64_t)record->wall_s;
    record->parallel = record->program_s / record->cpu_s;
    record->load_balance = 1 / (slowest * (1 + program->imbalance));
    record->communication = record->parallel / record->load_balance;

    struct dice key = dice_of(options->seed, 4, number);
    record->key = print(record, "%016llx%016llx", (unsigned long long)roll(&key), (unsigned long long)roll(&key));
    record->job_id = print(record, "%llu", 1000000 + (unsigned long long)number);
    record->user = print(record, "user%03u", program->user);
    record->account = print(record, "project%02u", program->user % 20);
    record->partition = record->ranks >= 512 ? "large" : "normal";
    record->program = program->name;
    record->build_id = print(record, "%016llx%08x", (unsigned long long)program->build,
                             slower && program->slower_part == SLOWER_PROGRAM ? 2u : 1u);
    record->path_hash = print(record, "%016llx", (unsigned long long)mix(program->build));
    record->launcher = fm_launchers[FM_LAUNCHER_SLURM].name;
    bool new_mpi = slower && program->slower_part == SLOWER_MPI;
    record->mpi = new_mpi ? "Open MPI 5.0.3" : program->user % 4 ? "Open MPI 4.1.4" : "MPICH 4.0.2";
    record->language = program->language;
    record->compiler = program->compiler;
    record->version = FM_VERSION;
    record->complete = roll_real(&dice) < 0.97;
    record->end = record->complete ? "" : "killed by signal 9 (SIGKILL)";
    record->read_bytes = (int64_t)(roll_between(&dice, 1e6, 1e9) * input);
    record->written_bytes = (int64_t)(roll_between(&dice, 1e6, 1e10) * input);
    record->io_calls = record->written_bytes / 65536 + record->ranks;
    record->memory_bytes = (int64_t)roll_between(&dice, 1e8, 3e9);
    record->host_memory_bytes = INT64_C(192) << 30;
    record->counted_s = record->program_s;
    record->instructions = (int64_t)(record->program_s * program->instruction_rate * noise);
    record->fp_instructions = (int64_t)((double)record->instructions * program->fp_share);
    record->l2_misses = (int64_t)((double)record->instructions * program->miss_share);
    record->cycles = (int64_t)(record->program_s * 2.5e9);
    record->instructions_mpi = (int64_t)(record->mpi_s * 1e9);
    *uid = FIRST_UID + program->user;

    double main_s = waiting + 0.6 * mpi_of_rank * (double)record->ranks + (new_mpi ? more_s : 0);
    double steps = 2000 * input * (program->grown_steps ? grown : 1), data = program->grown_steps ? 1 : grown;
    return fill_routines(record, program, main_s, steps, data) && fill_findings(record, program);
}
