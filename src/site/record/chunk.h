/* SPDX-License-Identifier: BSD-3-Clause */
/* A record as lines of a log. A record is longer than what log daemons accept as one line (RFC 3164: 1,024 bytes), so it
 * is cut into numbered chunks:
 *
 *   fathom: 1 0f3c...e9 2/5 9a3b11c0 {"fathom":1,"job":{...|
 *           | |         |   |        |                     end mark: daemons cut long lines and strip blanks
 *           | |         |   |        payload: a piece of the document, printable ASCII
 *           | |         |   CRC-32C of the whole document (base/crc32c.h)
 *           | |         number of the chunk and of all chunks
 *           | key of the job: 32 hexadecimal digits
 *           version of this layout
 *
 * Chunks may arrive in any order, more than once, and mixed with those of other jobs. The receiver joins those that have
 * the same uid (as vouched for by the log daemon), key, number of chunks and CRC. */
#ifndef FM_SITE_RECORD_CHUNK_H
#define FM_SITE_RECORD_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_CHUNK_BYTES = 900, FM_CHUNK_MIN_BYTES = 200, FM_CHUNK_KEY = 32, FM_CHUNKS_MAX = 64 };

struct fm_chunk {
    char key[FM_CHUNK_KEY + 1];
    unsigned number, total; /* from 1 */
    uint32_t crc;
    const char *payload; /* in the line */
    size_t payload_length;
};

/* How many chunks a document of this length takes if a line has at most `line_bytes`, which are at least
 * FM_CHUNK_MIN_BYTES. A record never needs more than FM_CHUNKS_MAX. */
unsigned fm_chunks(size_t length, size_t line_bytes);
/* Writes chunk `number` of a document, without "fathom: ", NUL-terminated, into `line` (line_bytes + 1). */
size_t fm_chunk_write(const char *key, const char *text, size_t length, unsigned number, size_t line_bytes, char *line);
/* Reads the text of a message, without "fathom: ". False if it is not a chunk. */
bool fm_chunk_read(const char *line, size_t length, struct fm_chunk *chunk);

#endif
