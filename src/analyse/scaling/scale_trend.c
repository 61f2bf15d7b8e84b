/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_trend.h"

#include <math.h>

/* Root mean square residuals below this fraction of the mean are negligible. */
#define EXACT 1e-3
/* The squared residuals of a slope must be less than this fraction of those of a constant. */
#define CLEARLY_LESS 0.25
/* Squared residuals within this factor fit about equally well. */
#define ABOUT_AS_WELL 2

struct points {
    size_t n;
    double p[FM_SCALE_RUNS], y[FM_SCALE_RUNS];
    double mean;
    double squares; /* expected from sampling, over all points */
};

struct fit {
    double base, slope, squares;
    unsigned parameters;
    bool valid;
};

static double shape(enum fm_trend_form form, double p)
{
    switch (form) {
    case FM_TREND_FALLING:
        return 1 / p;
    case FM_TREND_LOG:
        return log2(p);
    case FM_TREND_LINEAR:
        return p;
    case FM_TREND_LINEAR_LOG:
        return p * log2(p);
    case FM_TREND_SQUARE:
        return p * p;
    default:
        return 0;
    }
}

const char *fm_trend_text(enum fm_trend_form form)
{
    static const char *const texts[FM_TREND_FORMS] = {
        [FM_TREND_CONSTANT] = "constant", [FM_TREND_FALLING] = "1/p",        [FM_TREND_LOG] = "log p",
        [FM_TREND_LINEAR] = "p",          [FM_TREND_LINEAR_LOG] = "p log p", [FM_TREND_SQUARE] = "p^2",
    };
    return texts[form];
}

/* The work in a context in each run. Returns false if there are fewer than three numbers of processes. */
static bool work(const struct fm_scale *scale, uint32_t node, bool own, struct points *points)
{
    size_t different = 0;
    *points = (struct points){.n = scale->n_runs};
    for (size_t i = 0; i < scale->n_runs; i++) {
        const struct fm_scale_cost *cost = fm_scale_cost(scale, node, i);
        uint64_t ns = own ? cost->own_ns : cost->all_ns;
        double processes = scale->runs[i].processes;
        if (processes < 1)
            return false;
        double weight = scale->mode == FM_SCALE_STRONG ? 1 : 1 / processes;
        double error = weight * fm_scale_error(scale, ns, i) / 1.96;
        points->p[i] = processes;
        points->y[i] = weight * (double)ns;
        points->mean += points->y[i] / (double)points->n;
        points->squares += error * error;
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= points->p[j] == processes;
        different += !seen;
    }
    return different >= 3;
}

static double squares_left(const struct points *points, enum fm_trend_form form, const struct fit *fit)
{
    double sum = 0;
    for (size_t i = 0; i < points->n; i++) {
        double left = points->y[i] - fit->base - fit->slope * shape(form, points->p[i]);
        sum += left * left;
    }
    return sum;
}

static double mean_shape(const struct points *points, enum fm_trend_form form)
{
    double mean = 0;
    for (size_t i = 0; i < points->n; i++)
        mean += shape(form, points->p[i]) / (double)points->n;
    return mean;
}

/* Least squares fit; a negative base is set to 0. */
static struct fit fit_form(const struct points *points, enum fm_trend_form form)
{
    struct fit fit = {.base = points->mean, .parameters = 1, .valid = true};
    if (form != FM_TREND_CONSTANT) {
        double mean = mean_shape(points, form), xx = 0, xy = 0, ff = 0, fy = 0;
        for (size_t i = 0; i < points->n; i++) {
            double f = shape(form, points->p[i]);
            xx += (f - mean) * (f - mean);
            xy += (f - mean) * (points->y[i] - points->mean);
            ff += f * f;
            fy += f * points->y[i];
        }
        fit.slope = xx > 0 ? xy / xx : 0;
        fit.base = points->mean - fit.slope * mean;
        fit.parameters = 2;
        if (fit.base < 0) {
            fit.base = 0;
            fit.slope = ff > 0 ? fy / ff : 0;
            fit.parameters = 1;
        }
        fit.valid = fit.slope > 0;
    }
    fit.squares = squares_left(points, form, &fit);
    return fit;
}

/* Squared residuals that are negligible. */
static double negligible(const struct points *points)
{
    double exact = EXACT * points->mean;
    return exact * exact * (double)points->n + points->squares;
}

