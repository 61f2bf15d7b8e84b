/* A database for a test: SQLite in a file of its own or, with FATHOM_TEST_DATABASE=postgresql://..., that one, emptied. */
#ifndef FM_TESTS_STORE_TESTING_H
#define FM_TESTS_STORE_TESTING_H

#include <stdbool.h>
#include <stdint.h>

#include "site/store/store.h"

/* An address whose database has no tables. Ends the program if that is not possible. */
const char *fm_test_database(void);
/* Removes what fm_test_database made. */
void fm_test_database_end(void);
bool fm_test_is_postgres(void);

struct fm_store *fm_test_store(const char *address, enum fm_db_access access);
/* Adds a record as it would be sent: written, and read again. */
enum fm_status fm_test_add(struct fm_store *store, const struct fm_record *record, enum fm_store_origin origin,
                           double weight, struct fm_error *error);
/* The first value of the first row of a query; NAN, "" if there is none. */
double fm_test_number(struct fm_store *store, const char *sql);
void fm_test_text(struct fm_store *store, const char *sql, char *text, unsigned size);
/* All rows of a query as a text, to be freed. */
char *fm_test_rows(struct fm_store *store, const char *sql);
/* In how many rows the coarse roll-ups differ from the sums of the fine ones; NAN if they cannot be asked. */
double fm_test_coarse_differences(struct fm_store *store);
/* All roll-ups, as a text, to be freed. */
char *fm_test_rollups(struct fm_store *store);

#endif
