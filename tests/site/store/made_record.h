/* Records made up from the table of fields, for the tests and the benchmark of the store. */
#ifndef FM_TESTS_MADE_RECORD_H
#define FM_TESTS_MADE_RECORD_H

#include "site/record/record.h"

/* A record as a site with some hundred users would send it; the same for the same state. `started`: about when. The record
 * must be destroyed. Texts are constants or in its arena. */
void fm_made_record(struct fm_record *record, uint64_t *state, int64_t started);

#endif
