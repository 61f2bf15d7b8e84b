#include "merge/synthetic.h"

#include <stdio.h>
#include <string.h>

#include "base/request_bins.h"
#include "generated/routines.h"
#include "model/file_class.h"
#include "mpi/libraries.h"

uint64_t fm_random(uint64_t *state, uint64_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state * 0x2545f4914f6cdd1dull >> 11) % n;
}

/* ---- the layout ---- */

static uint32_t entries_of(const struct fm_synthetic *job)
{
    return job->sites + 2 * job->neighbours;
}

static const uint32_t sizes[FM_SECTION_COUNT] = {
    1,
    sizeof(struct fm_segment_module),
    sizeof(struct fm_segment_region),
    sizeof(struct fm_segment_thread),
    4,
    sizeof(struct fm_entry),
    sizeof(struct fm_request),
    sizeof(struct fm_segment_snapshot),
    sizeof(struct fm_segment_timer),
    sizeof(struct fm_segment_timing),
    sizeof(struct fm_segment_bins),
    sizeof(struct fm_segment_path),
    4,
    sizeof(struct fm_segment_sequence),
    1,
    sizeof(struct fm_segment_succession),
    sizeof(struct fm_segment_file),
    sizeof(struct fm_segment_counters),
};

static size_t lay_out(const struct fm_synthetic *job, struct fm_segment_section *sections)
{
    const uint32_t capacities[FM_SECTION_COUNT] = {1024,
                                                   4,
                                                   16,
                                                   2,
                                                   4,
                                                   entries_of(job),
                                                   16,
                                                   2,
                                                   job->timers,
                                                   2 * job->timers,
                                                   FM_TIMING_DECADES * job->timers,
                                                   job->paths,
                                                   4,
                                                   job->paths ? 1 : 0,
                                                   FM_ROUTINES_ADDED_BYTES,
                                                   0,
                                                   job->files ? 1 + job->files : 0,
                                                   job->counters};
    size_t at = (sizeof(struct fm_segment_header) + 63) / 64 * 64;
    for (size_t i = 0; i < FM_SECTION_COUNT; i++) {
        sections[i] = (struct fm_segment_section){at, capacities[i], sizes[i]};
        at += ((size_t)capacities[i] * sizes[i] + 63) / 64 * 64;
    }
    return at;
}

size_t fm_synthetic_bytes(const struct fm_synthetic *job)
{
    struct fm_segment_section sections[FM_SECTION_COUNT];
    return lay_out(job, sections);
}

static void *section(struct fm_segment_header *header, enum fm_segment_section_id id)
{
    return (char *)header + header->sections[id].offset;
}

static uint32_t add_text(struct fm_segment_header *header, const char *text)
{
    char *texts = section(header, FM_SECTION_TEXT);
    uint32_t at = header->n_text;
    memcpy(texts + at, text, strlen(text) + 1);
    header->n_text += (uint32_t)strlen(text) + 1;
    return at;
}

static uint32_t add_list(struct fm_segment_header *header, const char *first, const char *second)
{
    uint32_t at = add_text(header, first);
    add_text(header, second);
    add_text(header, "");
    return at;
}

/* ---- the content ---- */

