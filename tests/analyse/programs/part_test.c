/* The profile of one program of a job: what is its, what is shared, and how ranks are numbered. */
#include "analyse/programs/part.h"

#include <string.h>

#include "analyse/balance/balance.h"
#include "analyse/balance/summary.h"
#include "analyse/balance/topology.h"
#include "tap.h"

enum { RANKS = 5, SECOND = 1000000000 };

static struct fm_rankset ranks_of(struct fm_profile *profile, uint32_t first, uint32_t last)
{
    struct fm_rankset set = {0};
    fm_rankset_add(&set, &profile->arena, first, last);
    return set;
}

static struct fm_event event_of(const char *routine, const char *module, uint64_t count)
{
    return (struct fm_event){
        .key = {.routine = routine, .region = "", .site = {module, "", 16}},
        .stats = {.count = count, .total_ns = count * 1000, .min = {10, 1, 0}, .max = {90, 2, 0}, .messages = count},
    };
}

static void set_routine(struct fm_profile *profile, struct fm_routine_total *routine, const char *name, uint32_t first,
                        uint32_t last)
{
    *routine = (struct fm_routine_total){.name = name, .ranks = ranks_of(profile, first, last)};
    routine->per_rank = fm_arena_alloc(&profile->arena, RANKS * sizeof *routine->per_rank);
    for (uint32_t rank = first; rank <= last; rank++) {
        const struct fm_rank_value value = {rank, 1000 * (rank + 1), rank + 1, 8};
        routine->per_rank[routine->n_per_rank++] = value;
        fm_spread_add(&routine->time_ns, value.time_ns, rank);
        fm_spread_add(&routine->calls, value.calls, rank);
        fm_spread_add(&routine->bytes, value.bytes, rank);
        routine->stats.count += value.calls;
        routine->stats.total_ns += value.time_ns;
    }
}

static struct fm_path_cost cost_of(uint32_t first, uint32_t last, uint64_t each_ns)
{
    struct fm_path_cost cost = {0};
    for (uint32_t rank = first; rank <= last; rank++) {
        struct fm_path_cost one = fm_path_cost_of(each_ns + rank, rank);
        fm_path_cost_merge(&cost, &one);
    }
    return cost;
}

