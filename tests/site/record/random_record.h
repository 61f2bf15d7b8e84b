/* Records made up for tests, from the tables of fields: every field that is added is in them. */
#ifndef FM_TESTS_SITE_RECORD_RANDOM_RECORD_H
#define FM_TESTS_SITE_RECORD_RANDOM_RECORD_H

#include "site/record/record.h"

/* A valid record; at most `items` in each list, of different lengths. The same seed gives the same record. */
void fm_random_record(struct fm_record *record, unsigned seed, unsigned items);

/* Whether two records are the same in all fields and lists. */
bool fm_records_equal(const struct fm_record *a, const struct fm_record *b);

#endif
