/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP = 16 }; /* added to the size of the window: the header of gzip instead of that of zlib */

static uInt part(size_t left)
{
    return left < UINT_MAX ? (uInt)left : UINT_MAX;
}

struct fm_gzip fm_gzip(const void *plain, size_t n, int level)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return (struct fm_gzip){0};
    size_t bound = deflateBound(&stream, n);
    struct fm_gzip result = {.bytes = malloc(bound)};
    stream.next_in = (Bytef *)plain;
    stream.next_out = result.bytes;
    size_t in = n, out = bound;
    for (int status = Z_OK; result.bytes && status == Z_OK;) { /* cannot fail: there is space for any input */
        stream.avail_in = part(in);
        stream.avail_out = part(out);
        size_t more = in - stream.avail_in, space = out - stream.avail_out;
        status = deflate(&stream, more ? Z_NO_FLUSH : Z_FINISH);
        in = more + stream.avail_in;
        out = space + stream.avail_out;
    }
    deflateEnd(&stream);
    result.n = bound - out;
    unsigned char *smaller = result.bytes ? realloc(result.bytes, result.n) : NULL;
    result.bytes = smaller ? smaller : result.bytes;
    return result;
}
