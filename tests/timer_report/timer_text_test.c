/* The figures of the paper, rebuilt from events that fit them (tests/timer_report/figures). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/segment.h"
#include "tap.h"
#include "timer_report/paper.h"
#include "timer_report/timer_text.h"

/* Runs of blanks become one, empty lines and those of dashes alone go. */
static char *plain(const char *text)
{
    char *out = calloc(1, strlen(text) + 2), *to = out;
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (strspn(text, "-| ") < n) {
            for (const char *c = text + strspn(text, " "); c < text + n; c++)
                if (*c != ' ' || c[1] != ' ')
                    *to++ = *c;
            *to++ = '\n';
        }
        text += n + (text[n] == '\n');
    }
    *to = 0;
    return out;
}

static void compare(const char *got, const char *wanted, const char *what)
{
    char *a = plain(got), *b = plain(wanted);
    if (!tap_ok(!strcmp(a, b), "%s", what))
        printf("# got:\n%s# wanted:\n%s", a, b);
    free(a);
    free(b);
}

static void test_histograms(const char *figure, uint32_t tasks)
{
    char name[64], what[128];
    struct fm_profile *p = fm_profile_create();
    snprintf(name, sizeof name, "%s.tasks", figure);
    char *data = read_figure(name);
    for (char *line = data; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, "tasks ", 6))
            add_tasks(p, "baroclinic_driver", line);
    struct fm_timer_layout layout = {.exponent = MS_EXPONENT, .tasks = tasks};
    const char *text = fm_timers_text(p->timers, p->n_timers, &layout, &p->arena);
    snprintf(name, sizeof name, "%s.txt", figure);
    char *wanted = read_figure(name);
    snprintf(what, sizeof what, "Figure %s: histograms of %u tasks", figure, tasks);
    const char *histograms = text ? strstr(text, "event histogram") : NULL;
    compare(histograms ? histograms : "", wanted, what);
    free(data);
    free(wanted);
    fm_profile_destroy(p);
}

static void add_total(struct fm_profile *p, const char *name, uint32_t rank, uint64_t ms)
{
    struct fm_timer_task task = {.events = 128, .total_ns = ms * MS};
    task.counts[0] = 128;
    task.longest.event = task.shortest.event = 1;
    add_task(p, name, rank, &task);
}

static void add_totals(struct fm_profile *p, const char *name, uint64_t max, uint64_t min, uint64_t avg)
{
    for (uint32_t rank = 0; rank < 360; rank++)
        add_total(p, name, rank, rank == 0 ? max : rank == 1 ? min : avg);
}

static void add_barotropic(struct fm_profile *p)
{
    uint64_t left = 65493795 - 760647 - 760600 - 70280 - 70300; /* of 356 tasks */
    for (uint32_t rank = 0, n = 356; rank < 360; rank++) {
        uint64_t ms = rank == 270 ? 760647 : rank == 359 ? 760600 : rank == 285 ? 70280 : rank == 286 ? 70300 : 0;
        if (!ms) {
            ms = left / n--;
            left -= ms;
        }
        struct fm_timer_task task = {.events = 128, .total_ns = ms * MS};
        task.longest = (struct fm_timer_event){(rank == 359 ? 6262ull : 1500) * MS, 1};
        task.second = (struct fm_timer_event){(rank == 359 ? 6210ull : 1490) * MS, 2};
        task.shortest = (struct fm_timer_event){(rank == 286 ? 465ull : 500) * MS, 103};
        task.counts[fm_decimal_bin(1421ull * MS)] = 128;
        add_task(p, "barotropic_driver", rank, &task);
    }
}

static void test_statistics(void)
{
    struct fm_profile *p = fm_profile_create();
    add_totals(p, "step", 841110, 841080, 841090);
    add_totals(p, "pcg_chrongear iteration", 760490, 68890, 178207);
    add_totals(p, "baroclinic_driver", 697030, 6820, 571840);
    add_totals(p, "pcg_chrongear preconditioning", 4690, 0, 3567);
    add_barotropic(p);
    struct fm_timer_layout layout = {.exponent = MS_EXPONENT, .tasks = 360};
    char *text = strdup(fm_timers_text(p->timers, p->n_timers, &layout, &p->arena));
    char *one = read_figure("1.txt"), *two = read_figure("2.txt");
    char *second = strstr(text, "*** barotropic_driver"), *histogram = strstr(second, "event histogram");
    *histogram = 0;
    compare(second, two, "Figure 2: the statistics of a timer");
    *strstr(text, "\n*** step") = 0;
    compare(text, one, "Figure 1: the summary, longest first");
    free(text);
    free(one);
    free(two);
    fm_profile_destroy(p);
}

