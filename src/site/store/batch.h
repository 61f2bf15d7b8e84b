/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that wait to be written to the tables together. For store.c. */
#ifndef FM_SITE_STORE_BATCH_H
#define FM_SITE_STORE_BATCH_H

#include "base/arena.h"
#include "base/intern.h"
#include "site/store/pack.h"
#include "site/store/rollup.h"
#include "site/store/store.h"

struct fm_batch_item {
    struct fm_record record; /* texts and lists in the batch's arena; without regions and timers */
    int64_t uid;
    const char *user;
    double weight;  /* as counted in roll-ups */
    double thinned; /* factor: what thinning made of the weight of the job whose place it takes */
    enum fm_store_origin origin;
    const unsigned char *document;
    size_t document_size;
    int64_t old_job; /* whose place it takes; 0: none */
    bool left_out;
    int64_t job;
};

struct fm_batch {
    struct fm_arena arena;
    struct fm_batch_item *items;
    size_t n, capacity;
    struct fm_intern identities; /* with the number of the item + 1 */
};

/* FM_ERR_INPUT: refused. A record of a job that is in the batch already replaces it or is left out: *known. */
enum fm_status fm_batch_add(struct fm_batch *batch, struct fm_document_packer *packer, const struct fm_record *record,
                            const struct fm_store_source *source, bool *known, struct fm_error *error);
void fm_batch_clear(struct fm_batch *batch);

/* What writing needs. */
struct fm_batch_context {
    struct fm_db *db;
    struct fm_rollups *rollups;
    struct fm_document_packer *packer;
    int64_t *next_job;
    int64_t closed; /* jobs that started before are not added any more */
    struct fm_store_counts *counts;
};
enum fm_status fm_batch_write(struct fm_batch *batch, const struct fm_batch_context *context, struct fm_error *error);

/* The table in which the identities of a batch stand while they are looked up; made once per connection. */
enum fm_status fm_batch_prepare(struct fm_db *db, struct fm_error *error);

#endif