static void describe(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header, uint64_t *state)
{
    memcpy(header->magic, FM_SEGMENT_MAGIC, 8);
    header->version = FM_SEGMENT_VERSION;
    header->header_bytes = sizeof *header;
    header->segment_bytes = lay_out(job, header->sections);
    snprintf(header->host, sizeof header->host, "node%05u", rank / job->ranks_per_host);
    snprintf(header->job_key, sizeof header->job_key, "synthetic-1");
    header->pid = (int32_t)(1000 + rank % job->ranks_per_host * 3 + fm_random(state, 3));
    header->rank = (int32_t)rank;
    header->world_size = (int32_t)job->ranks;
    header->state = FM_STATE_FINALIZING;
    header->leave = FM_LEAVE_FINALIZE;
    header->mpi_kind = FM_MPI_OPENMPI;
    header->language = FM_LANGUAGE_FORTRAN;
    header->clock_mult = 1ull << 32;
    header->clock_shift = 32;
    header->core = rank % job->ranks_per_host;
    header->started_real_ns = 1790000000000000000ull + fm_random(state, 5000000);
    header->started_mono_ns = 5000000000000ull + fm_random(state, 5000000);
    header->started_ticks = header->started_mono_ns;
    header->ended_mono_ns = header->started_mono_ns + 600000000000ull + fm_random(state, 20000000000ull);
    header->user_ns = (400000000 + fm_random(state, 200000000)) * 1000;
    header->system_ns = (1000000 + fm_random(state, 9000000)) * 1000;
    header->max_rss_bytes = (50000 + fm_random(state, 50000)) * 4096;
    header->init_ns = 500000 + fm_random(state, 1000000);
    header->finish_ns = 10000 + fm_random(state, 100000);
    header->event_cost_ps = 40000;
    header->host_memory_bytes = 256ull << 30;
    header->host_cores = job->ranks_per_host;
    header->n_text = 1;
    header->text_exe = add_text(header, "/home/user/ocean/bin/ocean");
    header->text_argv = add_list(header, "./ocean", "--steps=100");
    header->text_env = add_list(header, "OMP_NUM_THREADS=1", "OMPI_MCA_btl=self,vader");
    header->text_build_id = add_text(header, "c3a1f0e9d8b7a6958473625140392817a6b5c4d3");
    header->text_mpi_version = add_text(header, "Open MPI 4.1.4");
    header->text_cpu_model = add_text(header, "Synthetic CPU at 3 GHz");
    header->text_launcher = add_text(header, "Slurm");
    header->text_job_id = add_text(header, "4711");
    header->text_user = add_text(header, "user");
    header->text_cwd = add_text(header, "/home/user/ocean/run");
    header->text_runtime_version = add_text(header, FM_VERSION);
    memcpy(section(header, FM_SECTION_ROUTINES), fm_routines_added, FM_ROUTINES_ADDED_BYTES);
}

static void add_module_and_regions(const struct fm_synthetic *job, struct fm_segment_header *header)
{
    struct fm_segment_module *module = section(header, FM_SECTION_MODULES);
    *module = (struct fm_segment_module){0x550000000000, 0x550000400000, 0x550000000000 + (uint64_t)0, header->text_exe,
                                         header->text_build_id};
    header->n_modules = 1;
    struct fm_segment_region *regions = section(header, FM_SECTION_REGIONS);
    for (uint32_t i = 0; i <= job->regions; i++) {
        snprintf(regions[i].name, sizeof regions[i].name, "region%u", i);
        regions[i].parent = i ? i - 1 : 0;
        regions[i].entries = 100;
        regions[i].wall_ns = 400000000000ull;
    }
    header->n_regions = job->regions + 1;
}

/* count calls of about `mean` ns each. */
static void fill_entry(struct fm_entry *entry, uint64_t count, uint64_t mean, uint64_t bytes, uint64_t *state)
{
    entry->count = count;
    entry->count_arguments = count * bytes / 8;
    entry->extremes.min_ns = mean / 2 + fm_random(state, mean / 10);
    entry->extremes.max_ns = mean * 20 + fm_random(state, mean * 5);
    entry->extremes.second_ns = mean * 10 + fm_random(state, mean * 5);
    entry->extremes.min_event = 1 + fm_random(state, count);
    entry->extremes.max_event = 1 + fm_random(state, count);
    entry->extremes.second_event = 1 + fm_random(state, count);
    entry->total_ns = count * mean / 2 + fm_random(state, count * mean); /* ranks differ by a factor of three */
    entry->bytes = entry->bytes_sent = count * bytes;
    unsigned middle = fm_duration_bin(mean);
    for (unsigned i = middle > 2 ? middle - 2 : 0; i < middle + 6 && i < FM_DURATION_BINS; i++)
        entry->histogram[i] = (uint32_t)(count / 8 + fm_random(state, count / 32 + 1));
}

/* Pairs of neighbours at distances that differ as long as there are more ranks than neighbours. */
static uint32_t ring(const struct fm_synthetic *job, uint32_t rank, uint32_t neighbour)
{
    uint32_t stride = (1 + neighbour / 2 * (job->ranks / (job->neighbours + 1))) % job->ranks;
    return (rank + (neighbour % 2 ? job->ranks - stride : stride)) % job->ranks;
}

