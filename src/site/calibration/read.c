/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading is strict about what is used: a number that makes no sense is an error, because an estimate from it would be
 * one, too. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "site/calibration/calibration.h"

/* Highest time of a call, and of a byte: beyond, a file is nonsense. */
static const double MAX_LATENCY_S = 1e6, MAX_PER_BYTE_S = 1;

struct reading {
    struct fm_calibration *to;
    const char *name; /* of the file */
    struct fm_error *error;
};

static enum fm_status wrong(const struct reading *reading, const char *what, const char *routine)
{
    return fm_fail(reading->error, FM_ERR_INPUT, "%s: %s%s%.64s", reading->name, what, *routine ? " of " : "", routine);
}

/* Texts are shown: what a terminal would interpret becomes '?'. */
static const char *text_in(struct reading *reading, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    char safe[FM_CALIBRATION_TEXT + 1], next[FM_SAFE_BYTES];
    size_t length = 0;
    while (text && *text) {
        size_t bytes = fm_safe_next(FM_SAFE_TERMINAL, &text, next);
        if (length + bytes > FM_CALIBRATION_TEXT)
            break;
        memcpy(safe + length, next, bytes);
        length += bytes;
    }
    const char *kept = fm_arena_strndup(&reading->to->arena, safe, length);
    return kept ? kept : "";
}

/* Missing: `otherwise`; anything but a number between 0 and `most` is wrong. */
static bool number_in(const json_t *object, const char *key, double most, double otherwise, double *number)
{
    const json_t *value = json_object_get(object, key);
    *number = otherwise;
    if (!value || json_is_null(value))
        return true;
    if (!json_is_number(value))
        return false;
    *number = json_number_value(value);
    return isfinite(*number) && *number >= 0 && *number <= most;
}

static bool count_in(const json_t *object, const char *key, double most, uint64_t *count)
{
    double number;
    bool good = number_in(object, key, most, 0, &number) && number == floor(number);
    *count = good ? (uint64_t)number : 0;
    return good;
}

/* Missing: the first one. */
static bool word_in(const json_t *object, const char *key, const char *const *words, unsigned n, unsigned *index)
{
    const json_t *value = json_object_get(object, key);
    *index = 0;
    if (!value)
        return true;
    for (unsigned i = 0; json_is_string(value) && i < n; i++)
        if (strcmp(json_string_value(value), words[i]) == 0) {
            *index = i;
            return true;
        }
    return false;
}

/* With a model, latency and bandwidth are only for readers: they are its values for the most ranks. */
static bool read_model(const json_t *object, struct fm_model *model)
{
    const json_t *given = json_object_get(object, "model");
    unsigned growth;
    if (given && !json_is_null(given)) {
        bool good = number_in(given, "constant_s", MAX_LATENCY_S, 0, &model->a_s) &&
                    number_in(given, "per_log2_ranks_s", MAX_LATENCY_S, 0, &model->b_s) &&
                    number_in(given, "per_byte_s", MAX_PER_BYTE_S, 0, &model->c_s) &&
                    number_in(given, "per_byte_growth_s", MAX_PER_BYTE_S, 0, &model->d_s) &&
                    number_in(given, "residual", 1e6, NAN, &model->residual) &&
                    word_in(given, "growth", fm_byte_growth_names, FM_GROWTHS, &growth);
        model->growth = good ? (enum fm_byte_growth)growth : FM_GROWTH_LOG2;
        return good && json_is_object(given);
    }
    double bandwidth;
    *model = (struct fm_model){.residual = NAN};
    if (!json_is_number(json_object_get(object, "latency_s")) ||
        !number_in(object, "latency_s", MAX_LATENCY_S, 0, &model->a_s) ||
        !number_in(object, "bandwidth_bytes_per_s", 1e18, INFINITY, &bandwidth) || bandwidth < 1 / MAX_PER_BYTE_S)
        return false;
    model->c_s = 1 / bandwidth;
    return true;
}

static enum fm_status read_points(struct reading *reading, const json_t *array, struct fm_calibration_routine *routine)
{
    size_t n = json_array_size(array);
    if (!array)
        return FM_OK;
    if (!json_is_array(array) || n > FM_CALIBRATION_POINTS)
        return wrong(reading, "'measured' is not a list, or too long,", routine->name);
    struct fm_calibration_point *points = fm_arena_alloc(&reading->to->arena, n * sizeof *points);
    if (!points)
        return fm_fail(reading->error, FM_ERR_MEMORY, "%s: not enough memory", reading->name);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, i);
        uint64_t ranks;
        if (!count_in(item, "ranks", FM_CALIBRATION_RANKS, &ranks) ||
            !count_in(item, "bytes", 1e15, &points[i].bytes) || !count_in(item, "calls", 1e15, &points[i].calls) ||
            !number_in(item, "min_s", MAX_LATENCY_S, 0, &points[i].min_s) ||
            !number_in(item, "median_s", MAX_LATENCY_S, 0, &points[i].median_s))
            return wrong(reading, "a measurement is not valid", routine->name);
        points[i].ranks = (uint32_t)ranks;
    }
    routine->points = points;
    routine->n_points = n;
    return FM_OK;
}

