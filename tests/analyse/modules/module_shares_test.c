/* Intervals of shares cover the truth as often as they say, for ranks that do the same at the same moment and phases
 * that last for many moments. */
#include "analyse/modules/module_shares.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

enum { REPETITIONS = 2000, RANKS = 4, MOST = 4000 };

/* A job of which all ranks are in the module or all are not, and stay so for `stay` moments on average; the truth is
 * `share`. Each rank in addition goes its own way once in ten times. */
static void run(double *inside, size_t n, double share, double stay)
{
    bool in = drand48() < share;
    for (size_t i = 0; i < n; i++) {
        if (drand48() < 1 / stay)
            in = drand48() < share;
        inside[i] = 0;
        for (int r = 0; r < RANKS; r++)
            inside[i] += drand48() < 0.1 ? drand48() < share : in;
    }
}

static double width_of(const double *inside, size_t n, double *share)
{
    double parts[FM_BATCHES] = {0}, wholes[FM_BATCHES] = {0}, sum = 0;
    for (size_t s = 0; s < FM_BATCHES; s++)
        for (size_t i = n * s / FM_BATCHES; i < n * (s + 1) / FM_BATCHES; i++) {
            parts[s] += inside[i];
            wholes[s] += RANKS;
            sum += inside[i];
        }
    *share = sum / (double)(n * RANKS);
    return fm_module_share_width(parts, wholes, n * RANKS);
}

/* As if all samples were independent. */
static double simple_width(size_t n, double share)
{
    return 2 * 1.96 * sqrt(share * (1 - share) / (double)(n * RANKS));
}

static double coverage(double truth, double stay, size_t n, bool simple)
{
    static double inside[MOST];
    size_t covered = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        double share;
        run(inside, n, truth, stay);
        double width = width_of(inside, n, &share);
        covered += fabs(share - truth) <= (simple ? simple_width(n, share) : width) / 2;
    }
    return (double)covered / REPETITIONS;
}

/* Looked at again and again until it is narrow enough, as --until does. */
static double coverage_until(double truth, double stay, double wanted)
{
    static double inside[MOST];
    size_t covered = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        double share = 0, width = 1, before = 1;
        run(inside, MOST, truth, stay);
        for (size_t n = FM_BATCHES * FM_BATCH_MIN_MOMENTS; (width >= wanted || before >= wanted) && n <= MOST;
             n += n / 5) {
            before = width;
            width = width_of(inside, n, &share);
        }
        covered += fabs(share - truth) <= width / 2;
    }
    return (double)covered / REPETITIONS;
}

int main(void)
{
    static const struct {
        double truth, stay;
        size_t n;
    } cases[] = {{0.4, 1, 100},  {0.4, 1, 300},   {0.1, 1, 300},  {0.4, 5, 300},  {0.4, 5, 1000},
                 {0.1, 5, 1000}, {0.4, 20, 4000}, {0.03, 1, 300}, {0.03, 5, 1000}};
    srand48(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double covered = coverage(cases[i].truth, cases[i].stay, cases[i].n, false);
        tap_ok(covered > 0.91 && covered < 0.99, "share %g, phases of %g, %zu moments: %.1f %% are covered",
               cases[i].truth, cases[i].stay, cases[i].n, 100 * covered);
    }
    double simple = coverage(0.4, 5, 300, true);
    tap_ok(simple < 0.7, "as if samples were independent only %.1f %% would be", 100 * simple);
    for (double stay = 1; stay < 6; stay += 4) {
        double covered = coverage_until(0.4, stay, 0.1);
        tap_ok(covered > 0.91, "looked at until it is narrow enough, phases of %g: %.1f %%", stay, 100 * covered);
    }
    return tap_done();
}