/* Of the calls, those at the front are point-to-point: an entry per neighbour. */
static void add_entries(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header,
                        uint64_t *state)
{
    static const uint16_t collectives[] = {
        FM_R_MPI_Allreduce, FM_R_MPI_Bcast,       FM_R_MPI_Barrier,   FM_R_MPI_Reduce,    FM_R_MPI_Gather,
        FM_R_MPI_Scatter,   FM_R_MPI_Alltoall,    FM_R_MPI_Allgather, FM_R_MPI_Comm_rank, FM_R_MPI_Comm_size,
        FM_R_MPI_Waitall,   FM_R_MPI_Wait,        FM_R_MPI_Test,      FM_R_MPI_Wtime,     FM_R_MPI_Init,
        FM_R_MPI_Get_count, FM_R_MPI_Type_commit, FM_R_MPI_Comm_dup,
    };
    struct fm_entry *entries = section(header, FM_SECTION_ENTRIES), *entry = entries;
    for (uint32_t i = 0; i < 2 * job->neighbours; i++, entry++) {
        bool receive = i >= job->neighbours;
        uint32_t peer = ring(job, rank, i % job->neighbours);
        entry->key = (struct fm_key){peer, receive ? FM_R_MPI_Irecv : FM_R_MPI_Isend, (uint8_t)fm_size_bin(8192), 0,
                                     (0x550000001000ull + receive * 0x40) << 16};
        fill_entry(entry, 10000, 800, 8192, state);
        entry->messages = entry->count;
        if (receive) {
            entry->bytes_received = entry->bytes_sent;
            entry->bytes_sent = 0;
        }
    }
    uint32_t kinds = job->routines > 2 ? job->routines - 2 : 1;
    for (uint32_t i = 0; i < job->sites; i++, entry++) {
        uint16_t routine = collectives[i % kinds % (sizeof collectives / sizeof *collectives)];
        bool collective = fm_routine_classes[routine] == FM_CLASS_COLLECTIVE;
        uint32_t bytes = collective ? 8u << i % 8 : 0;
        uint32_t region = job->regions ? i % (job->regions + 1) : 0;
        entry->key = (struct fm_key){collective ? job->ranks : FM_PEER_NONE, routine,
                                     (uint8_t)(collective ? fm_size_bin(bytes) : FM_SIZE_NONE), 0,
                                     (0x550000002000ull + i * 0x30) << 16 | region};
        fill_entry(entry, 1000 + i % 7 * 500, 2000 + i % 18 * i % 18 * 3000, bytes, state);
    }
    header->n_entries = (uint32_t)(entry - entries);
}

/* Each thread's events have two powers of ten, the second without their first digit. */
static void add_timers(const struct fm_synthetic *job, struct fm_segment_header *header, uint64_t *state)
{
    struct fm_segment_timer *timers = section(header, FM_SECTION_TIMERS);
    struct fm_segment_timing *timings = section(header, FM_SECTION_TIMINGS);
    struct fm_segment_bins *bins = section(header, FM_SECTION_TIMER_BINS);
    for (uint32_t i = 0; i < 2 * job->timers; i++) {
        uint32_t first = 1 + (uint32_t)fm_random(state, 100), second = (uint32_t)fm_random(state, 10);
        snprintf(timers[i / 2].name, sizeof timers->name, "timer%u", i / 2);
        timings[i] = (struct fm_segment_timing){
            .count = first + second,
            .total_ns = first * 500000ull + second * 9000000ull,
            .extremes.min_ns = 500000,
            .extremes.max_ns = second ? 9000000 : 500000,
            .extremes.second_ns = second > 1 ? 9000000 : 500000,
            .extremes.min_event = 1,
            .extremes.max_event = first + second,
            .extremes.second_event = first + second - 1,
            .timer = (uint16_t)(i / 2),
            .parent = (uint16_t)(i / 2),
            .thread = (uint8_t)(i % 2),
            .slice_shift = 20,
            .bins[5] = (uint16_t)(2 * i + 1),
            .coarse[6] = second,
            .n_marks = 2,
            .marks = {{first, first * 500000ull}, {first, first * 500000ull}},
        };
        bins[2 * i].counts[5] = first;
    }
    header->n_timers = job->timers;
    header->n_timings = 2 * job->timers;
    header->n_timer_bins = 4 * job->timers;
}

