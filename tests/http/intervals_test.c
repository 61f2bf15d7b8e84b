/* Intervals of the shares of a running job: from looks at sums that only grow. */
#include "http/intervals.h"

#include <stdlib.h>

#include "tap.h"

enum { RANKS = 4, PER_LOOK = 400 };

/* The shares after a look in which `first` of the samples since the last one were in the first module. */
static double look(struct fm_looks *looks, double sums[2], double first)
{
    sums[0] += first * PER_LOOK;
    sums[1] += (1 - first) * PER_LOOK;
    double whole = sums[0] + sums[1];
    struct fm_module_share items[] = {{.name = "ocean", .share = sums[0] / whole, .width = 1},
                                      {.name = "ice", .share = sums[1] / whole, .width = 1}};
    struct fm_module_shares shares = {.items = items, .n = 2, .widest = 1};
    fm_looks_add(looks, &shares, (uint64_t)(whole + 0.5), RANKS);
    double widest = items[0].width > items[1].width ? items[0].width : items[1].width;
    return shares.widest == widest ? widest : -1;
}

/* Every other look has a little more: what is random in a real one. */
static double around(int i, double by)
{
    return 0.5 + (i % 3 == 0 ? by : i % 3 == 1 ? -by : 0);
}

static void narrows(void)
{
    struct fm_looks looks = {0};
    double sums[2] = {0}, width[300];
    for (int i = 0; i < 300; i++)
        width[i] = look(&looks, sums, around(i, 0.02));
    tap_ok(width[0] == 1 && width[5] == 1, "unknown at first");
    tap_ok(width[15] > 0 && width[15] < 0.2, "known after some looks: %g", width[15]);
    tap_ok(width[299] < width[15], "narrower after many: %g", width[299]);
    tap_ok(looks.n <= FM_LOOKS && looks.items[0].whole == PER_LOOK, "the first look is kept, not all");
    fm_looks_close(&looks);
}

static void phases_are_wide(void)
{
    struct fm_looks even = {0}, phased = {0};
    double sums[2] = {0}, phase_sums[2] = {0}, width = 0, phase_width = 0;
    for (int i = 0; i < 60; i++) {
        width = look(&even, sums, around(i, 0.02));
        phase_width = look(&phased, phase_sums, i < 30 ? 0.9 : 0.1);
    }
    tap_ok(phase_width > 3 * width, "a program with phases is known less well: %g, %g", phase_width, width);
    fm_looks_close(&even);
    fm_looks_close(&phased);
}

static void nothing_new_is_no_look(void)
{
    struct fm_looks looks = {0};
    struct fm_module_share item = {.name = "ocean", .share = 1, .width = 1};
    struct fm_module_shares shares = {.items = &item, .n = 1};
    for (int i = 0; i < 100; i++)
        fm_looks_add(&looks, &shares, 5000, RANKS);
    tap_ok(looks.n == 1 && item.width == 1, "the same look again");
    fm_looks_close(&looks);
}

static void many_modules(void)
{
    struct fm_looks looks = {0};
    char names[200][8];
    struct fm_module_share items[200];
    struct fm_module_shares shares = {.items = items, .n = 200};
    for (int i = 0; i < 200; i++) {
        snprintf(names[i], sizeof names[i], "m%d", i);
        items[i] = (struct fm_module_share){.name = names[i], .share = 0.005, .width = 1};
    }
    for (uint64_t i = 1; i <= 30; i++)
        fm_looks_add(&looks, &shares, i * 10000, RANKS);
    tap_ok(items[0].width < 1 && items[199].width == 1, "those beyond the limit have no interval");
    fm_looks_close(&looks);
}

int main(void)
{
    narrows();
    phases_are_wide();
    nothing_new_is_no_look();
    many_modules();
    return tap_done();
}
