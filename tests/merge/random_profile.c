#include "format/segment.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "model/note.h"
#include "model/note_codes.h"

/* Small numbers mostly, so that extremes tie; sometimes the largest, so that sums saturate. */
static uint64_t number(uint64_t *state)
{
    switch (fm_random(state, 16)) {
    case 0:
        return UINT64_MAX - fm_random(state, 3);
    case 1:
        return fm_random(state, UINT64_MAX);
    default:
        return fm_random(state, 5);
    }
}

static const char *word(uint64_t *state)
{
    static const char *const words[] = {"", "a", "b", "ab", "abc", "a/b", "b/a", "\xc3\xa4", "MPI_Send", "MPI_Recv"};
    return words[fm_random(state, sizeof words / sizeof *words)];
}

/* Whatever the schema has, so that a new field is tested by being there. */
static void fill(uint64_t *state, const struct fm_fields *fields, void *item)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct fm_field *field = &fields->list[i];
        if (field->kind == FM_FIELD_TEXT)
            *fm_field_text(field, item) = word(state);
        else if (field->kind == FM_FIELD_U64 || field->kind == FM_FIELD_MAYBE)
            fm_field_set(field, item, number(state));
        else if (field->kind != FM_FIELD_RETIRED)
            fm_field_set(field, item, fm_random(state, 5));
    }
}

static struct fm_extreme extreme(uint64_t *state, uint32_t rank)
{
    return (struct fm_extreme){fm_random(state, 4), 1 + fm_random(state, 3), rank};
}

static struct fm_stats stats(uint64_t *state, uint32_t rank)
{
    struct fm_stats sum = {0};
    for (uint64_t n = 1 + fm_random(state, 3); n; n--) {
        struct fm_stats one = {
            .count = 1,
            .count_arguments = number(state),
            .total_ns = number(state),
            .bytes = number(state),
            .bytes_sent = number(state),
            .bytes_received = number(state),
            .messages = number(state),
        };
        one.min = one.max = extreme(state, rank);
        one.histogram.bins[fm_random(state, FM_DURATION_BINS)] = number(state);
        fm_stats_merge(&sum, &one);
    }
    return sum;
}

static void add_routine(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_range range = {rank, rank};
    struct fm_rank_value value = {rank, number(state), number(state), number(state)};
    struct fm_routine_total routine = {
        .name = word(state),
        .stats = stats(state, rank),
        .ranks = {&range, 1, 1},
        .per_rank = &value,
        .n_per_rank = 1,
    };
    fm_spread_add(&routine.time_ns, value.time_ns, rank);
    fm_spread_add(&routine.calls, value.calls, rank);
    fm_spread_add(&routine.bytes, value.bytes, rank);
    fm_merge_routines(p, &routine, 1);
}

static void add_event(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_event event = {
        .key = {word(state),
                word(state),
                (uint32_t)fm_random(state, FM_SIZE_BINS),
                (uint32_t)fm_random(state, 3),
                {word(state), word(state), fm_random(state, 3)}},
        .stats = stats(state, rank),
    };
    if (fm_random(state, 2)) { /* so that keys meet */
        event.key.site = (struct fm_site){"a", "b", 1};
        event.key.size_bin %= 3;
    }
    fm_merge_events(p, &event, 1);
}

static void add_edges(struct fm_profile *p, uint64_t *state, uint32_t rank, uint32_t ranks)
{
    struct fm_edge to = {rank, (uint32_t)fm_random(state, ranks), number(state), number(state), number(state)};
    struct fm_edge from = {(uint32_t)fm_random(state, ranks), rank, number(state), number(state), number(state)};
    fm_merge_edges(p, &p->sent, &(struct fm_edges){.items = &to, .n = 1});
    fm_merge_edges(p, &p->received, &(struct fm_edges){.items = &from, .n = 1, .dropped = fm_random(state, 2)});
}

