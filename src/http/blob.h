/* SPDX-License-Identifier: BSD-3-Clause */
/* The body of a response, compressed once and shared by the cache and by all responses that are being sent. Any thread
 * may keep and release it; it never changes. */
#ifndef FM_HTTP_BLOB_H
#define FM_HTTP_BLOB_H

#include <stdatomic.h>
#include <stddef.h>

struct fm_blob {
    atomic_uint references;
    unsigned char *data; /* gzip */
    size_t bytes, plain_bytes;
};

struct fm_blob *fm_blob_make(const void *plain, size_t bytes); /* with one reference; NULL if out of memory */
struct fm_blob *fm_blob_keep(struct fm_blob *blob);
void fm_blob_release(struct fm_blob *blob);      /* may be NULL */
void *fm_blob_plain(const struct fm_blob *blob); /* decompressed, to be freed; NULL if out of memory */

#endif
