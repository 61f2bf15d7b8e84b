/* SPDX-License-Identifier: BSD-3-Clause */
/* A running job that somebody looks at: what it has measured so far, read from its segments as `fathom attach` does.
 * Nothing is stopped or removed, and reading takes at most 2 % of the time. Each reading is a new version; the last one
 * stays when the job has ended.
 *
 * While `busy`, a task uses `source`, `looks` and `map`; everything else needs the lock of the server. */
#ifndef FM_HTTP_WATCHED_H
#define FM_HTTP_WATCHED_H

#include "http/intervals.h"
#include "http/running.h"
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
    uint64_t version;              /* 0: none yet */
    uint64_t next_ns;              /* when there may be a new one */
    uint64_t dead_ns;              /* since when none of its processes is alive; 0: some are */
    bool ended;                    /* there will be no other version */
    char profile[FM_ID_CHARS + 1]; /* then: its profile; "" if it was not found */
    char *event;                   /* the latest version, one line of JSON */
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

/* Reads the segments into the source, if there are any; `version` is the number it will have. */
enum fm_status fm_watched_read(struct fm_watched *watched, uint64_t version, const struct fm_source_options *options,
                               const struct fm_module_map *map, struct fm_reading *reading, struct fm_error *error);
/* Looks for the profile that the job has written: in the served places, and where it was to be written. */
void fm_watched_find_profile(const struct fm_watched *watched, char *const *places, size_t n_places, bool recursive,
                             char path[FM_FILE_PATH_BYTES]);
void fm_watched_close(struct fm_watched *watched);

struct fm_watched *fm_watched_find(struct fm_watched *first,
                                   const char *key); /* in a list; NULL if nobody looks at it */

#endif
