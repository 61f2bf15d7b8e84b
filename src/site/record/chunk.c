/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/record/chunk.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

/* "1 KEY 64/64 CRC " and the mark at the end: every chunk leaves room for the longest one. */
enum { AROUND = 2 + FM_CHUNK_KEY + 1 + 5 + 1 + 8 + 1 + 1 };
static const char end_mark = '|';

unsigned fm_chunks(size_t length, size_t line_bytes)
{
    size_t payload = line_bytes - AROUND;
    return (unsigned)((length + payload - 1) / payload);
}

size_t fm_chunk_write(const char *key, const char *text, size_t length, unsigned number, size_t line_bytes, char *line)
{
    size_t payload = line_bytes - AROUND, from = (number - 1) * payload;
    size_t here = length - from < payload ? length - from : payload;
    int head = snprintf(line, line_bytes + 1, "1 %.*s %u/%u %08x ", FM_CHUNK_KEY, key, number,
                        fm_chunks(length, line_bytes), fm_crc32c(text, length));
    memcpy(line + head, text + from, here);
    line[(size_t)head + here] = end_mark;
    line[(size_t)head + here + 1] = '\0';
    return (size_t)head + here + 1;
}

/* What is left to be read of a line. */
struct rest {
    const char *at, *end;
};

static bool take(struct rest *rest, char expected)
{
    bool there = rest->at < rest->end && *rest->at == expected;
    rest->at += there;
    return there;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 1 to FM_CHUNKS_MAX without leading zeros. */
static bool take_number(struct rest *rest, unsigned *number)
{
    unsigned value = 0;
    const char *from = rest->at;
    while (rest->at < rest->end && rest->at - from < 3 && *rest->at >= '0' && *rest->at <= '9')
        value = value * 10 + (unsigned)(*rest->at++ - '0');
    *number = value;
    return rest->at > from && *from != '0' && value <= FM_CHUNKS_MAX;
}

/* Exactly `digits` hexadecimal digits. */
static bool take_hex(struct rest *rest, unsigned digits, uint32_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < digits; i++, rest->at++) {
        int digit = rest->at < rest->end ? digit_of(*rest->at) : -1;
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

static bool take_payload(struct rest *rest, struct fm_chunk *chunk)
{
    chunk->payload = rest->at;
    if (rest->end - rest->at < 2 || rest->end[-1] != end_mark)
        return false;
    chunk->payload_length = (size_t)(rest->end - rest->at) - 1;
    for (size_t i = 0; i < chunk->payload_length; i++)
        if (chunk->payload[i] < 0x20 || chunk->payload[i] > 0x7e)
            return false;
    return true;
}

bool fm_chunk_read(const char *line, size_t length, struct fm_chunk *chunk)
{
    struct rest rest = {line, line + length};
    uint32_t ignored;
    if (!take(&rest, '1') || !take(&rest, ' '))
        return false;
    const char *key = rest.at;
    if (!take_hex(&rest, FM_CHUNK_KEY, &ignored) || !take(&rest, ' ') || !take_number(&rest, &chunk->number) ||
        !take(&rest, '/') || !take_number(&rest, &chunk->total) || chunk->number > chunk->total || !take(&rest, ' ') ||
        !take_hex(&rest, 8, &chunk->crc) || !take(&rest, ' ') || !take_payload(&rest, chunk))
        return false;
    memcpy(chunk->key, key, FM_CHUNK_KEY);
    chunk->key[FM_CHUNK_KEY] = '\0';
    return true;
}