static void add_snapshot(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_snapshot_routine routines[] = {{"MPI_A", number(state), number(state), number(state)},
                                             {word(state), number(state), number(state), number(state)}};
    struct fm_snapshot snapshot = {
        .label = word(state),
        .collective = (uint32_t)fm_random(state, 2),
        .order = (uint32_t)fm_random(state, 3),
        .ranks = 1,
        .when_ns = number(state),
        .mpi_ns = number(state),
        .routines = routines,
        .n_routines = fm_random(state, 2),
    };
    snapshot.rank = snapshot.collective ? FM_NO_RANK : rank;
    fm_merge_snapshots(p, &snapshot, 1);
}

static void add_timer(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_timer timer;
    struct fm_timer_task task = {
        .total_ns = number(state),
        .children_ns = number(state),
        .overhead_ns = number(state),
        .overhead_inside_ns = number(state),
        .longest = {fm_random(state, 4), 1 + fm_random(state, 3)},
        .second = {fm_random(state, 4), fm_random(state, 3)},
        .shortest = {fm_random(state, 4), 1 + fm_random(state, 3)},
        .half_events = {number(state), number(state)},
        .half_ns = {number(state), number(state)},
    };
    for (uint64_t n = 1 + fm_random(state, 4); n; n--) {
        uint64_t events = 1 + fm_random(state, 20);
        task.counts[fm_random(state, 4) ? fm_random(state, 12) : fm_random(state, FM_DECIMAL_BINS)] += events;
        task.events += events;
    }
    fm_spread_add(&task.thread_ns, number(state), rank);
    fm_timer_of_task(&timer, &p->arena, word(state), word(state), rank, &task);
    fm_merge_timers(p, &timer, 1);
}

/* Few places, or so many that some are given up. */
static void add_misuse(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_range range = {rank, rank};
    struct fm_timer timer = {.name = word(state), .parent = ""};
    uint64_t places = fm_random(state, 4) ? 3 : 40;
    for (uint64_t n = 1 + fm_random(state, places); n; n--) {
        struct fm_misuse misuse = {(uint32_t)fm_random(state, FM_TIMER_MISUSES + 1),
                                   {word(state), word(state), fm_random(state, places)},
                                   number(state),
                                   {&range, 1, 1}};
        if (misuse.kind == FM_TIMER_MISUSES)
            misuse.kind = FM_MISUSE_RUNNING;
        if (!*misuse.site.module)
            misuse.site = (struct fm_site){"", "", 0};
        fm_merge_misuses(p, &timer, &misuse, 1);
    }
    fm_merge_timers(p, &timer, 1);
}

static uint64_t cost(uint64_t *state)
{
    uint64_t ns = number(state);
    return ns ? ns : 1 + fm_random(state, 5000000);
}

/* Each of the possible children with a chance of its own, in their order. */
static void add_children(struct fm_call_paths *paths, struct fm_arena *arena, uint64_t *state, uint32_t rank,
                         size_t parent, unsigned depth)
{
    static const struct fm_path_node kinds[] = {
        {.kind = FM_PATH_GAP, .site = {"", "", 0}, .routine = ""},
        {.kind = FM_PATH_CALL, .site = {"", "", 9}, .routine = ""},
        {.kind = FM_PATH_CALL, .site = {"a", "", 1}, .routine = ""},
        {.kind = FM_PATH_CALL, .site = {"a", "b", 0}, .routine = ""},
        {.kind = FM_PATH_CALL, .site = {"b", "b", UINT64_MAX}, .routine = ""},
        {.kind = FM_PATH_ROUTINE, .site = {"", "", 0}, .routine = "MPI_Recv"},
        {.kind = FM_PATH_ROUTINE, .site = {"", "", 0}, .routine = "MPI_Send"},
        {.kind = FM_PATH_LEAF, .site = {"a", "b", 5}, .routine = ""},
        {.kind = FM_PATH_LEAF, .site = {"a", "b", 6}, .routine = ""},
    };
    for (size_t i = paths->nodes[parent].kind != FM_PATH_ROOT; i < sizeof kinds / sizeof *kinds; i++) {
        if (fm_random(state, 4))
            continue;
        paths->nodes = fm_arena_grow(arena, paths->nodes, &paths->capacity, paths->n + 1, sizeof *paths->nodes);
        struct fm_path_node *node = &paths->nodes[paths->n++];
        *node = kinds[i];
        node->parent = (uint32_t)parent;
        size_t last = paths->n;
        if (node->kind < FM_PATH_ROUTINE && depth < 9)
            add_children(paths, arena, state, rank, paths->n - 1, depth + 1);
        if (last == paths->n || !fm_random(state, 9))
            paths->nodes[last - 1].own = fm_path_cost_of(cost(state), rank);
    }
}

