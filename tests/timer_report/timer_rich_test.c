/* The rich report of made-up timers, against figures/rich*.txt.
 *
 *   timer_rich_test --golden FOLDER   writes these texts anew: read the difference before keeping them
 *   timer_rich_test --profile FILE    writes the timers as a profile
 *   timer_rich_test --noted FILE      the same with notes */
#include "timer_report/timer_rich.h"

#include "format/encode.h"
#include "format/segment.h"
#include "merge/notes.h"
#include "merge/synthetic.h"
#include "tap.h"
#include "timer_report/paper.h"

enum { TASKS = 4500 };

/* Events with what goes with them, as a run would have it. */
static struct fm_timer_task task_of(uint64_t ns, uint64_t events, uint64_t first_ns)
{
    struct fm_timer_task task = {.events = events, .total_ns = ns * (events - 1) + first_ns};
    task.counts[fm_decimal_bin(ns)] = events - 1;
    task.counts[fm_decimal_bin(first_ns)]++;
    task.longest = (struct fm_timer_event){first_ns, 1};
    task.shortest = (struct fm_timer_event){events > 1 ? ns : first_ns, events};
    if (events > 1)
        task.second = (struct fm_timer_event){ns, 2};
    task.half_events[0] = events / 2;
    task.half_events[1] = events - events / 2;
    task.half_ns[0] = task.total_ns / 2;
    task.half_ns[1] = task.total_ns - task.half_ns[0];
    return task;
}

static void add_step(struct fm_profile *p)
{
    for (uint32_t rank = 0; rank < TASKS; rank++) {
        struct fm_timer_task task = task_of(510ull * MS, 128, 900ull * MS);
        task.children_ns = task.total_ns / 10 * 9;
        add_task(p, "step", rank, &task);
    }
}

/* Every third task has ice, and takes longer in the second half. */
static void add_ice(struct fm_profile *p)
{
    for (uint32_t rank = 0; rank < TASKS; rank++) {
        bool ice = rank % 3 == 0;
        struct fm_timer_task task = task_of((ice ? 60ull + rank % 9 : 6) * MS, 128, 75ull * MS);
        task.half_ns[1] += task.total_ns / 10;
        task.half_ns[0] -= task.total_ns / 10;
        add_task_in(p, "ice", "step", rank, &task);
    }
}

/* Short events of four threads, that cost more than they should. */
static void add_halo(struct fm_profile *p)
{
    for (uint32_t rank = 0; rank < TASKS; rank++) {
        struct fm_timer_task task = task_of(1200 + rank % 7 * 100, 40000, 5ull * MS);
        task.overhead_ns = task.events * 40;
        task.overhead_inside_ns = task.events * 20;
        for (uint64_t thread = 0; thread < 4; thread++)
            fm_spread_add(&task.thread_ns, task.total_ns / 10 * (thread + 1), rank);
        add_task_in(p, "halo", rank % 2 ? "ice" : "step", rank, &task);
    }
}

/* Of some tasks, and no second event. */
static void add_output(struct fm_profile *p)
{
    for (uint32_t rank = 0; rank < TASKS; rank += 75) {
        struct fm_timer_task task = task_of(2500ull * MS, 1, 2500ull * MS + rank);
        add_task(p, "write the restart \x1b[31m file", rank, &task);
    }
}

/* The land and the sea of the paper's Figure 6. */
static void add_baroclinic(struct fm_profile *p)
{
    char *data = read_figure("6-7.tasks");
    for (char *line = data; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, "tasks ", 6))
            add_tasks(p, "baroclinic_driver", line);
    free(data);
}

static struct fm_profile *make_timers(void)
{
    struct fm_profile *p = fm_profile_create();
    if (!p)
        exit(1);
    p->job.ranks = TASKS;
    add_step(p);
    add_ice(p);
    add_halo(p);
    add_output(p);
    add_baroclinic(p);
    return p;
}

