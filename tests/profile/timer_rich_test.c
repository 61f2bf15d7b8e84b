/* The rich report of made-up timers, against figures/rich*.txt.
 *
 *   timer_rich_test --golden FOLDER   writes these texts anew: read the difference before keeping them
 *   timer_rich_test --profile FILE    writes the timers as a profile */
#include "profile/timer_rich.h"

#include "profile/encode.h"
#include "profile/paper.h"
#include "reduce/synthetic.h"
#include "tap.h"

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

static int write_profile(const char *path)
{
    struct fm_profile *p = make_timers();
    struct fm_error error;
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
    static const char *const lines[] = {"\ne  ", "\nf  ", "\n  g", "\n  h", "\na  ", "\n  b", "\n    c", "\nd  "};
    for (size_t i = 0; at && i < sizeof lines / sizeof *lines; i++)
        at = strstr(at, lines[i]);
    if (!tap_ok(at, "each timer is there once, the nesting is shown"))
        printf("# %s", text);
    struct fm_timer_rich none = {.tasks = 1};
    text = fm_timers_rich(NULL, 0, &none, &p->arena);
    tap_ok(text && strncmp(text, "0 timers on 1 task.", 19) == 0, "no timers at all");
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
    size_t longest = 0;
    for (const char *line = text; *line;) {
        size_t bytes = strcspn(line, "\n"), width = 0;
        for (const char *c = line; c < line + bytes; c++)
            width += (*c & 0xc0) != 0x80;
        longest = width > longest ? width : longest;
        line += bytes + (line[bytes] == '\n');
    }
    tap_ok(longest <= FM_RICH_COLUMNS, "and lines of at most %zu columns", longest);
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
        return write_profile(argv[2]);
    test_goldens();
    test_full();
    test_nesting();
    test_size();
    test_random();
    return tap_done();
}
