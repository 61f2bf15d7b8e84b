/* SPDX-License-Identifier: BSD-3-Clause */
/* The database of a site: one row per job, the record itself beside it (compressed), roll-ups by day and by month, what
 * was refused and why, and how far each source has been read.
 *
 * Records are added in batches, one transaction each, together with the position of their source: after a crash a source
 * is read again from the last position that was committed, and nothing is lost or counted twice. A record that is there
 * already (same uid, key and start) is ignored, unless the new one says more (a profile instead of a log line): then it
 * takes the other's place, in the roll-ups too.
 *
 * Jobs have a weight: the number of jobs that they stand for after thinning (retention.h). All sums are weighted. */
#ifndef FM_SITE_STORE_STORE_H
#define FM_SITE_STORE_STORE_H

#include <stdint.h>

#include "site/record/record.h"
#include "site/store/engine.h"

struct fm_store;

/* Opens a database and brings its schema up to date (FM_DB_WRITE, FM_DB_CREATE); with FM_DB_READ an older schema is an
 * error that says what to run. A newer schema is always an error. */
enum fm_status fm_store_open(struct fm_store **store, const char *address, enum fm_db_access access,
                             struct fm_error *error);
void fm_store_close(struct fm_store *store);
struct fm_db *fm_store_db(struct fm_store *store);

/* Where a record comes from; a higher one replaces a lower one of the same job. */
enum fm_store_origin { FM_ORIGIN_LOG = 1, FM_ORIGIN_SPOOL, FM_ORIGIN_PROFILE };
/* What became of the records of a batch; known once it is committed. Whether a job is there already is asked for many at
 * once: one question per record would take longer than adding it. */
struct fm_store_counts {
    uint64_t added, replaced, known;
    uint64_t old; /* not added: the jobs of that time have been deleted or thinned out (retention.h) */
};

struct fm_store_source {
    enum fm_store_origin origin;
    int64_t uid;      /* vouched for by the log daemon, or owner of the file; never the one of the text */
    const char *user; /* name of that uid; NULL: as in the record */
    double weight;    /* 1 unless the sender has thinned; 0: as in the record */
    const char *text; /* the document, for keeping */
    size_t length;
};

/* Within a batch. Records are visible to readers after the commit. Batches of some 1,000 to 10,000 are fastest. Only one
 * writer at a time is within a batch; others wait. After an error the batch must be rolled back, with one exception:
 * FM_ERR_INPUT of fm_store_add says that this record is refused, and nothing else has changed. */
enum fm_status fm_store_begin(struct fm_store *store, struct fm_error *error);
enum fm_status fm_store_add(struct fm_store *store, const struct fm_record *record,
                            const struct fm_store_source *source, struct fm_error *error);
/* Counts something that was refused: `why` is a short fixed word ("oversized", "forged", "malformed", "incomplete", ...). */
enum fm_status fm_store_refused(struct fm_store *store, const char *why, int64_t day, struct fm_error *error);
/* The position of a source (a file with its inode, a journal cursor): any text. */
enum fm_status fm_store_set_position(struct fm_store *store, const char *source, const char *position,
                                     struct fm_error *error);
/* That a source has been read at this time (seconds since 1970), and how many of its records wait for further chunks: the
 * values "read SOURCE" and "waiting SOURCE" of the table `fathom`. */
enum fm_status fm_store_note_read(struct fm_store *store, const char *source, int64_t at, uint64_t waiting,
                                  struct fm_error *error);
/* Also sums up the counts of all batches there: "records_added", "records_replaced", "records_known", "records_old". */
enum fm_status fm_store_commit(struct fm_store *store, struct fm_error *error);
void fm_store_rollback(struct fm_store *store);
/* Of the last batch that was committed. */
const struct fm_store_counts *fm_store_counts(const struct fm_store *store);

/* "" if unknown. The caller frees it. */
enum fm_status fm_store_position(struct fm_store *store, const char *source, char **position, struct fm_error *error);

/* The document of a job (jobs.id), as it was sent; to be freed. FM_ERR_USAGE if there is no such job. */
enum fm_status fm_store_document(struct fm_store *store, int64_t job, char **document, struct fm_error *error);
/* The record of a job (jobs.id), as it was sent. FM_ERR_USAGE if there is no such job. To be destroyed. */
enum fm_status fm_store_record(struct fm_store *store, int64_t job, struct fm_record *record, struct fm_error *error);

#endif