/* Of a few moments, or of many with a gap of years. */
static void add_sequence(struct fm_call_paths *paths, struct fm_arena *arena, uint64_t *state, uint32_t rank)
{
    struct fm_sequence *s = &paths->sequence;
    s->shift = (uint32_t)fm_random(state, 3) * 7;
    s->n_cells = 1 + (uint32_t)fm_random(state, fm_random(state, 2) ? FM_SEQUENCE_CELLS : 9);
    s->first = (fm_random(state, 9) ? 1000000 : 1000 + fm_random(state, 5000000)) >> s->shift;
    s->rows = fm_arena_alloc(arena, sizeof *s->rows);
    s->rows[0] = (struct fm_sequence_row){rank, fm_arena_alloc(arena, FM_SEQUENCE_CELLS * sizeof *s->rows[0].cells)};
    s->n = s->capacity = 1;
    for (uint32_t i = 0; i < s->n_cells; i++)
        s->rows[0].cells[i] = (uint32_t)fm_random(state, paths->n + 1);
}

static void add_paths(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_arena scratch = {0};
    struct fm_path_node root = {.kind = FM_PATH_ROOT, .site = {"", "", 0}, .routine = ""};
    struct fm_call_paths paths = {
        .samples = number(state), .partial = number(state), .lost = number(state), .folded_ns = number(state)};
    paths.period_ns[0] = paths.period_ns[1] = fm_random(state, 3);
    paths.nodes = fm_arena_grow(&scratch, NULL, &paths.capacity, 1, sizeof root);
    paths.nodes[paths.n++] = root;
    add_children(&paths, &scratch, state, rank, 0, 1);
    if (paths.n == 1)
        paths.nodes[0].own = fm_path_cost_of(cost(state), rank);
    fm_call_paths_inclusive(&paths, rank);
    fm_call_paths_make_shares(&paths, &scratch, &scratch, rank);
    if (fm_random(state, 4))
        add_sequence(&paths, &scratch, state, rank);
    fm_merge_paths(p, &paths, &scratch);
    fm_arena_destroy(&scratch);
}

/* Of this Fathom, of an older one that has only a text, or of a newer one. */
static void add_note(struct fm_profile *p, uint64_t *state, struct fm_range *range)
{
    static const uint32_t codes[] = {
        FM_NOTE_TEXT, FM_NOTE_INVALID_SETTING, FM_NOTE_SPAWNED, FM_NOTE_TIMER_MISUSES, FM_NOTE_UNKNOWN_SETTING, 70000,
        UINT32_MAX};
    struct fm_note note = {
        .code = codes[fm_random(state, sizeof codes / sizeof *codes)],
        .argument = word(state),
        .amount = number(state),
        .ranks = {range, 1, 1},
    };
    note.text = fm_note_known(note.code) ? "" : word(state);
    fm_merge_notes(p, &note, 1);
}