static void test_ticks(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_timer_task task = {.events = 8, .total_ns = 40 * MS};
    task.counts[fm_decimal_bin(1)] = task.counts[fm_decimal_bin(20)] = 2;
    task.counts[fm_decimal_bin(300000)] = 1;
    task.counts[fm_decimal_bin(12ull * MS)] = 3;
    add_task(p, "one", 0, &task);
    struct fm_timer_layout fine = {.tasks = 1}, coarse = {.exponent = MS_EXPONENT, .tasks = 1};
    const char *text = fm_timers_text(p->timers, p->n_timers, &fine, &p->arena);
    tap_ok(strstr(text, "event histogram for task: 0\n") && strstr(text, "\n10000000-19999999 ticks: 3 max") &&
               strstr(text, "\n1 tick(s): 2 max"),
           "ticks of a nanosecond");
    text = fm_timers_text(p->timers, p->n_timers, &coarse, &p->arena);
    tap_ok(strstr(text, "\n10-19 ticks: 3 max") && strstr(text, "\n0 tick(s): 5 max (task 0), 5 min (task 0), 5 avg\n"),
           "ticks of a millisecond: what is shorter is none");
    tap_ok(p->timers->groups->shape.max_bin[0] == fm_decimal_bin(12ull * MS) &&
               p->timers->groups->shape.max_bin[MS_EXPONENT] == 0,
           "the maximum bin depends on the tick");
    fm_profile_destroy(p);
}

static void add_misuse(struct fm_profile *p, const char *timer, struct fm_misuse misuse)
{
    struct fm_timer misused = {.name = timer, .parent = "", .misuses = &misuse, .n_misuses = 1};
    fm_merge_timers(p, &misused, 1);
}

static void test_misuses(void)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_timer_task task = {.events = 1, .total_ns = 40 * MS};
    struct fm_timer_layout layout = {.tasks = 4};
    struct fm_range first = {0, 0}, ranges[] = {{0, 1}, {3, 3}};
    struct fm_site site = {"/home/me/ocean", "", 0x1235};
    task.counts[fm_decimal_bin(40 * MS)] = 1;
    add_task(p, "one", 0, &task);
    const char *before = fm_timers_text(p->timers, p->n_timers, &layout, &p->arena);
    add_misuse(p, "one", (struct fm_misuse){FM_MISUSE_NOT_STARTED, site, 12345, {ranges, 2, 2}});
    add_misuse(p, "never finished", (struct fm_misuse){FM_MISUSE_NEVER_STOPPED, {"", "", 0}, 1, {&first, 1, 1}});
    add_misuse(p, "never finished", (struct fm_misuse){FM_MISUSE_RUNNING, site, 1, {&first, 1, 1}});
    const char *text = fm_timers_text(p->timers, p->n_timers, &layout, &p->arena);
    tap_ok(!strncmp(text, before, strlen(before)), "wrong use stands behind everything else");
    const char *wanted = "\n*** misuse of timers\n"
                         "count  what                      timer           where         tasks\n"
                         "    1  never stopped             never finished  ?             0\n"
                         "12345  stopped, but not running  one             ocean+0x1234  0-1,3\n"
                         "\n*** timers running when their process ended\n"
                         "count  what                timer           where         tasks\n"
                         "    1  running at the end  never finished  ocean+0x1234  0\n";
    if (!tap_ok(!strcmp(text + strlen(before), wanted), "a line for each wrong use, with its place"))
        printf("# got:\n%s", text + strlen(before));
    fm_profile_destroy(p);
}

int main(void)
{
    test_statistics();
    test_histograms("3", 360);
    test_histograms("4", 360);
    test_histograms("5", 304);
    test_histograms("6-7", 4500);
    test_histograms("8", 4500);
    test_histograms("9", 3268);
    test_ticks();
    test_misuses();
    return tap_done();
}