static const struct golden {
    const char *name;
    struct fm_timer_rich layout;
} goldens[] = {
    {"rich.txt", {.tasks = TASKS}},
    {"rich-ascii.txt", {.tasks = TASKS, .ascii = true, .correct = true}},
    {"rich-cluster.txt", {.tasks = TASKS, .cluster = true, .groups = 3}},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

static void test_goldens(void)
{
    struct fm_profile *p = make_timers();
    for (size_t i = 0; i < GOLDENS; i++) {
        char *wanted = read_figure(goldens[i].name);
        const char *text = fm_timers_rich(p->timers, p->n_timers, &goldens[i].layout, &p->arena);
        if (!tap_ok(text && strcmp(text, wanted) == 0, "as in figures/%s", goldens[i].name))
            printf("# got:\n%s", text ? text : "nothing\n");
        free(wanted);
    }
    fm_profile_destroy(p);
}

static int write_goldens(const char *folder)
{
    struct fm_profile *p = make_timers();
    for (size_t i = 0; i < GOLDENS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, goldens[i].name);
        FILE *file = fopen(path, "w");
        if (!file || fputs(fm_timers_rich(p->timers, p->n_timers, &goldens[i].layout, &p->arena), file) < 0 ||
            fclose(file))
            return 1;
    }
    fm_profile_destroy(p);
    return 0;
}

static int write_profile(const char *path, bool noted)
{
    struct fm_profile *p = make_timers();
    struct fm_error error;
    struct fm_range range = {3, 3};
    struct fm_rankset ranks = {&range, 1, 1};
    if (noted && (!fm_profile_note(p, FM_NOTE_CUT_TIMER_NAMES, "", 7, &ranks) ||
                  !fm_profile_note(p, FM_NOTE_TIMER_MISUSES, "", 8, &ranks) ||
                  !fm_profile_note(p, FM_NOTE_UNMATCHED_REGION_ENDS, "", 9, &ranks)))
        return 1;
    int status = fm_profile_write(p, path, &error) ? 1 : 0;
    fm_profile_destroy(p);
    return status;
}

/* Lists are folded at the end of a line: without blanks and line ends they are there as a whole. */
static void test_full(void)
{
    struct fm_profile *p = make_timers();
    struct fm_timer_rich layout = {.tasks = TASKS, .full = true};
    const char *text = fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena);
    char *plain = calloc(1, strlen(text) + 1), *to = plain;
    for (const char *c = text; *c; c++)
        if (*c != ' ' && *c != '\n')
            *to++ = *c;
    for (size_t i = 0; i < p->n_timers; i++) {
        struct fm_timer_group *groups;
        size_t n, there = 0;
        if (!fm_timer_reduce(&p->timers[i], 0, &p->arena, &groups, &n))
            exit(1);
        for (size_t g = 0; g < n; g++)
            there += strstr(plain, fm_rankset_text(&groups[g].ranks, &p->arena, 0)) != NULL;
        tap_ok(there == n, "%zu lists in full", n);
    }
    free(plain);
    fm_profile_destroy(p);
}

/* ---- what a damaged or an odd profile may have ---- */

static void add_misuse(struct fm_profile *p, const char *timer)
{
    struct fm_range range = {0, 0};
    struct fm_misuse misuse = {FM_MISUSE_NEVER_STOPPED, {"", "", 0}, 1, {&range, 1, 1}};
    struct fm_timer misused = {.name = timer, .parent = "", .misuses = &misuse, .n_misuses = 1};
    fm_merge_timers(p, &misused, 1);
}