/* Ranks 0-1 are /run/atm, 2-4 /run/ocean. Both call MPI_Barrier from their own code, and MPI_Bcast from libcpl.so. */
static struct fm_profile *coupled(void)
{
    static struct fm_program programs[] = {{"/run/atm", "", {0}}, {"/run/ocean", "", {0}}};
    static struct fm_process processes[RANKS];
    static struct fm_routine_total routines[3];
    static struct fm_event events[5];
    static struct fm_edge sent[] = {{0, 1, 2, 100, 5}, {0, 4, 1, 40, 5}, {2, 3, 1, 10, 5}, {3, 2, 1, 20, 5}};
    static struct fm_region regions[3];
    static struct fm_snapshot snapshots[] = {{.label = "all", .collective = 1, .rank = FM_NO_RANK},
                                             {.label = "mine", .rank = 3}};
    static struct fm_timer timers[2];
    static struct fm_note notes[] = {{.argument = "", .text = "x", .amount = 7}};
    static struct fm_path_node nodes[6];
    static uint32_t cells[2][FM_SEQUENCE_CELLS] = {{4, 1}, {6, 2}};
    static struct fm_sequence_row rows[] = {{0, cells[0]}, {2, cells[1]}};
    static const char *argv[] = {"./atm"};
    struct fm_profile *profile = fm_profile_create();
    programs[0].ranks = ranks_of(profile, 0, 1);
    programs[1].ranks = ranks_of(profile, 2, 4);
    profile->job.ranks = RANKS;
    profile->job.exe = "/run/atm";
    profile->job.argv = argv;
    profile->job.n_argv = 1;
    profile->programs = programs;
    profile->n_programs = 2;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        processes[rank] = fm_process_of(rank, FM_END_FINALIZED);
        processes[rank].wall_ns = 10ull * SECOND;
        processes[rank].mpi_ns = (rank < 2 ? 8ull : 2) * SECOND;
    }
    profile->processes = processes;
    profile->n_processes = RANKS;
    set_routine(profile, &routines[0], "MPI_Barrier", 0, 4);
    set_routine(profile, &routines[1], "MPI_Bcast", 0, 4);
    set_routine(profile, &routines[2], "MPI_Recv", 3, 4);
    profile->routines = routines;
    profile->n_routines = 3;
    events[0] = event_of("MPI_Barrier", "/run/atm", 3);
    events[1] = event_of("MPI_Barrier", "/run/ocean", 12);
    events[2] = event_of("MPI_Bcast", "/lib/libcpl.so", 14);
    events[3] = event_of("MPI_Bcast", "/run/ocean", 1);
    events[4] = event_of("MPI_Recv", "/lib/libcpl.so", 9);
    profile->events = events;
    profile->n_events = 5;
    profile->sent = (struct fm_edges){.items = sent, .n = 4};
    regions[0] = (struct fm_region){.path = "couple", .ranks = ranks_of(profile, 1, 2)};
    regions[1] = (struct fm_region){.path = "sea", .ranks = ranks_of(profile, 2, 4)};
    regions[2] = (struct fm_region){.path = "sky", .ranks = ranks_of(profile, 0, 1)};
    profile->regions = regions;
    profile->n_regions = 3;
    timers[0] = (struct fm_timer){.name = "both", .parent = "", .ranks = ranks_of(profile, 0, 4)};
    timers[1] = (struct fm_timer){.name = "sea", .parent = "", .ranks = ranks_of(profile, 2, 2)};
    profile->timers = timers;
    profile->n_timers = 2;
    profile->snapshots = snapshots;
    profile->n_snapshots = 2;
    notes[0].ranks = ranks_of(profile, 1, 3);
    profile->notes = notes;
    profile->n_notes = 1;
    /* root > libc > (atm, ocean), a thread of MPI below libc, and a leaf of ocean */
    nodes[0] = (struct fm_path_node){
        .kind = FM_PATH_ROOT, .site = {"", "", 0}, .routine = "", .all = cost_of(0, 4, 400)};
    nodes[1] = (struct fm_path_node){0, FM_PATH_CALL, {"/lib/libc.so", "", 1}, "", {0}, cost_of(0, 4, 400)};
    nodes[2] = (struct fm_path_node){1,  FM_PATH_LEAF,       {"/lib/libmpi.so.40", "", 1},
                                     "", cost_of(0, 4, 100), cost_of(0, 4, 100)};
    nodes[3] = (struct fm_path_node){1, FM_PATH_LEAF, {"/run/atm", "", 1}, "", cost_of(0, 1, 300), cost_of(0, 1, 300)};
    nodes[4] = (struct fm_path_node){1, FM_PATH_CALL, {"/run/ocean", "", 1}, "", {0}, cost_of(2, 4, 300)};
    nodes[5] = (struct fm_path_node){4,  FM_PATH_LEAF,       {"/lib/libm.so", "", 1},
                                     "", cost_of(2, 4, 300), cost_of(2, 4, 300)};
    profile->paths.nodes = nodes;
    profile->paths.n = 6;
    profile->paths.samples = 100;
    profile->paths.sequence = (struct fm_sequence){.n_cells = 2, .rows = rows, .n = 2, .capacity = 2};
    return profile;
}

static struct fm_profile *part_of(struct fm_profile *profile, size_t program)
{
    struct fm_profile *part = NULL;
    struct fm_error error;
    return fm_part_make(profile, program, FM_PART_PATHS, &profile->arena, &part, &error) ? NULL : part;
}

