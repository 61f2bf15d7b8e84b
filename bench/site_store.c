/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast records go into the database of a site: site_store ADDRESS RECORDS PER_BATCH [DAYS] prints records per second
 * and the CPU time of this process, also of what the caller does before: reading the JSON document. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "site/store/made_record.h"
#include "site/store/store.h"

enum { MADE = 20000 };

struct measured {
    double wall_s, cpu_s, reading_s; /* reading: CPU time */
};

struct made_record {
    char text[FM_RECORD_BYTES + 1];
    size_t length;
};

static double now_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(const struct fm_error *error)
{
    fprintf(stderr, "site_store: %s\n", error->text);
    exit(1);
}

static size_t make(struct made_record *made, size_t n, uint64_t *state, double from, double step)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        struct fm_record record;
        fm_made_record(&record, state, (int64_t)(from + (double)i * step));
        made[i].length = fm_record_write(&record, made[i].text);
        bytes += made[i].length;
        fm_record_destroy(&record);
    }
    return bytes;
}

static void add(struct fm_store *store, const struct made_record *made, size_t n, size_t per_batch,
                struct measured *measured)
{
    struct fm_error error = {0};
    double started = now_s(CLOCK_MONOTONIC), cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < n; i++) {
        if (i % per_batch == 0 && fm_store_begin(store, &error))
            fail(&error);
        struct fm_record record;
        double before = now_s(CLOCK_PROCESS_CPUTIME_ID);
        if (fm_record_read(&record, made[i].text, made[i].length, NULL, &error))
            fail(&error);
        measured->reading_s += now_s(CLOCK_PROCESS_CPUTIME_ID) - before;
        struct fm_store_source source = {FM_ORIGIN_LOG, 1000, NULL, 1, made[i].text, made[i].length};
        if (fm_store_add(store, &record, &source, &error))
            fail(&error);
        fm_record_destroy(&record);
        if (((i + 1) % per_batch == 0 || i + 1 == n) && fm_store_commit(store, &error))
            fail(&error);
    }
    measured->wall_s += now_s(CLOCK_MONOTONIC) - started;
    measured->cpu_s += now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    struct fm_error error = {0};
    struct fm_store *store;
    size_t records = strtoull(argv[2], NULL, 10), per_batch = strtoull(argv[3], NULL, 10);
    double days = argc > 4 ? strtod(argv[4], NULL) : 30, step = days * 86400 / (double)records;
    struct measured measured = {0};
    double from = (double)time(NULL) - (days + 2) * 86400;
    size_t bytes = 0;
    uint64_t state = (uint64_t)time(NULL);
    struct made_record *made = calloc(MADE, sizeof *made);
    if (!made || fm_store_open(&store, argv[1], FM_DB_CREATE, &error))
        fail(&error);
    for (size_t done = 0; done < records;) {
        size_t n = records - done < MADE ? records - done : MADE;
        bytes += make(made, n, &state, from + (double)done * step, step);
        add(store, made, n, per_batch, &measured);
        done += n;
        fprintf(stderr, "%zu records, %.0f/s\n", done, (double)done / measured.wall_s);
    }
    printf("%zu records of %zu bytes: %.0f/s; CPU time %.1f us each, of which %.1f us to read it\n", records,
           bytes / records, (double)records / measured.wall_s, measured.cpu_s / (double)records * 1e6,
           measured.reading_s / (double)records * 1e6);
    fm_store_close(store);
    free(made);
    return 0;
}