static void test_nesting(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_timer_task task = task_of(MS, 10, 2ull * MS);
    struct fm_timer_rich layout = {.tasks = 1};
    task.overhead_ns = 1000;
    task.overhead_inside_ns = 500;
    add_task_in(p, "a", "c", 0, &task); /* in each other */
    add_task_in(p, "b", "a", 0, &task);
    add_task_in(p, "c", "b", 0, &task);
    add_task_in(p, "d", "d", 0, &task);
    add_task_in(p, "e", "nowhere", 0, &task);
    add_task_in(p, "f", "*", 0, &task);
    add_task_in(p, "g", "f", 0, &task);
    add_task_in(p, "h", "f", 0, &task);
    const char *text = fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena), *at = text;
    static const char *const lines[] = {"\ne  ", "\nf *", "\n  g", "\n  h", "\na  ", "\n  b", "\n    c", "\nd  "};
    for (size_t i = 0; at && i < sizeof lines / sizeof *lines; i++)
        at = strstr(at, lines[i]);
    if (!tap_ok(at, "each timer is there once, the nesting is shown"))
        printf("# %s", text);
    tap_ok(strstr(text, "\n*: started inside different timers, or only sometimes inside one\n"),
           "and what the mark means");
    add_misuse(p, FM_NO_TIMER);
    text = fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena);
    tap_ok(strncmp(text, "8 timers on", 11) == 0 && !strstr(text, "\n(none)") && strstr(text, "  (none)  "),
           "what is no timer is wrong use and nothing else");
    struct fm_timer_rich none = {.tasks = 1};
    text = fm_timers_rich(NULL, 0, &none, &p->arena);
    tap_ok(text && strncmp(text, "0 timers on 1 task.", 19) == 0, "no timers at all");
    fm_profile_destroy(p);
}

static const char long_name[] =
    "a name as long as somebody may well have it who puts the place in the source, the name of "
    "the module and the step";

/* What the report says that timing cost, of one timer with that overhead. */
static const char *cost_of(struct fm_profile *p, const char *parent, uint64_t overhead_ns)
{
    struct fm_timer_task task = task_of(MS, 10, 2ull * MS);
    struct fm_timer_rich layout = {.tasks = 1, .correct = true};
    task.overhead_ns = overhead_ns;
    task.overhead_inside_ns = overhead_ns / 2;
    p->n_timers = 0;
    if (*parent)
        add_misuse(p, parent);
    add_task_in(p, "short", parent, 0, &task);
    return fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena);
}

static void test_cost(void)
{
    struct fm_profile *p = fm_profile_create();
    tap_ok(strstr(cost_of(p, "", 1100000), "Timer overhead: 110.0 us per event, 10 % of the time in timers.\n"),
           "what timing cost");
    tap_ok(strstr(cost_of(p, "", 12000000), "Timer overhead: 1.200 ms per event, more than the time in timers.\n"),
           "of very short events");
    tap_ok(strstr(cost_of(p, "never stopped", 1100000), "Timer overhead: 110.0 us per event.\n"),
           "where no timer is known that holds all");
    tap_ok(!strstr(cost_of(p, "", 1100000), "*:") && !strstr(cost_of(p, "", 1100000), "threads"),
           "no legend of what there is not");
    fm_profile_destroy(p);
}

/* What was taken off and what is left add up to the average. */
static void test_correction(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_timer_task outer = task_of(MS, 10, 2ull * MS), inner = task_of(500000, 10, 500000);
    struct fm_timer_rich layout = {.tasks = 1};
    outer.overhead_ns = 2000000;
    outer.overhead_inside_ns = 1000000;
    inner.overhead_ns = 3000000;
    inner.overhead_inside_ns = 500000;
    add_task(p, "outer", 0, &outer);
    add_task_in(p, "inner", "outer", 0, &inner);
    const char *text = fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena);
    tap_ok(strstr(text,
                  "\n  avg total    11.00 ms\n"
                  "  corrected    7.000 ms  without 4.000 ms of overhead (36 %), 3.000 ms of it in nested timers\n"),
           "a corrected total");
    tap_ok(strstr(text, "\n  avg total    5.000 ms\n  corrected    4.500 ms  without 500.0 us of overhead (10 %)\n"),
           "of a timer with none inside");
    tap_ok(strstr(text, "\n  2nd longest  1.000 ms  task 0, event 2\n"), "the second longest event of one task");
    fm_profile_destroy(p);
}

static size_t widest(const char *text)
{
    size_t widest = 0;
    for (const char *line = text; *line;) {
        size_t bytes = strcspn(line, "\n"), width = 0;
        for (const char *c = line; c < line + bytes; c++)
            width += (*c & 0xc0) != 0x80;
        widest = width > widest ? width : widest;
        line += bytes + (line[bytes] == '\n');
    }
    return widest;
}

