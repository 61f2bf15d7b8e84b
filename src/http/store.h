/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles that are served: those in the given places, as of the last look. A profile is known by an identity, made
 * from device, inode, size and time of its file: a file that changes becomes another profile. Not thread-safe; an entry
 * that is busy belongs to the thread that made it so. */
#ifndef FM_HTTP_STORE_H
#define FM_HTTP_STORE_H

#include <sys/stat.h>

#include "base/progress.h"
#include "http/routes.h"
#include "http/source.h"
#include "render/json.h"
#include "report/listing.h"

enum fm_line_state { FM_LINE_READING, FM_LINE_READY, FM_LINE_FAILED };

/* The line of a profile in the list. */
struct fm_line {
    enum fm_line_state state;
    struct fm_listing listing; /* one item, if ready */
    struct fm_error error;     /* if failed */
};

struct fm_stored {
    struct fm_stored *next;
    char id[FM_ID_CHARS + 1];
    char *path;
    struct fm_line line;
    bool busy;               /* a task uses its source */
    unsigned tasks;          /* that refer to it */
    bool seen, gone;         /* by the last look */
    bool kept;               /* also if no look sees it */
    bool line_begun;         /* its line is being read */
    bool finding_begun;      /* its finding is being looked for, or was */
    struct fm_source source; /* may be closed */
    uint64_t used_ns;
    struct fm_progress progress; /* of opening it */
};

struct fm_profile_store {
    struct fm_stored *entries; /* in the order found */
    uint64_t looked_ns;        /* when the last look has ended; 0: never */
};

void fm_file_identity(const struct stat *st, char id[FM_ID_CHARS + 1]);

struct fm_stored *fm_profile_store_find(struct fm_profile_store *store, const char *id); /* NULL if there is none */
/* Adds a file that was found, unless it is known; returns its entry, or NULL if out of memory. */
struct fm_stored *fm_profile_store_add(struct fm_profile_store *store, const char *path, const struct stat *st);
/* A look begins, and ends: what it has not seen is forgotten as soon as no task refers to it. */
void fm_profile_store_look_begin(struct fm_profile_store *store);
void fm_profile_store_look_end(struct fm_profile_store *store);
void fm_profile_store_forget_gone(struct fm_profile_store *store);
/* Closes idle profiles, least recently used first, until the open ones take at most `limit` bytes, or only one
 * is open. */
void fm_profile_store_trim(struct fm_profile_store *store, size_t limit);
void fm_profile_store_close(struct fm_profile_store *store);

/* Reads the profile; fails if the file is no longer the one that was found. */
enum fm_status fm_stored_read(const struct fm_stored *entry, struct fm_profile **profile, struct fm_error *error);

void fm_line_read(struct fm_line *line, const struct fm_stored *entry);
/* The same with the costliest finding, for which all of the profile and the symbols of its program are read. Returns
 * false if that is not possible. */
bool fm_line_read_finding(struct fm_line *line, const struct fm_stored *entry, const char *debug_path);
void fm_line_close(struct fm_line *line);
/* The newest profile for whose finding nobody has looked yet; NULL if there is none. */
struct fm_stored *fm_profile_store_without_finding(struct fm_profile_store *store);
/* Opens the profile, if it is not open. The entry must be busy. */
enum fm_status fm_stored_open(struct fm_stored *entry, const struct fm_source_options *options, struct fm_error *error);

/* The array `profiles`, newest first. */
bool fm_profile_store_json(const struct fm_profile_store *store, struct fm_json *json);

#endif