static enum fm_status read_routine(struct reading *reading, const json_t *item, struct fm_calibration_routine *routine)
{
    uint64_t least, most;
    unsigned place;
    *routine = (struct fm_calibration_routine){.name = text_in(reading, item, "name")};
    if (strncmp(routine->name, "MPI_", 4) != 0)
        return wrong(reading, "a routine has no name, or one that does not begin with MPI_", "");
    if (!word_in(item, "place", fm_place_names, FM_PLACES, &place))
        return wrong(reading, "'place' is neither host nor hosts", routine->name);
    if (!count_in(item, "ranks_min", FM_CALIBRATION_RANKS, &least) ||
        !count_in(item, "ranks_max", FM_CALIBRATION_RANKS, &most) || least > most)
        return wrong(reading, "the numbers of ranks are not valid", routine->name);
    if (!read_model(item, &routine->model))
        return wrong(reading, "the model, or latency_s and bandwidth_bytes_per_s, are not valid", routine->name);
    routine->place = (enum fm_place)place;
    routine->ranks_min = (uint32_t)least;
    routine->ranks_max = (uint32_t)most;
    return read_points(reading, json_object_get(item, "measured"), routine);
}

static enum fm_status read_routines(struct reading *reading, const json_t *array)
{
    struct fm_calibration *to = reading->to;
    size_t n = json_array_size(array);
    if (!json_is_array(array) || n > FM_CALIBRATION_ROUTINES)
        return wrong(reading, "'routines' is missing, not a list, or too long", "");
    to->routines = fm_arena_alloc(&to->arena, n * sizeof *to->routines);
    if (!to->routines)
        return fm_fail(reading->error, FM_ERR_MEMORY, "%s: not enough memory", reading->name);
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = read_routine(reading, json_array_get(array, i), &to->routines[to->n_routines++]);
    if (status)
        return status;
    fm_calibration_sort(to);
    for (size_t i = 1; i < n; i++)
        if (strcmp(to->routines[i - 1].name, to->routines[i].name) == 0 &&
            to->routines[i - 1].place == to->routines[i].place)
            return wrong(reading, "there are two entries", to->routines[i].name);
    return FM_OK;
}

static enum fm_status read_document(struct reading *reading, const json_t *root)
{
    struct fm_calibration *to = reading->to;
    const json_t *version = json_object_get(root, "fathom_calibration"), *machine = json_object_get(root, "machine");
    uint64_t ranks, hosts, cores;
    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return wrong(reading, "not a calibration: it has no 'fathom_calibration'", "");
    to->made = text_in(reading, root, "made");
    to->version = text_in(reading, root, "version");
    to->mpi = text_in(reading, root, "mpi");
    to->command = text_in(reading, root, "command");
    to->host = text_in(reading, machine, "host");
    to->cpu = text_in(reading, machine, "cpu");
    to->oversubscribed = json_is_true(json_object_get(machine, "oversubscribed"));
    if (!count_in(machine, "ranks", FM_CALIBRATION_RANKS, &ranks) ||
        !count_in(machine, "hosts", FM_CALIBRATION_RANKS, &hosts) ||
        !count_in(machine, "cores", FM_CALIBRATION_RANKS, &cores) ||
        !number_in(root, "seconds", 1e9, NAN, &to->seconds))
        return wrong(reading, "the numbers of 'machine' are not valid", "");
    to->ranks = (uint32_t)ranks;
    to->hosts = (uint32_t)hosts;
    to->cores = (uint32_t)cores;
    return read_routines(reading, json_object_get(root, "routines"));
}

enum fm_status fm_calibration_parse(struct fm_calibration *calibration, const char *text, size_t length,
                                    const char *name, struct fm_error *error)
{
    json_error_t where;
    *calibration = (struct fm_calibration){0};
    if (length > FM_CALIBRATION_BYTES)
        return fm_fail(error, FM_ERR_INPUT, "%s: too long for a calibration", name);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return fm_fail(error, FM_ERR_INPUT, "%s: not a calibration: not valid JSON in line %d", name, where.line);
    enum fm_status status = read_document(&(struct reading){calibration, name, error}, root);
    json_decref(root);
    if (status)
        fm_calibration_destroy(calibration);
    return status;
}

enum fm_status fm_calibration_read(struct fm_calibration *calibration, const char *path, struct fm_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open the calibration %s: %s", path, strerror(errno));
    char *text = malloc(FM_CALIBRATION_BYTES + 1);
    errno = 0;
    size_t length = text ? fread(text, 1, FM_CALIBRATION_BYTES + 1, file) : 0;
    bool failed = ferror(file);
    int why = errno;
    fclose(file);
    enum fm_status status;
    if (!text)
        status = fm_fail(error, FM_ERR_MEMORY, "%s: not enough memory", path);
    else if (failed)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot read the calibration %s: %s", path, strerror(why));
    else
        status = fm_calibration_parse(calibration, text, length, path, error);
    free(text);
    return status;
}