/* Figures as long as they can be in a job of a million tasks. */
static void test_width(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_range range = {999999, 999999};
    struct fm_misuse misuse = {FM_MISUSE_OTHER_THREAD, {long_name + 60, "", 0x12345679}, 1234567, {&range, 1, 1}};
    struct fm_timer misused = {.name = long_name, .parent = "", .misuses = &misuse, .n_misuses = 1};
    static const uint32_t ranks[] = {999987, 999989, 999993,
                                     999995, 999997, 999999}; /* a list that just does not fit */
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        uint32_t rank = ranks[i];
        struct fm_timer_task task = task_of(1002 + i, i == 5 ? 987654 : 500000, 2003004);
        task.overhead_ns = task.total_ns / 700;
        task.overhead_inside_ns = task.overhead_ns / 2;
        for (uint64_t thread = 1; thread < 99; thread++)
            fm_spread_add(&task.thread_ns, 123456789 * thread, rank);
        for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin += 3)
            task.counts[bin] += rank % 7;
        add_task(p, long_name, rank, &task);
        add_task_in(p, long_name + 1, long_name, rank, &task);
        add_task_in(p, long_name + 2, i % 2 ? long_name : long_name + 1, rank, &task);
    }
    fm_merge_timers(p, &misused, 1);
    for (int full = 0; full < 2; full++) {
        struct fm_timer_rich layout = {.tasks = 1000000, .correct = true, .full = full};
        const char *text = fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena);
        if (!tap_ok(widest(text) <= FM_RICH_COLUMNS, "lines of at most %zu columns", widest(text)))
            printf("# %s", text);
    }
    fm_profile_destroy(p);
}

/* 100 timers, each with eight groups of tasks that no pattern tells. */
static void test_size(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_timer_rich layout = {.tasks = 100000};
    for (unsigned i = 0; i < 100; i++) {
        char name[56];
        snprintf(name, sizeof name, "timer %u of a model with names of some length", i);
        for (uint32_t rank = 0; rank < 1000; rank++) {
            struct fm_timer_task task = task_of((1 + rank * rank % 17 % 11) * 1000000 + i, 100, 1000000000);
            for (unsigned bin = 40; bin < 90; bin++)
                task.counts[bin] += 1 + bin % 3;
            add_task_in(p, fm_arena_strndup(&p->arena, name, strlen(name)), "", rank * 99, &task);
        }
    }
    const char *text = fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena);
    tap_ok(strlen(text) < 200000, "a large report has %zu bytes", strlen(text));
    tap_ok(widest(text) <= FM_RICH_COLUMNS, "and lines of at most %zu columns", widest(text));
    fm_profile_destroy(p);
}

/* Whatever a profile can hold is shown. */
static void test_random(void)
{
    uint64_t state = 20261116;
    size_t shown = 0;
    for (unsigned round = 0; round < 200; round++) {
        struct fm_profile *p = fm_random_profile(&state, 64);
        for (unsigned i = 0; i < 8; i++) {
            struct fm_profile *other = fm_random_profile(&state, 64);
            fm_merge_timers(p, other->timers, other->n_timers);
            fm_profile_destroy(other);
        }
        struct fm_timer_rich layout = {.tasks = 64, .cluster = round % 2, .full = round % 3 == 0, .correct = true};
        layout.groups = 1 + round % 4;
        shown += fm_timers_rich(p->timers, p->n_timers, &layout, &p->arena) != NULL;
        fm_profile_destroy(p);
    }
    tap_ok(shown == 200, "random timers");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--golden") == 0)
        return write_goldens(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--profile") == 0)
        return write_profile(argv[2], false);
    if (argc == 3 && strcmp(argv[1], "--noted") == 0)
        return write_profile(argv[2], true);
    test_goldens();
    test_full();
    test_nesting();
    test_cost();
    test_correction();
    test_width();
    test_size();
    test_random();
    return tap_done();
}
