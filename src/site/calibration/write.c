/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "site/calibration/calibration.h"

enum { DIGITS = 6 };

/* Six digits are more than was measured. */
static double rounded(double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", DIGITS, number);
    return strtod(text, NULL);
}

static json_t *real(double number)
{
    return isfinite(number) ? json_real(rounded(number)) : json_null();
}

static json_t *whole(uint64_t number)
{
    return json_integer((json_int_t)number);
}

/* Texts come from the machine: what is not UTF-8 is left out. */
static json_t *words(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("");
}

static json_t *machine_of(const struct fm_calibration *calibration)
{
    json_t *machine = json_object();
    json_object_set_new(machine, "host", words(calibration->host));
    json_object_set_new(machine, "cpu", words(calibration->cpu));
    json_object_set_new(machine, "cores", whole(calibration->cores));
    json_object_set_new(machine, "ranks", whole(calibration->ranks));
    json_object_set_new(machine, "hosts", whole(calibration->hosts));
    json_object_set_new(machine, "oversubscribed", json_boolean(calibration->oversubscribed));
    return machine;
}

static json_t *model_of(const struct fm_model *model)
{
    json_t *object = json_object();
    json_object_set_new(object, "constant_s", real(model->a_s));
    json_object_set_new(object, "per_log2_ranks_s", real(model->b_s));
    json_object_set_new(object, "per_byte_s", real(model->c_s));
    json_object_set_new(object, "per_byte_growth_s", real(model->d_s));
    json_object_set_new(object, "growth", json_string(fm_byte_growth_names[model->growth]));
    json_object_set_new(object, "residual", real(model->residual));
    return object;
}

static json_t *routine_of(const struct fm_calibration_routine *routine)
{
    const struct fm_model *exact = &routine->model;
    /* What is derived from it is derived from what is written. */
    const struct fm_model model = {rounded(exact->a_s), rounded(exact->b_s), rounded(exact->c_s),
                                   rounded(exact->d_s), exact->growth,       exact->residual};
    double ranks = routine->ranks_max > 2 ? routine->ranks_max : 2, per_byte = fm_model_per_byte(&model, ranks);
    json_t *object = json_object(), *measured = json_array();
    json_object_set_new(object, "name", words(routine->name));
    json_object_set_new(object, "place", json_string(fm_place_names[routine->place]));
    json_object_set_new(object, "ranks_min", whole(routine->ranks_min));
    json_object_set_new(object, "ranks_max", whole(routine->ranks_max));
    json_object_set_new(object, "latency_s", real(fm_model_latency(&model, ranks)));
    json_object_set_new(object, "bandwidth_bytes_per_s", real(per_byte > 0 ? 1 / per_byte : NAN));
    json_object_set_new(object, "model", model_of(&model));
    for (size_t i = 0; i < routine->n_points; i++) {
        const struct fm_calibration_point *point = &routine->points[i];
        json_t *item = json_object();
        json_object_set_new(item, "ranks", whole(point->ranks));
        json_object_set_new(item, "bytes", whole(point->bytes));
        json_object_set_new(item, "min_s", real(point->min_s));
        json_object_set_new(item, "median_s", real(point->median_s));
        json_object_set_new(item, "calls", whole(point->calls));
        json_array_append_new(measured, item);
    }
    json_object_set_new(object, "measured", measured);
    return object;
}

enum fm_status fm_calibration_write(const struct fm_calibration *calibration, FILE *out, struct fm_error *error)
{
    json_t *root = json_object(), *routines = json_array();
    json_object_set_new(root, "fathom_calibration", whole(FM_CALIBRATION_VERSION));
    json_object_set_new(root, "made", words(calibration->made));
    json_object_set_new(root, "version", words(calibration->version));
    json_object_set_new(root, "mpi", words(calibration->mpi));
    json_object_set_new(root, "command", words(calibration->command));
    json_object_set_new(root, "seconds", real(calibration->seconds));
    json_object_set_new(root, "machine", machine_of(calibration));
    for (size_t i = 0; i < calibration->n_routines; i++)
        json_array_append_new(routines, routine_of(&calibration->routines[i]));
    json_object_set_new(root, "routines", routines);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS) | JSON_ENSURE_ASCII);
    json_decref(root);
    if (!text)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the calibration");
    fputs(text, out);
    fputc('\n', out);
    free(text);
    return FM_OK;
}