static void add_counter(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_range range = {rank, rank};
    struct fm_counter counter = {0};
    fill(state, &fm_counter_fields, &counter);
    counter.rank = rank;
    fm_merge_list(p, &fm_list_counters, &counter, 1);
    counter.rank = FM_NO_RANK;
    counter.ranks = (struct fm_rankset){&range, 1, 1};
    fm_spread_add(&counter.counts, number(state), rank);
    fm_spread_add(&counter.in_mpis, number(state), rank);
    fm_merge_list(p, &fm_list_counters, &counter, 1);
}

static void add_process(struct fm_profile *p, uint64_t *state, uint32_t rank)
{
    struct fm_range range = {rank, rank};
    struct fm_host host = {.ranks = {&range, 1, 1}};
    struct fm_process process = {0};
    struct fm_program program = {.ranks = {&range, 1, 1}};
    struct fm_succession succession = {.ranks = {&range, 1, 1}};
    struct fm_file file = {.ranks = {&range, 1, 1}};
    struct fm_class_of_files class = {.ranks = {&range, 1, 1}};
    struct fm_region region = {.ranks = {&range, 1, 1}};
    struct fm_span span = {.ranks = {&range, 1, 1}};
    fill(state, &fm_host_fields, &host);
    fill(state, &fm_process_fields, &process);
    fill(state, &fm_program_fields, &program);
    fill(state, &fm_succession_fields, &succession);
    fill(state, &fm_file_fields, &file);
    fill(state, &fm_class_of_files_fields, &class);
    fill(state, &fm_region_fields, &region);
    fill(state, &fm_span_fields, &span);
    process.rank = rank;
    process.host = 0;
    process.end = (uint32_t)fm_random(state, FM_END_MISSING + 1);
    fm_spread_add(&region.wall_per_rank, region.wall_ns, rank);
    fm_spread_add(&span.wall_ns, number(state), rank);
    fm_spread_add(&span.outside_ns, number(state), rank);
    fm_spread_add(&class.time_ns, number(state), rank);
    fm_spread_add(&class.bytes, number(state), rank);
    fm_merge_hosts(p, &host, 1);
    fm_merge_list(p, &fm_list_programs, &program, 1);
    fm_merge_list(p, &fm_list_successions, &succession, 1);
    fm_merge_list(p, &fm_list_files, &file, 1);
    fm_merge_list(p, &fm_list_file_classes, &class, 1);
    fm_merge_processes(p, &process, 1);
    fm_merge_regions(p, &region, 1);
    fm_merge_list(p, &fm_list_spans, &span, 1);
    add_note(p, state, &range);
}

static void add_job(struct fm_profile *p, uint64_t *state)
{
    struct fm_job *job = &p->job;
    fill(state, &fm_job_fields, job);
    job->key = "job";
    job->n_argv = fm_random(state, 3);
    job->argv = fm_arena_alloc(&p->arena, job->n_argv * sizeof *job->argv);
    for (size_t i = 0; i < job->n_argv; i++)
        job->argv[i] = word(state);
    job->n_env = fm_random(state, 2);
    job->env = fm_arena_alloc(&p->arena, sizeof *job->env);
    *job->env = (struct fm_name_value){word(state), word(state)};
    if (fm_random(state, 3))
        job->cart = (struct fm_grid){2, {2, 1 + (uint32_t)fm_random(state, 16) / 15}};
}

struct fm_profile *fm_random_profile(uint64_t *state, uint32_t ranks)
{
    struct fm_profile *p = fm_profile_create();
    if (!fm_random(state, 20))
        return p;
    add_job(p, state);
    uint32_t rank = (uint32_t)fm_random(state, ranks);
    add_process(p, state, rank);
    if (fm_random(state, 4))
        add_paths(p, state, rank);
    for (uint64_t n = fm_random(state, 8); n; n--) {
        add_routine(p, state, rank);
        add_event(p, state, rank);
        add_edges(p, state, rank, ranks);
        add_snapshot(p, state, rank);
        add_timer(p, state, rank);
        add_misuse(p, state, rank);
        add_counter(p, state, rank);
    }
    return p;
}
