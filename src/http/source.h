/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile that slices are made from: the profile itself, its symbols and its report. One thread at a time. */
#ifndef FM_HTTP_SOURCE_H
#define FM_HTTP_SOURCE_H

#include "http/blob.h"
#include "pages/slices.h"

struct fm_source_options {
    const char *debug_path, *modules; /* or NULL */
    const char *const *sources;       /* directories whose files may be shown, ends with NULL; NULL: none */
};

struct fm_source {
    struct fm_profile *profile;
    struct fm_symbols *symbols;
    struct fm_report report;
    struct fm_slices slices;
    bool is_open;
};

/* Takes over the profile, and destroys it if it fails. symbols: of an earlier version of the profile, also taken over; or
 * NULL. */
enum fm_status fm_source_open(struct fm_source *source, struct fm_profile *profile, struct fm_symbols *symbols,
                              const struct fm_source_options *options, struct fm_error *error);
/* Closes all but the symbols, which are returned. */
struct fm_symbols *fm_source_close_report(struct fm_source *source);
void fm_source_close(struct fm_source *source); /* may be closed already */
size_t fm_source_bytes(const struct fm_source *source);

/* Returns FM_ERR_USAGE if there is no slice of this name. */
enum fm_status fm_source_slice(struct fm_source *source, const char *name, struct fm_blob **blob,
                               struct fm_error *error);

/* What `write` writes, compressed. */
enum fm_status fm_blob_of(enum fm_status (*write)(void *context, FILE *out, struct fm_error *error), void *context,
                          struct fm_blob **blob, struct fm_error *error);

#endif
