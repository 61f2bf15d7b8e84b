/* Records as lines of a log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "site/record/chunk.h"
#include "tap.h"

static const char key[] = "0123456789abcdef0123456789abcdef";

/* Whether a document comes back from its chunks, with every line within the limit. */
static bool comes_back(size_t length, size_t line_bytes)
{
    char *text = malloc(length), *joined = malloc(length), *line = malloc(line_bytes + 1);
    unsigned total = fm_chunks(length, line_bytes);
    size_t joined_length = 0;
    bool right = total <= FM_CHUNKS_MAX;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(' ' + (i * 7 + i / 95) % 95);
    for (unsigned number = 1; number <= total && right; number++) {
        struct fm_chunk chunk;
        size_t bytes = fm_chunk_write(key, text, length, number, line_bytes, line);
        right = bytes <= line_bytes && strlen(line) == bytes && fm_chunk_read(line, bytes, &chunk) &&
                chunk.number == number && chunk.total == total && !strcmp(chunk.key, key) &&
                chunk.crc == fm_crc32c(text, length) && joined_length + chunk.payload_length <= length;
        if (right) {
            memcpy(joined + joined_length, chunk.payload, chunk.payload_length);
            joined_length += chunk.payload_length;
        }
    }
    right = right && joined_length == length && !memcmp(joined, text, length);
    free(text);
    free(joined);
    free(line);
    return right;
}

static void documents_come_back(void)
{
    bool right = true;
    for (size_t length = 1; length <= 5000; length += length < 300 ? 1 : 97)
        right = right && comes_back(length, FM_CHUNK_MIN_BYTES) && comes_back(length, FM_CHUNK_BYTES);
    tap_ok(right, "documents of 1 to 5,000 bytes come back from chunks of 200 and 900 bytes");
    tap_ok(fm_chunks(5000, FM_CHUNK_BYTES) == 6, "a full record takes 6 chunks");
}

static bool accepted(const char *line)
{
    struct fm_chunk chunk;
    return fm_chunk_read(line, strlen(line), &chunk);
}

static void damaged_lines_are_refused(void)
{
    static const char *const wrong[] = {
        "",
        "1",
        "hello world",
        "2 0123456789abcdef0123456789abcdef 1/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcde 1/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef0 1/1 00000000 {}|",
        "1 0123456789ABCDEF0123456789abcdef 1/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef 0/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef 2/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef 1/65 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef 1/4294967297 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef 01/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef -1/1 00000000 {}|",
        "1 0123456789abcdef0123456789abcdef 1/1 0000000 {}|",
        "1 0123456789abcdef0123456789abcdef 1/1 00000000 |",
        "1 0123456789abcdef0123456789abcdef 1/1 00000000 {}",
        "1 0123456789abcdef0123456789abcdef 1/1 00000000 {\t}|",
        "1 0123456789abcdef0123456789abcdef 1/1 00000000 {\x1b}|",
        "1 0123456789abcdef0123456789abcdef 1/1 00000000 {\xc3\xa4}|",
        "1 0123456789abcdef0123456789abcdef 1/1 00000000 {}|\n",
        "1  0123456789abcdef0123456789abcdef 1/1 00000000 {}|",
    };
    tap_ok(accepted("1 0123456789abcdef0123456789abcdef 1/1 00000000 {}|"), "a chunk is accepted");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        tap_ok(!accepted(wrong[i]), "refused: wrong line %zu", i);
}

static void every_cut_is_refused(void)
{
    char line[FM_CHUNK_BYTES + 1];
    struct fm_chunk chunk;
    size_t length = fm_chunk_write(key, "{\"a\": 1} ", 9, 1, FM_CHUNK_BYTES, line);
    bool refused = true;
    for (size_t cut = 0; cut < length; cut++)
        refused = refused && !fm_chunk_read(line, cut, &chunk);
    tap_ok(refused && fm_chunk_read(line, length, &chunk), "a line that was cut anywhere is no chunk");
}

int main(void)
{
    tap_ok(fm_crc32c("123456789", 9) == 0xe3069283, "the checksum is CRC-32C");
    documents_come_back();
    damaged_lines_are_refused();
    every_cut_is_refused();
    return tap_done();
}
