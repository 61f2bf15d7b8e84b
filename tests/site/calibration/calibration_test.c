/* Calibration files: what is written is read, and nothing else gets through. */
#include "site/calibration/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define BEFORE "{\"fathom_calibration\": 1, \"routines\": ["
#define ONE(rest) BEFORE "{\"name\": \"MPI_Send\", " rest "}]}"

static enum fm_status parse(const char *text, struct fm_error *error)
{
    struct fm_calibration calibration;
    enum fm_status status = fm_calibration_parse(&calibration, text, strlen(text), "x.json", error);
    if (!status)
        fm_calibration_destroy(&calibration);
    return status;
}

static void hostile_files(void)
{
    static const char *const bad[] = {
        "",
        "null",
        "[]",
        "{",
        "{\"routines\": []}",
        "{\"fathom_calibration\": \"1\", \"routines\": []}",
        "{\"fathom_calibration\": 0, \"routines\": []}",
        "{\"fathom_calibration\": 1}",
        "{\"fathom_calibration\": 1, \"routines\": {}}",
        "{\"fathom_calibration\": 1, \"fathom_calibration\": 1, \"routines\": []}",
        "{\"fathom_calibration\": 1, \"machine\": {\"ranks\": -1}, \"routines\": []}",
        "{\"fathom_calibration\": 1, \"machine\": {\"ranks\": 1e300}, \"routines\": []}",
        "{\"fathom_calibration\": 1, \"seconds\": \"a\", \"routines\": []}",
        BEFORE "1]}",
        BEFORE "{}]}",
        BEFORE "{\"name\": \"Send\", \"latency_s\": 1}]}",
        BEFORE "{\"name\": 1, \"latency_s\": 1}]}",
        BEFORE "{\"name\": \"MPI_Send\", \"latency_s\": 1}, {\"name\": \"MPI_Send\", \"latency_s\": 1}]}",
        ONE("\"x\": 1"),
        ONE("\"latency_s\": -1e-6"),
        ONE("\"latency_s\": 1e300"),
        ONE("\"latency_s\": \"1e-6\""),
        ONE("\"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": 0"),
        ONE("\"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": -5"),
        ONE("\"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": 1e30"),
        ONE("\"latency_s\": 1e-6, \"place\": \"moon\""),
        ONE("\"latency_s\": 1e-6, \"ranks_min\": 4, \"ranks_max\": 2"),
        ONE("\"latency_s\": 1e-6, \"ranks_max\": 2.5"),
        ONE("\"latency_s\": 1e-6, \"ranks_max\": 99999999999"),
        ONE("\"model\": {\"constant_s\": -1}"),
        ONE("\"model\": {\"per_byte_s\": 7}"),
        ONE("\"model\": {\"growth\": \"squares\"}"),
        ONE("\"model\": 5"),
        ONE("\"latency_s\": 1e-6, \"measured\": {}"),
        ONE("\"latency_s\": 1e-6, \"measured\": [{\"ranks\": -2}]"),
        ONE("\"latency_s\": 1e-6, \"measured\": [{\"min_s\": []}]"),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fm_error error = {0};
        tap_ok(parse(bad[i], &error) == FM_ERR_INPUT && strncmp(error.text, "x.json: ", 8) == 0, "refused: %s",
               error.text);
    }
    struct fm_calibration calibration;
    struct fm_error error;
    tap_ok(fm_calibration_parse(&calibration, "{\"a\0b\": 1}", 10, "x", &error) == FM_ERR_INPUT, "NUL in a name");
    char *deep = malloc(100001);
    memset(deep, '[', 100000);
    deep[100000] = 0;
    tap_ok(parse(deep, &error) == FM_ERR_INPUT, "nested 100,000 times");
    free(deep);
    char *many = malloc(200000);
    strcpy(many, BEFORE);
    for (int i = 0; i < FM_CALIBRATION_ROUTINES + 1; i++)
        sprintf(many + strlen(many), "%s{\"name\": \"MPI_%d\", \"latency_s\": 1}", i ? "," : "", i);
    strcat(many, "]}");
    tap_ok(parse(many, &error) == FM_ERR_INPUT, "too many routines");
    free(many);
    char *long_file = calloc(1, FM_CALIBRATION_BYTES + 2);
    memset(long_file, ' ', FM_CALIBRATION_BYTES + 1);
    tap_ok(parse(long_file, &error) == FM_ERR_INPUT && strstr(error.text, "too long"), "too long");
    free(long_file);
    tap_ok(fm_calibration_read(&calibration, "/", &error) == FM_ERR_SYSTEM &&
               fm_calibration_read(&calibration, "/there/is/none", &error) == FM_ERR_SYSTEM,
           "a directory, and a file that is not there");
}

static void texts_are_harmless(void)
{
    const char text[] =
        "{\"fathom_calibration\": 7, \"new\": [1], \"mpi\": \"a\\u001b[31m\\nb\", \"made\": 5,"
        " \"machine\": [], \"routines\": [{\"name\": \"MPI_Send\\u0007\", \"latency_s\": 0, \"x\": {}}]}";
    struct fm_calibration calibration;
    struct fm_error error = {0};
    tap_ok(!fm_calibration_parse(&calibration, text, strlen(text), "x", &error), "a newer version with unknown keys");
    tap_ok(strcmp(calibration.mpi, "a?[31m?b") == 0 && strcmp(calibration.made, "") == 0 &&
               strcmp(calibration.routines[0].name, "MPI_Send?") == 0,
           "control characters do not get through");
    fm_calibration_destroy(&calibration);
}

static char *written(const struct fm_calibration *calibration)
{
    char *text = NULL;
    size_t size;
    struct fm_error error;
    FILE *out = open_memstream(&text, &size);
    if (!out || fm_calibration_write(calibration, out, &error))
        abort();
    fclose(out);
    return text;
}

static void what_is_written_is_read(void)
{
    struct fm_calibration calibration = {.made = "2026-11-18T17:00:00Z",
                                         .version = "0.1.0",
                                         .mpi = "Open MPI 4.1.4",
                                         .host = "node7",
                                         .cpu = "Neoverse-N1",
                                         .command = "mpirun -n 4",
                                         .ranks = 4,
                                         .hosts = 2,
                                         .cores = 2,
                                         .oversubscribed = true,
                                         .seconds = 29.5},
                          again;
    const struct fm_calibration_point points[] = {{4, 1 << 20, 0.001234567, 0.0013, 500},
                                                  {2, 8, 1.25e-6, 1.5e-6, 12000},
                                                  {2, 1 << 20, 1e-3, 1.1e-3, 100},
                                                  {4, 8, 3e-6, 4e-6, 9000}};
    struct fm_error error = {0};
    fm_calibration_add(&calibration, "MPI_Send", FM_PLACE_HOSTS, points, 4);
    fm_calibration_add(&calibration, "MPI_Send", FM_PLACE_HOST, points + 1, 2);
    fm_calibration_add(&calibration, "MPI_Barrier", FM_PLACE_HOSTS, points + 1, 1);
    fm_calibration_sort(&calibration);
    char *text = written(&calibration);
    tap_ok(!fm_calibration_parse(&again, text, strlen(text), "x", &error), "it is read: %s", error.text);
    char *second = written(&again);
    tap_ok(strcmp(text, second) == 0, "and written the same again");
    const struct fm_calibration_routine *found = fm_calibration_find(&again, "MPI_Send", FM_PLACE_HOSTS);
    tap_ok(found && found->n_points == 4 && found->ranks_min == 2 && found->ranks_max == 4 &&
               found->points[0].calls == 500 && again.oversubscribed && again.hosts == 2 && again.seconds == 29.5 &&
               fm_calibration_find(&again, "MPI_Barrier", FM_PLACE_HOST) == NULL,
           "with everything in it");
    free(text);
    free(second);
    fm_calibration_destroy(&calibration);
    fm_calibration_destroy(&again);
}

int main(void)
{
    hostile_files();
    texts_are_harmless();
    what_is_written_is_read();
    return tap_done();
}
