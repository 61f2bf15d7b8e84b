/* SPDX-License-Identifier: BSD-3-Clause */
/* A running job that somebody looks at: what it has measured so far, read from its segments as `fathom attach` does.
 * Nothing is stopped or removed, and reading takes at most 2 % of the time. Each reading is a new version; the last one
 * stays when the job has ended.
 *
 * On request a `fathom attach` is started (http/sampling.h), for a job that is not measured, or to see all hosts of one that
 * is; as long as it runs, versions are its results.
 *
 * While `busy`, a task uses the members from `source` to `sampled`; everything else needs the lock of the server. */
#ifndef FM_HTTP_WATCHED_H
#define FM_HTTP_WATCHED_H

#include "http/intervals.h"
#include "http/running.h"
#include "http/sampling.h"
#include "http/source.h"

#define FM_WATCH_NS 1000000000ull          /* between two versions, at least */
#define FM_WATCH_MAX_NS 60000000000ull     /* at most, however long one takes */
#define FM_WATCH_FORGET_NS 600000000000ull /* after the last request */
enum { FM_WATCH_PART = 50 };               /* reading takes at most 1/50 of the time */

struct fm_stream;

struct fm_watched {
    struct fm_watched *next;
    char key[FM_JOB_KEY_BYTES];
    bool busy;
    unsigned tasks;
    struct fm_source source;
    struct fm_looks looks;
    char segments_key[FM_JOB_KEY_BYTES]; /* of its segments, which may have changed; "": `key` */
    struct fm_host_rank process;         /* one of its processes; of a job that is not measured, the first */
    uint64_t since_ns;                   /* when it started, since 1970 */
    char hosts[256];                     /* others, as far as known */
    char note[512];                      /* what the last sampling has said */
    bool sampled;                        /* the source is a result of a sampling */
    bool not_measured;                   /* there are no segments; never changes */
    struct fm_job_sampling *sampling;    /* NULL: none */
    bool again;                          /* to be sampled again, as soon as the sampling that ends has ended */
    bool stopped;                        /* a sampling has ended: to be told */
    uint64_t version;                    /* 0: none yet */
    uint64_t next_ns;                    /* when there may be a new one */
    uint64_t dead_ns;                    /* since when none of its processes is alive; 0: some are */
    bool ended;                          /* there will be no other version */
    char profile[FM_ID_CHARS + 1];       /* then: its profile; "" if it was not found */
    char *event;                         /* the latest version, one line of JSON */
    uint64_t used_ns;
    struct fm_stream *streams;
};

/* One reading, made without the lock and then taken over with it. */
struct fm_reading {
    bool exists; /* there are segments */
    bool alive;
    char *event;
    uint64_t cost_ns;
    char path[FM_FILE_PATH_BYTES]; /* of the file with the profile, if the job has ended; "": not found */
};

struct fm_reading_options {
    uint64_t version;                 /* the number it will have */
    struct fm_job_sampling *sampling; /* that of the job, or NULL */
    bool tell;                        /* make an event even if there is nothing new */
    const struct fm_source_options *source;
    const struct fm_module_map *map;
};

/* Reads the segments, or the newest result of the sampling, into the source, if there are any. */
enum fm_status fm_watched_read(struct fm_watched *watched, const struct fm_reading_options *options,
                               struct fm_reading *reading, struct fm_error *error);
/* Looks for the profile that the job has written: in the served places, and where it was to be written. */
void fm_watched_find_profile(const struct fm_watched *watched, char *const *places, size_t n_places, bool recursive,
                             char path[FM_FILE_PATH_BYTES]);
void fm_watched_close(struct fm_watched *watched);

struct fm_watched *fm_watched_find(struct fm_watched *first,
                                   const char *key); /* in a list; NULL if nobody looks at it */

/* The same, added if nobody looked at it; NULL if out of memory. */
struct fm_watched *fm_watched_add(struct fm_watched **first, const char *key);

#endif