static void test_ranks(struct fm_profile *profile)
{
    struct fm_arena arena = {0};
    struct fm_error error;
    struct fm_summary summary;
    const struct fm_profile *ocean = part_of(profile, 1), *atm = part_of(profile, 0);
    tap_ok(ocean->n_processes == 3 && ocean->processes[0].rank == 2 && ocean->job.ranks == 3, "its processes");
    tap_ok(fm_profile_complete(ocean) && !fm_summarise(ocean, &arena, &summary, &error) && !summary.n_ends,
           "ranks of other programs are not missing");
    tap_ok(strcmp(summary.name, "ocean") == 0 && summary.mpi_sum_ns == 6ull * SECOND, "its name and its time in MPI");
    tap_ok(ocean->job.n_argv == 0 && atm->job.n_argv == 1 && strcmp(ocean->job.exe, "/run/ocean") == 0,
           "the command is that of the program, or not known");
    tap_ok(ocean->n_notes == 1 && ocean->notes[0].amount == 0 && fm_rankset_count(&ocean->notes[0].ranks) == 2,
           "what a note counts on ranks of both is not known");
    fm_arena_destroy(&arena);
}

static void test_calls(struct fm_profile *profile)
{
    const struct fm_profile *ocean = part_of(profile, 1), *atm = part_of(profile, 0);
    const struct fm_routine_total *barrier = &ocean->routines[0], *bcast = &ocean->routines[1];
    tap_ok(barrier->stats.count == 12 && barrier->stats.messages == 12 && barrier->stats.max.ns == 90,
           "calls from the program's own code are its");
    tap_ok(barrier->n_per_rank == 3 && barrier->time_ns.min_rank == 2 && barrier->time_ns.sum == 12000,
           "and the times of its ranks");
    tap_ok(bcast->stats.count == 12 && bcast->stats.total_ns == 12000 && bcast->stats.messages == FM_UNKNOWN &&
               !bcast->stats.max.event,
           "of calls from a shared library those of each rank are known, the rest is not");
    tap_ok(ocean->n_events == 3 && ocean->part->calls == 14 && ocean->part->calls_ns == 14000,
           "by call site they are left out, and counted");
    tap_ok(ocean->n_routines == 3 && atm->n_routines == 2 && atm->part->calls == 14,
           "a routine that only one program calls is its, wherever from");
    tap_ok(ocean->sent.n == 3 && atm->sent.n == 2, "messages to and from other programs stay");
}

/* The profile of a large job has times of each rank, but no calls. */
static void test_unknown_calls(struct fm_profile *profile)
{
    struct fm_routine_total *bcast = &profile->routines[1];
    for (size_t i = 0; i < bcast->n_per_rank; i++)
        bcast->per_rank[i].calls = 0;
    const struct fm_profile *ocean = part_of(profile, 1);
    tap_ok(ocean->part->routines == 1 && ocean->n_routines == 2 && strcmp(ocean->routines[1].name, bcast->name) != 0,
           "a routine whose calls cannot be told apart is left out, and counted");
}

static void test_marks(struct fm_profile *profile)
{
    const struct fm_profile *ocean = part_of(profile, 1), *atm = part_of(profile, 0);
    tap_ok(ocean->n_regions == 1 && strcmp(ocean->regions[0].path, "sea") == 0 && ocean->part->regions == 1,
           "regions of one program, and how many are shared");
    tap_ok(ocean->n_timers == 1 && atm->n_timers == 0 && atm->part->timers == 1, "timers, too");
    tap_ok(ocean->n_snapshots == 1 && ocean->part->snapshots == 1 && atm->n_snapshots == 0,
           "snapshots of its processes, none of all ranks");
}

static void test_paths(struct fm_profile *profile)
{
    const struct fm_profile *ocean = part_of(profile, 1);
    const struct fm_call_paths *paths = &ocean->paths;
    tap_ok(paths->n == 4 && paths->nodes[3].parent == 2 && strcmp(paths->nodes[2].site.module, "/run/ocean") == 0,
           "paths through the program, with what is above and below");
    tap_ok(paths->nodes[0].all.sum_ns == 909 && paths->nodes[1].all.sum_ns == 909 && paths->nodes[1].own.sum_ns == 0,
           "what is above has the time of what is below");
    tap_ok(paths->nodes[3].all.max_rank == 2 && fm_part_rank(ocean->part, 2) == 4 && fm_part_rank(ocean->part, 0) == 2,
           "ranks are numbered within the program, and back");
    tap_ok(ocean->part->threads_ns == 510 && ocean->part->sampled_ns == 0, "threads of MPI belong to no program");
    tap_ok(paths->sequence.n == 1 && paths->sequence.rows[0].rank == 2 && paths->sequence.rows[0].cells[0] == 4 &&
               paths->sequence.rows[0].cells[1] == 2,
           "a sequence of its ranks, by their paths");
    tap_ok(fm_call_paths_check(paths) == NULL, "the tree is valid");
}

