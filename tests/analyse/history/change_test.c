/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/history/change.h"

#include <math.h>
#include <stdint.h>

#include "tap.h"

enum { MAX = 8 };

/* Repeatable noise: about normal, deviation 1. */
static double noise(uint64_t *state)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 33) / (double)(1u << 31);
    }
    return sum - 6;
}

static void student_is_that_of_the_tables(void)
{
    tap_ok(fabs(fm_student_beyond(2.776, 4) - 0.05) < 1e-4, "4 degrees of freedom, 5 %%");
    tap_ok(fabs(fm_student_beyond(-2.776, 4) - 0.05) < 1e-4, "on both sides");
    tap_ok(fabs(fm_student_beyond(3.169, 10) - 0.01) < 1e-4, "10 degrees of freedom, 1 %%");
    tap_ok(fm_student_beyond(0, 10) > 0.999, "nothing is closer than 0");
}

static void a_change_is_found_where_it_is(void)
{
    uint64_t state = 1;
    double values[20];
    struct fm_change changes[MAX];
    for (int i = 0; i < 20; i++)
        values[i] = (i < 12 ? 100 : 110) + noise(&state);
    size_t n = fm_changes_find(values, 20, 0.01, changes, MAX);
    tap_ok(n == 1 && changes[0].at == 12, "one change, at its run");
    tap_ok(n == 1 && fabs(changes[0].before - 100) < 1.5 && fabs(changes[0].after - 110) < 1.5, "with the means");
    tap_ok(n == 1 && changes[0].certainty > 0.99 && changes[0].certainty <= 1, "and certain");
}

static void changes_there_and_back_are_two(void)
{
    uint64_t state = 7;
    double values[30];
    struct fm_change changes[MAX];
    for (int i = 0; i < 30; i++)
        values[i] = (i < 10 || i >= 20 ? 50 : 60) + noise(&state);
    size_t n = fm_changes_find(values, 30, 0.01, changes, MAX);
    tap_ok(n == 2 && changes[0].at == 10 && changes[1].at == 20, "two changes");
    tap_ok(n == 2 && changes[1].before > 58 && changes[1].after < 52, "the mean before the second is since the first");
}

static void noise_is_no_change(void)
{
    uint64_t state = 3;
    size_t found = 0;
    struct fm_change changes[MAX];
    for (int round = 0; round < 1000; round++) {
        double values[20];
        for (int i = 0; i < 20; i++)
            values[i] = 100 + 3 * noise(&state);
        found += fm_changes_find(values, 20, 0.01, changes, MAX) > 0;
    }
    tap_ok(found < 30, "in 1000 series of noise at most a few: %zu", found);
}

static void what_is_no_change(void)
{
    struct fm_change changes[MAX];
    double one_slow[] = {10, 10.1, 9.9, 10, 10.1, 9.9, 10, 19};
    tap_ok(fm_changes_find(one_slow, 8, 0.01, changes, MAX) == 0, "a single slow run");
    double little[] = {100, 100, 100, 100, 100.5, 100.5, 100.5, 100.5};
    tap_ok(fm_changes_find(little, 8, 0.01, changes, MAX) == 0, "less than 1 %%");
    double zero[10] = {0};
    tap_ok(fm_changes_find(zero, 10, 0.01, changes, MAX) == 0, "nothing but zeros");
    tap_ok(fm_changes_find(one_slow, 4, 0.01, changes, MAX) == 0 &&
               fm_changes_find(one_slow, 0, 0.01, changes, MAX) == 0,
           "too few runs");
}

static void exact_repetitions_do_not_make_a_change_certain(void)
{
    struct fm_change changes[MAX];
    double values[] = {10, 10, 10, 10, 11, 11, 11};
    tap_ok(fm_changes_find(values, 7, 0.01, changes, MAX) == 1 && changes[0].at == 4 && changes[0].certainty < 1,
           "a change between equal values is found");
}

int main(void)
{
    student_is_that_of_the_tables();
    a_change_is_found_where_it_is();
    changes_there_and_back_are_two();
    noise_is_no_change();
    what_is_no_change();
    exact_repetitions_do_not_make_a_change_certain();
    return tap_done();
}
