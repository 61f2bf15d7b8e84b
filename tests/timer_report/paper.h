/* Timers made up from lines of tests/timer_report/figures. */
#ifndef FM_TESTS_PAPER_H
#define FM_TESTS_PAPER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "merge/parts.h"
#include "model/profile.h"

enum { MS = 1000000, MS_EXPONENT = 6 };

__attribute__((unused)) static char *read_figure(const char *name)
{
    char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/timer_report/figures/%s", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *text = calloc(1, 1 << 16);
    text[fread(text, 1, (1 << 16) - 1, file)] = 0;
    fclose(file);
    return text;
}

static void add_task_in(struct fm_profile *p, const char *name, const char *parent, uint32_t rank,
                        const struct fm_timer_task *task)
{
    struct fm_timer timer;
    if (!fm_timer_of_task(&timer, &p->arena, name, parent, rank, task) || !fm_merge_timers(p, &timer, 1))
        exit(1);
}

static void add_task(struct fm_profile *p, const char *name, uint32_t rank, const struct fm_timer_task *task)
{
    add_task_in(p, name, "", rank, task);
}

/* "tasks 0-3,7 events 6000:1 5:127" */
__attribute__((unused)) static void add_tasks(struct fm_profile *p, const char *name, const char *line)
{
    struct fm_timer_task task = {0};
    const char *ranges = line + strlen("tasks "), *events = strstr(line, " events ") + strlen(" events ");
    for (const char *at = events; *at && *at != '\n';) {
        char *end;
        uint64_t ticks = strtoull(at, &end, 10), count = strtoull(end + 1, &end, 10);
        task.counts[fm_decimal_bin(ticks * MS)] += count;
        task.events += count;
        task.total_ns += count * ticks * MS;
        at = end + strspn(end, " ");
    }
    for (const char *at = ranges; at < events && *at >= '0' && *at <= '9';) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long rank = first; rank <= last; rank++)
            add_task(p, name, (uint32_t)rank, &task);
        at = end + 1;
    }
}

#endif