static void test_names(struct fm_profile *profile)
{
    static struct fm_program same[] = {{"/a/b/model", "11", {0}},
                                       {"/a/c/model", "22", {0}},
                                       {"/d/sea", "0123456789", {0}},
                                       {"/d/sea", "9876543210", {0}}};
    struct fm_profile other = {.programs = same, .n_programs = 4};
    struct fm_error error;
    size_t found;
    const char *first = fm_program_label(&other, 0, &profile->arena),
               *last = fm_program_label(&other, 3, &profile->arena);
    tap_ok(strcmp(fm_program_label(profile, 1, &profile->arena), "ocean") == 0, "a name is the file's");
    tap_ok(strcmp(first, "b/model") == 0, "with as much of the path as tells it apart");
    tap_ok(strcmp(last, "sea [98765432]") == 0, "or the build id");
    tap_ok(!fm_program_find(profile, "ocean", &found, &error) && found == 1 &&
               !fm_program_find(profile, "/run/atm", &found, &error) && found == 0 &&
               !fm_program_find(profile, "./ocean", &found, &error) && found == 1 &&
               !fm_program_find(profile, "2", &found, &error) && found == 1,
           "found by name, path and number");
    tap_ok(fm_program_find(&other, "model", &found, &error) == FM_ERR_USAGE && strstr(error.text, "b/model, c/model"),
           "a name of two is refused, with all names");
    tap_ok(fm_program_find(profile, "0", &found, &error) == FM_ERR_USAGE &&
               fm_program_find(profile, "3", &found, &error) == FM_ERR_USAGE &&
               fm_program_find(profile, "", &found, &error) == FM_ERR_USAGE &&
               fm_program_find(profile, "cean", &found, &error) == FM_ERR_USAGE,
           "what is no program's");
    tap_ok(fm_program_find(&(struct fm_profile){0}, "x", &found, &error) == FM_ERR_INPUT, "no programs are known");
}

static void test_ranges(struct fm_profile *profile)
{
    struct fm_program_ranges ranges;
    struct fm_topology topology;
    struct fm_program_pairs pairs;
    struct fm_error error;
    fm_program_ranges_make(profile, &profile->arena, &ranges);
    tap_ok(fm_program_of_rank(&ranges, 1) == 0 && fm_program_of_rank(&ranges, 4) == 1 &&
               fm_program_of_rank(&ranges, 5) == FM_NO_PROGRAM,
           "the program of a rank");
    fm_topology_find(profile, &profile->arena, &topology, &error);
    tap_ok(fm_topology_programs(&topology, &ranges, &profile->arena, &pairs) && pairs.n == 3 &&
               pairs.items[0].sum.bytes == 100 && pairs.items[1].sum.from == 0 && pairs.items[1].sum.to == 1 &&
               pairs.items[2].pairs == 2 && pairs.items[2].sum.bytes == 30,
           "traffic by program");
    fm_rankset_add(&profile->programs[0].ranks, &profile->arena, 2, 2);
    fm_program_ranges_make(profile, &profile->arena, &ranges);
    tap_ok(ranges.n == 0, "a rank of two programs cannot be grouped");
}

int main(void)
{
    struct fm_profile *profile = coupled();
    test_ranks(profile);
    test_calls(profile);
    test_marks(profile);
    test_paths(profile);
    test_names(profile);
    test_ranges(profile);
    test_unknown_calls(profile);
    fm_profile_destroy(profile);
    return tap_done();
}