/* ---- call paths ---- */

struct planting {
    struct fm_segment_path *places;
    uint32_t n, capacity;
    bool backwards; /* parents have larger numbers than their children */
};

static uint32_t plant(struct planting *planting, uint32_t parent, uint16_t kind, uint64_t address, uint64_t periods)
{
    if (planting->n == planting->capacity)
        return parent;
    uint32_t place = planting->backwards && planting->n ? planting->capacity - planting->n : planting->n;
    planting->places[place] = (struct fm_segment_path){address, parent, kind, 0, periods};
    planting->n++;
    return place;
}

/* A function: statements of its own, MPI, and a library. */
static void plant_function(struct planting *planting, uint32_t caller, uint64_t offset, uint64_t *state)
{
    uint64_t here = 0x550000100000 + offset * 0x400, library = 0x7f0000000000 + offset % 5 * 0x200;
    uint32_t function = plant(planting, caller, FM_PATH_CALL, here, 0);
    uint32_t site = plant(planting, function, FM_PATH_CALL, here + 0x40, 0);
    uint16_t routine = offset % 3 ? FM_R_MPI_Allreduce : FM_R_MPI_Waitall;
    plant(planting, site, FM_PATH_ROUTINE, routine, 1 + fm_random(state, 2000));
    uint32_t inside = plant(planting, function, FM_PATH_CALL, here + 0x80, 0);
    plant(planting, inside, FM_PATH_LEAF, library, 1 + fm_random(state, 400));
    plant(planting, inside, FM_PATH_LEAF, library + 0x24, 1 + fm_random(state, 400));
    for (uint64_t i = 0; i < 4; i++)
        if (fm_random(state, 8))
            plant(planting, function, FM_PATH_LEAF, here + 0x100 + i * 0x10, 1 + fm_random(state, 100 << i));
}

static void add_paths(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header, uint64_t *state)
{
    struct planting planting = {section(header, FM_SECTION_PATHS), 0, job->paths, rank % 2};
    if (!job->paths)
        return;
    struct fm_segment_module *modules = section(header, FM_SECTION_MODULES);
    modules[header->n_modules++] = (struct fm_segment_module){0x7f0000000000, 0x7f0000010000, 0x7f0000000000 - 0x5000,
                                                              add_text(header, "/usr/lib/libfield.so.1"),
                                                              add_text(header, "00112233445566778899aabbccddeeff")};
    uint32_t way = plant(&planting, 0, FM_PATH_ROOT, 0, 0);
    plant(&planting, plant(&planting, way, FM_PATH_GAP, 0, 0), FM_PATH_LEAF, 0x550000000500, 1 + fm_random(state, 3));
    for (uint64_t i = 0; i < 6; i++)
        way = plant(&planting, way, FM_PATH_CALL, 0x550000000100 + i * 0x100, 0);
    if (rank % 8 == 1)
        plant_function(&planting, way, 1000 + rank % 97, state);
    if (rank % 1000 == 2)
        plant_function(&planting, way, 2000 + rank, state);
    for (uint64_t i = 0; planting.n < planting.capacity; i++)
        plant_function(&planting, way, i, state);
    header->n_paths = planting.capacity;
    header->sample_period_ns = 10000000;
    for (uint32_t i = 0; i < header->n_paths; i++)
        header->samples += planting.places[i].periods;
    header->samples_partial = 2;
    header->samples_lost = rank % 3;
}

/* Phases of 1 to 40 cells, each at one of a few places. */
static void add_sequence(const struct fm_synthetic *job, struct fm_segment_header *header, uint64_t *state)
{
    struct fm_segment_sequence *sequence = section(header, FM_SECTION_SEQUENCE);
    if (!job->paths)
        return;
    header->sequence_shift = 24;
    header->sequence_first = header->started_real_ns >> 24;
    for (uint32_t i = 0; i < FM_SEQUENCE_CELLS;) {
        uint32_t cell = 1 + (uint32_t)fm_random(state, 8) * 7 % job->paths;
        for (uint64_t n = 1 + fm_random(state, 40); n && i < FM_SEQUENCE_CELLS; n--)
            sequence->cells[i++] = cell;
    }
}

