/* Lists of tasks: patterns that are exact, blocks of a Cartesian communicator, and a cut where there is none. */
#include "model/timer_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static const struct fm_grid none;

/* "0-3,7" */
static struct fm_rankset set_of(struct fm_arena *arena, const char *text)
{
    struct fm_rankset set = {0};
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        fm_rankset_add(&set, arena, (uint32_t)first, (uint32_t)last);
        text = end + (*end == ',');
    }
    return set;
}

static void says(const struct fm_rankset *set, const struct fm_grid *grid, size_t columns, const char *wanted)
{
    struct fm_arena arena = {0};
    const char *text = fm_tasks_text(set, grid, columns, &arena);
    if (!tap_ok(text && strcmp(text, wanted) == 0, "%s", wanted))
        printf("# got %s\n", text);
    fm_arena_destroy(&arena);
}

static void list(const char *tasks, const char *wanted)
{
    struct fm_arena arena = {0};
    struct fm_rankset set = set_of(&arena, tasks);
    says(&set, &none, 40, wanted);
    fm_arena_destroy(&arena);
}

/* first + i * step, `run` tasks each, below `end`. */
static void runs(uint32_t first, uint32_t step, uint32_t run, uint32_t end, const char *wanted)
{
    struct fm_arena arena = {0};
    struct fm_rankset set = {0};
    for (uint32_t at = first; at < end; at += step)
        fm_rankset_add(&set, &arena, at, at + run > end ? end - 1 : at + run - 1);
    says(&set, &none, 40, wanted);
    fm_arena_destroy(&arena);
}

static void block(const char *tasks, struct fm_grid grid, const char *wanted)
{
    struct fm_arena arena = {0};
    struct fm_rankset set = set_of(&arena, tasks);
    says(&set, &grid, 40, wanted);
    fm_arena_destroy(&arena);
}

static void test_blocks(void)
{
    static const struct fm_grid square = {2, {4, 4}}, cube = {3, {3, 4, 5}}, huge = {3, {65536, 65536, 65536}},
                                empty = {2, {0, 4}}, conflict = {FM_GRID_CONFLICT, {0}};
    block("2-3,6-7", square, "block [0-1, 2-3] of 4x4");
    block("0,4,8,12", square, "block [0-3, 0] of 4x4");
    block("1-2,5-6,9-10,13-14", square, "block [0-3, 1-2] of 4x4");
    block("4-11", square, "4-11");
    block("2-3,6", square, "2-3,6");
    block("2-3,10-11", square, "2-3,10-11");
    block("3-4,7-8", square, "3-4,7-8");
    block("2-3,6-7,18", square, "2-3,6-7,18");
    block("6-8,11-13,26-28,31-33", cube, "block [0-1, 1-2, 1-3] of 3x4x5");
    block("5-14,25-34", cube, "block [0-1, 1-2, 0-4] of 3x4x5");
    block("6-8,11-13,26-28,31-32", cube, "6-8,11-13,26-28,31-32");
    block("0,2,4,6", huge, "0-6 by 2");
    block("0,2,4,6", empty, "0-6 by 2");
    block("2-3,6-7", conflict, "2-3,6-7");
}

int main(void)
{
    list("", "");
    list("7", "7");
    list("0-3,7", "0-3,7");
    list("0,2,4", "0,2,4"); /* as short as its pattern */
    runs(0, 3, 1, 4500, "0-4497 by 3");
    runs(2, 3, 1, 4500, "2-4499 by 3");
    runs(2, 4, 2, 4500, "2-4499, 2 of each 4");
    runs(0, 4, 3, 4498, "0-4497, 3 of each 4"); /* the last run ends early */
    list("0-1,5,8-9,13,16-17,21", "0-1,5 again each 8, to 21");
    list("0-1,5,8-9,13,16-17", "0-1,5,8-9,13,16-17");
    list("0,3,6,9,13", "0,3,6,9,13");
    list("0-1,4-5,8-9,12-14", "0-1,4-5,8-9,12-14"); /* more than the pattern has */
    list("0,3,6,9,4294967295", "0,3,6,9,4294967295");
    list("0,2-4,13-22,25,27,31-44,47-53,55-62,65-71", "0,2-4,13-22,25,27,31-44,47-53,55-62,...");
    list("0,2-4,13-22,25,27,31-44,47-53,55-62,65-7", "0,2-4,13-22,25,27,31-44,47-53,55-62");
    list("1000000000-2000000000,2000000002,2000000005,4000000000", "1000000000-2000000000,2000000002,...");
    test_blocks();
    return tap_done();
}
