/* What differs between runs. */
#include "site/insights/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { RUNS = 20 };

static struct fm_record_routine routines[2][RUNS][2];
static struct fm_record_host hosts[2][RUNS];
static struct fm_record_setting settings[2][1];
static struct fm_detail_run runs[2][RUNS];
static struct fm_arena arena;
static struct fm_details details;

/* Two sides of equal runs of two series, one of which takes ten times as long. */
static void make(void)
{
    static const char *const names[] = {"node1", "node2", "node3"};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < RUNS; i++) {
            struct fm_detail_run *run = &runs[side][i];
            double scale = i % 2 ? 1 : 10;
            fm_record_init(&run->record);
            run->pick = (struct fm_pick){i, 1000 * side + i, 100 * scale, (uint32_t)(i % 2)};
            run->record.build_id = "b1";
            run->record.mpi = "Open MPI 4";
            routines[side][i][0] = (struct fm_record_routine){
                "MPI_Send", (int64_t)(10 * scale), (int64_t)(80 * scale), -1, 5 * scale, -1};
            routines[side][i][1] = (struct fm_record_routine){"MPI_Iprobe", 1000 * (side + 1), -1, -1, scale, -1};
            run->record.routines = routines[side][i];
            run->record.n_routines = 2;
            hosts[side][i] = (struct fm_record_host){names[i % 3], 1, NAN};
            run->record.host_list = &hosts[side][i];
            run->record.n_host_list = 1;
        }
}

static void compare(void)
{
    fm_details_compare(runs[0], RUNS, runs[1], RUNS, &arena, &details);
}

static bool changed(const char *what, const char *before, const char *after)
{
    for (size_t i = 0; i < details.n_changes; i++)
        if (strcmp(details.changes[i].what, what) == 0)
            return strcmp(details.changes[i].before, before) == 0 && strcmp(details.changes[i].after, after) == 0;
    return false;
}

static void what_changed(void)
{
    make();
    compare();
    tap_ok(details.n_changes == 0 && details.n_routines == 0, "equal runs differ in nothing");
    for (int i = 0; i < RUNS; i++)
        runs[1][i].record.build_id = "b2";
    compare();
    tap_ok(details.n_changes == 1 && changed("build", "b1", "b2") && details.changes[0].since == 1000, "another build");
    runs[1][0].record.build_id = runs[1][1].record.build_id = "b1";
    compare();
    tap_ok(details.n_changes == 1 && details.changes[0].since == 1002,
           "two runs of the old one still, since the third");
    runs[1][2].record.build_id = "b1";
    compare();
    tap_ok(details.n_changes == 0, "with three of twenty it is not clear");
    make();
    for (int i = 0; i < RUNS; i++)
        runs[1][i].record.commit_id = "c2";
    compare();
    tap_ok(details.n_changes == 0, "what was unknown before has not changed");
    settings[0][0] = (struct fm_record_setting){"OMPI_MCA_pml", "ucx"};
    for (int i = 0; i < RUNS; i++) {
        runs[0][i].record.settings = settings[0];
        runs[0][i].record.n_settings = 1;
    }
    compare();
    tap_ok(details.n_changes == 1 && changed("OMPI_MCA_pml", "ucx", ""), "a setting that is gone");
}

static void other_hosts(void)
{
    make();
    for (int i = 0; i < RUNS; i++)
        hosts[1][i].name = i % 2 ? "node8" : "node9";
    compare();
    tap_ok(details.n_changes == 1 && strcmp(details.changes[0].what, "hosts") == 0, "always on other hosts");
    hosts[1][5].name = "node1";
    compare();
    tap_ok(details.n_changes == 0, "once on one of them");
    static char names[RUNS][8];
    for (int i = 0; i < RUNS; i++) {
        snprintf(names[i], sizeof names[i], "far%d", i);
        hosts[1][i].name = names[i];
    }
    compare();
    tap_ok(details.n_changes == 0, "hosts that never repeat are those of a large machine");
}

static void what_grew(void)
{
    make();
    for (int i = 0; i < RUNS; i++)
        routines[1][i][0].time_s *= 3;
    compare();
    tap_ok(details.n_routines == 1 && strcmp(details.routines[0].name, "MPI_Send") == 0 &&
               fabs(details.routines[0].before - 0.05) < 1e-9 && fabs(details.routines[0].after - 0.15) < 1e-9,
           "the routine that takes longer, relative to its series");
    tap_ok(fabs(details.calls - 1) < 1e-9 && fabs(details.bytes - 1) < 1e-9,
           "the work is the same: how often MPI_Iprobe was called does not matter");
    for (int i = 0; i < RUNS; i++)
        routines[1][i][0].calls *= 2;
    compare();
    tap_ok(fabs(details.calls - 2) < 1e-9 && fabs(details.bytes - 1) < 1e-9, "twice as many calls");
    for (int i = 0; i < RUNS; i++)
        runs[1][i].slow_hosts_s = 0.2 * runs[1][i].pick.level;
    compare();
    tap_ok(fabs(details.slow_hosts - 0.2) < 1e-9, "waiting for slow hosts");
    fm_details_compare(runs[0], 0, runs[1], RUNS, &arena, &details);
    tap_ok(isnan(details.calls) && !details.n_changes && !details.n_routines, "nothing to compare with");
}

int main(void)
{
    what_changed();
    other_hosts();
    what_grew();
    fm_arena_destroy(&arena);
    return tap_done();
}
