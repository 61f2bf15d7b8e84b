/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/blob.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "render/gzip.h"

enum {
    LEVEL = 5, /* within 2 % of the size of level 6, in two thirds of the time */
    GZIP = 16  /* added to the size of the window: the header of gzip */
};

struct fm_blob *fm_blob_make(const void *plain, size_t bytes)
{
    struct fm_blob *blob = bytes < UINT_MAX ? malloc(sizeof *blob) : NULL; /* fm_blob_plain does it at once */
    if (!blob)
        return NULL;
    struct fm_gzip packed = fm_gzip(plain, bytes, LEVEL);
    if (!packed.bytes) {
        free(blob);
        return NULL;
    }
    atomic_init(&blob->references, 1);
    blob->data = packed.bytes;
    blob->bytes = packed.n;
    blob->plain_bytes = bytes;
    return blob;
}

struct fm_blob *fm_blob_keep(struct fm_blob *blob)
{
    atomic_fetch_add_explicit(&blob->references, 1, memory_order_relaxed);
    return blob;
}

void fm_blob_release(struct fm_blob *blob)
{
    if (blob && atomic_fetch_sub_explicit(&blob->references, 1, memory_order_acq_rel) == 1) {
        free(blob->data);
        free(blob);
    }
}

void *fm_blob_plain(const struct fm_blob *blob)
{
    z_stream stream = {.next_in = blob->data, .avail_in = (uInt)blob->bytes};
    unsigned char *plain = malloc(blob->plain_bytes + 1);
    if (!plain || inflateInit2(&stream, MAX_WBITS + GZIP) != Z_OK) {
        free(plain);
        return NULL;
    }
    stream.next_out = plain;
    stream.avail_out = (uInt)blob->plain_bytes + 1;
    int status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (status == Z_STREAM_END)
        return plain;
    free(plain);
    return NULL;
}