/* ---- files and counters ---- */

static void read_file(struct fm_segment_io *io, uint64_t *state)
{
    *io = (struct fm_segment_io){.opens = 1, .reads = 20 + fm_random(state, 100), .seeks = fm_random(state, 20)};
    io->read_bytes = io->reads << 16;
    io->read_ticks = io->reads * (20000 + fm_random(state, 40000));
    io->meta_ticks = 50000 + fm_random(state, 500000);
    io->read_sizes[fm_request_bin(1 << 16)] = io->reads;
}

static void write_file(struct fm_segment_io *io, uint64_t *state)
{
    *io = (struct fm_segment_io){.opens = 1, .writes = 20 + fm_random(state, 100), .syncs = fm_random(state, 2)};
    io->written_bytes = io->writes << 13;
    io->write_ticks = io->writes * (30000 + fm_random(state, 90000));
    io->meta_ticks = 80000 + fm_random(state, 800000);
    io->write_sizes[fm_request_bin(1 << 13)] = io->writes;
}

static void add_files(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header, uint64_t *state)
{
    struct fm_segment_file *files = section(header, FM_SECTION_FILES);
    if (!job->files)
        return;
    snprintf(files->name, sizeof files->name, "%s", FM_OTHER_FILES);
    files->kind = FM_FILE_CLASS;
    for (uint32_t i = 1; i <= job->files; i++) {
        struct fm_segment_file *file = &files[i];
        file->kind = FM_FILE_NAMED;
        file->files = 1;
        switch (i % 3) {
        case 0:
            snprintf(file->name, sizeof file->name, "/scratch/user/ocean/INPUT/forcing%u.nc", i);
            read_file(&file->own, state);
            break;
        case 1:
            snprintf(file->name, sizeof file->name, "/scratch/user/ocean/run/restart%u.%05u", i, rank);
            file->interfaces = FM_FILE_BY_FORTRAN;
            write_file(&file->own, state);
            break;
        default:
            snprintf(file->name, sizeof file->name, "/scratch/user/ocean/out/history%u.nc", i);
            file->kind |= FM_FILE_MPI;
            write_file(&file->own, state);
        }
    }
}

static void add_counters(const struct fm_synthetic *job, struct fm_segment_header *header, uint64_t *state)
{
    static const char *const names[] = {"hinstructions", "hcycles", "hcache-references", "hcache-misses"};
    enum { NAMES = sizeof names / sizeof *names };
    struct fm_segment_counters *thread = section(header, FM_SECTION_COUNTERS);
    if (!job->counters)
        return;
    for (size_t i = 0; i < NAMES; i++) {
        uint32_t at = add_text(header, names[i]);
        header->text_counters = i ? header->text_counters : at;
        uint64_t total = (1000000000000 + fm_random(state, 1000000000000)) >> 2 * i;
        thread->counts[i] = (struct fm_segment_count){.total = total,
                                                      .mpi = total / 8 + fm_random(state, total / 4),
                                                      .enabled_ns = header->user_ns,
                                                      .running_ns = header->user_ns};
    }
    add_text(header, "");
    thread->tid = (uint64_t)header->pid;
    thread->split = NAMES;
    header->n_counters = 1;
}

void fm_synthetic_segment(const struct fm_synthetic *job, uint32_t rank, void *bytes)
{
    struct fm_segment_header *header = bytes;
    uint64_t state = (job->seed + 1) * 0x9e3779b97f4a7c15ull ^ (rank + 1) * 0xbf58476d1ce4e5b9ull;
    memset(bytes, 0, fm_synthetic_bytes(job));
    describe(job, rank, header, &state);
    add_module_and_regions(job, header);
    add_entries(job, rank, header, &state);
    header->n_threads = 1;
    if (job->timing == FM_TIMING_PLAIN)
        add_timers(job, header, &state);
    else
        fm_synthetic_timers(job, rank, header, &state);
    add_paths(job, rank, header, &state);
    add_sequence(job, header, &state);
    add_files(job, rank, header, &state);
    add_counters(job, header, &state);
}
