/* SPDX-License-Identifier: BSD-3-Clause */
/* How results (attach/result.h) get from a process that samples to the one that shows them: a byte on its standard input
 * asks for a result, which goes to its standard output, after a header. At the end of its input it ends. */
#ifndef FM_ATTACH_FEED_H
#define FM_ATTACH_FEED_H

#include <stdint.h>

#include "attach/result.h"

enum { FM_FEED_LOOK = 'l', FM_FEED_END = 'e' };

/* Header of a result. A launcher may print other text between results. */
struct fm_feed_header {
    char magic[8];
    uint64_t size;
};
#define FM_FEED_MAGIC "FATHOM\001\n"

/* What is asked for now: FM_FEED_LOOK, FM_FEED_END (or the end of the input), or 0 for nothing. Does not wait. */
char fm_feed_asked(void);
enum fm_status fm_feed_write(const struct fm_attach_result *result, struct fm_error *error);

#endif