static bool about_as_well(const struct points *points, const struct fit *fit, double least)
{
    return fit->valid && fit->squares <= ABOUT_AS_WELL * least + negligible(points);
}

static enum fm_trend_form choose(const struct points *points, struct fit *fits)
{
    double least = INFINITY;
    for (int form = 0; form < FM_TREND_FORMS; form++) {
        fits[form] = fit_form(points, (enum fm_trend_form)form);
        if (form != FM_TREND_CONSTANT && fits[form].valid && fits[form].squares < least)
            least = fits[form].squares;
    }
    double constant = fits[FM_TREND_CONSTANT].squares;
    if (constant <= negligible(points) || least >= CLEARLY_LESS * constant)
        return FM_TREND_CONSTANT;
    enum fm_trend_form form = FM_TREND_FALLING;
    while (!about_as_well(points, &fits[form], least))
        form++;
    for (int i = FM_TREND_CONSTANT; i < FM_TREND_FORMS; i++) /* for the confidence band */
        fits[i].valid = i != FM_TREND_CONSTANT && about_as_well(points, &fits[i], least);
    return form;
}

static struct fm_trend trend_of(const struct points *points, enum fm_trend_form form, const struct fit *fit)
{
    double residual = sqrt(fit->squares / (double)points->n);
    return (struct fm_trend){form, fit->base, fit->slope, points->mean > 0 ? residual / points->mean : 0};
}

bool fm_trend_fit(const struct fm_scale *scale, uint32_t node, bool own, struct fm_trend *trend)
{
    struct points points;
    struct fit fits[FM_TREND_FORMS];
    if (!work(scale, node, own, &points))
        return false;
    enum fm_trend_form form = choose(&points, fits);
    *trend = trend_of(&points, form, &fits[form]);
    return true;
}

double fm_trend_at(const struct fm_trend *trend, double processes)
{
    double work_ns = trend->base_ns + trend->slope_ns * shape(trend->form, processes);
    return work_ns > 0 ? work_ns : 0;
}

/* ---- projection ---- */

/* Student's t for 95 %. */
static double student(size_t freedom)
{
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return freedom <= sizeof t / sizeof *t ? t[freedom - 1] : 2.2;
}

/* Half the width of the 95 % interval of a fit at a number of processes. */
static double fit_error(const struct points *points, enum fm_trend_form form, const struct fit *fit, double processes)
{
    double mean = fit->parameters == 2 ? mean_shape(points, form) : 0, xx = 0;
    double leverage = form == FM_TREND_CONSTANT || fit->parameters == 2 ? 1 / (double)points->n : 0;
    for (size_t i = 0; i < points->n; i++) {
        double f = shape(form, points->p[i]) - mean;
        xx += f * f;
    }
    double far = shape(form, processes) - mean;
    leverage += xx > 0 ? far * far / xx : 0;
    size_t freedom = points->n - fit->parameters;
    double scatter = student(freedom) * sqrt(fit->squares / (double)freedom);
    double sampling = 1.96 * sqrt(points->squares / (double)points->n);
    return (scatter > sampling ? scatter : sampling) * sqrt(leverage);
}

bool fm_scale_project(const struct fm_scale *scale, double processes, struct fm_projection *projection)
{
    struct points points;
    struct fit fits[FM_TREND_FORMS];
    if (!work(scale, 0, false, &points) || processes < 1)
        return false;
    enum fm_trend_form form = choose(&points, fits);
    projection->trend = trend_of(&points, form, &fits[form]);
    double expected = fm_trend_at(&projection->trend, processes), least = expected, most = expected;
    for (int i = 0; i < FM_TREND_FORMS; i++) {
        if (form == FM_TREND_CONSTANT ? i != FM_TREND_CONSTANT : !fits[i].valid)
            continue;
        struct fm_trend trend = trend_of(&points, (enum fm_trend_form)i, &fits[i]);
        double at = fm_trend_at(&trend, processes), error = fit_error(&points, trend.form, &fits[i], processes);
        least = at - error < least ? at - error : least;
        most = at + error > most ? at + error : most;
    }
    double first = points.y[0];
    projection->efficiency = expected > 0 ? first / expected : 0;
    projection->low = most > 0 ? first / most : 0;
    /* Do not promise more than ideal scaling unless the runs have shown it. */
    double best = projection->efficiency > 1 ? projection->efficiency : 1;
    projection->high = least > 0 && first / least < best ? first / least : best;
    return true;
}
