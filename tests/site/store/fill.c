/* Fills a database with made-up jobs, for tests of commands: fill ADDRESS JOBS DAYS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "site/store/made_record.h"
#include "site/store/testing.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(argv[1], FM_DB_WRITE);
    long jobs = strtol(argv[2], NULL, 10), days = strtol(argv[3], NULL, 10);
    enum fm_status status = fm_store_begin(store, &error);
    for (long i = 0; i < jobs && !status; i++) {
        uint64_t state = (uint64_t)i;
        struct fm_record record;
        fm_made_record(&record, &state, time(NULL) - (days * 86400 / jobs) * (jobs - i) - 2 * 86400);
        status = fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error);
        fm_record_destroy(&record);
    }
    if (!status)
        status = fm_store_commit(store, &error);
    fm_store_close(store);
    if (status)
        fprintf(stderr, "fill: %s\n", error.text);
    return status ? 1 : 0;
}
