/* SPDX-License-Identifier: BSD-3-Clause */
#include "timer_report/timer_misuse_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/basename.h"
#include "base/decimal.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "model/timer_tasks.h"

enum { COLUMNS = 100, GAPS = 8, MIN_TASKS = 9, MIN_TIMER = 16 };

/* A line of a table, and the widths of the columns. */
struct line {
    uint64_t count;
    const char *what, *timer, *where;
    const struct fm_rankset *tasks;
};
struct table {
    struct line *lines;
    size_t n;
    size_t count, what, timer, where;
};

const char *fm_misuse_text(uint32_t kind)
{
    static const char texts[][64] = {
        [FM_MISUSE_NOT_STARTED] = "stopped, but not running",
        [FM_MISUSE_STARTED_TWICE] = "started, but already running",
        [FM_MISUSE_OTHER_HANDLE] = "obtained with another timer's handle",
        [FM_MISUSE_OTHER_THREAD] = "stopped by a thread that did not start it",
        [FM_MISUSE_NEVER_STOPPED] = "never stopped",
        [FM_MISUSE_RUNNING] = "running at the end",
        [FM_MISUSE_NO_HANDLE] = "used without a handle: get it first",
    };
    return kind < sizeof texts / sizeof *texts && *texts[kind] ? texts[kind] : "misused";
}

/* The call site: the return address is after the call. */
static const char *site_text(const struct fm_site *site, const struct fm_site_namer *namer, struct fm_arena *arena)
{
    if (!*site->module)
        return "?";
    const char *name = namer->name ? namer->name(namer->context, site) : NULL;
    if (name)
        return name;
    return fm_written(arena, "%s+0x%" PRIx64, fm_basename(site->module), site->offset - 1);
}

static void widen(size_t *width, size_t needed)
{
    *width = needed > *width ? needed : *width;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool add_line(struct table *table, const char *timer, const struct fm_misuse *misuse,
                     const struct fm_site_namer *namer, struct fm_arena *arena)
{
    struct line *line = &table->lines[table->n++];
    *line = (struct line){misuse->count, fm_misuse_text(misuse->kind), timer, site_text(&misuse->site, namer, arena),
                          &misuse->ranks};
    if (!line->where)
        return false;
    widen(&table->count, fm_decade(line->count) + 1);
    widen(&table->what, strlen(line->what));
    widen(&table->timer, fm_text_width(line->timer));
    widen(&table->where, fm_text_width(line->where));
    return true;
}

/* Fills the table with the misuses, or with the timers that were still running. */
static bool fill_table(struct table *table, const struct fm_timer *timers, size_t n, bool running,
                       const struct fm_site_namer *namer, struct fm_arena *arena)
{
    size_t max = 0;
    for (size_t i = 0; i < n; i++)
        max += timers[i].n_misuses;
    *table = (struct table){.lines = fm_arena_alloc(arena, (max + 1) * sizeof *table->lines),
                            .count = 5,
                            .what = 4,
                            .timer = 5,
                            .where = 5};
    bool done = table->lines;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; done && k < timers[i].n_misuses; k++)
            if ((timers[i].misuses[k].kind == FM_MISUSE_RUNNING) == running)
                done = add_line(table, timers[i].name, &timers[i].misuses[k], namer, arena);
    return done;
}

/* If the line is too short, call sites have priority over timer names, and these over tasks. Returns the columns left
 * for the tasks. */
static size_t share_columns(struct table *t)
{
    size_t available = COLUMNS - GAPS - t->count - t->what - MIN_TASKS;
    t->where = smaller(t->where, available - smaller(t->timer, MIN_TIMER));
    t->timer = smaller(t->timer, available - t->where);
    return available - t->timer - t->where + MIN_TASKS;
}

static void put_line(struct fm_writer *w, const struct table *t, const struct line *line, size_t columns)
{
    const struct fm_grid none = {0};
    const char *tasks = fm_tasks_text(line->tasks, &none, columns, w->arena);
    fm_write(w, "%*" PRIu64 "  %-*s  ", (int)t->count, line->count, (int)t->what, line->what);
    fm_write_padded(w, line->timer, t->timer);
    fm_write(w, "  ");
    fm_write_padded(w, line->where, t->where);
    fm_write(w, "  %s\n", tasks ? tasks : "");
    w->failed |= !tasks;
}

static void put_table(struct fm_writer *w, const char *title, struct table *t)
{
    if (!t->n)
        return;
    size_t columns = share_columns(t);
    fm_write(w, "\n*** %s\n%*s  %-*s  %-*s  %-*s  tasks\n", title, (int)t->count, "count", (int)t->what, "what",
             (int)t->timer, "timer", (int)t->where, "where");
    for (size_t i = 0; i < t->n; i++)
        put_line(w, t, &t->lines[i], columns);
}

const char *fm_timer_misuses_text(const struct fm_timer *timers, size_t n, const struct fm_site_namer *namer,
                                  struct fm_arena *arena)
{
    struct fm_writer w = {.arena = arena};
    struct table wrong, running;
    if (!fill_table(&wrong, timers, n, false, namer, arena) || !fill_table(&running, timers, n, true, namer, arena))
        return NULL;
    put_table(&w, "misuse of timers", &wrong);
    put_table(&w, "timers running when their process ended", &running);
    return w.failed ? NULL : w.text ? w.text : "";
}
