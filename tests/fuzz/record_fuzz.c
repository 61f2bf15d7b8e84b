/* Any bytes as the record of a job, and as a line of a log. What is accepted must come back from what is written of it. */
#include <stdlib.h>
#include <string.h>

#include "site/record/chunk.h"
#include "site/record/record.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void write_again(const struct fm_record *record)
{
    char text[FM_RECORD_BYTES + 1], second[FM_RECORD_BYTES + 1];
    struct fm_record again;
    unsigned left_out;
    size_t length = fm_record_write(record, text);
    if (length > FM_RECORD_BYTES || fm_record_read(&again, text, length, &left_out, NULL) || left_out)
        abort();
    /* once it fits, nothing more is lost */
    size_t second_length = fm_record_write(&again, second);
    if (!strstr(text, "\"left_out\":") && (second_length != length || memcmp(text, second, length) != 0))
        abort();
    fm_record_destroy(&again);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct fm_record record;
    struct fm_chunk chunk;
    struct fm_error error;
    if (fm_chunk_read((const char *)data, size, &chunk) &&
        (chunk.number > chunk.total || chunk.total > FM_CHUNKS_MAX || chunk.payload_length > size))
        abort();
    if (fm_record_read(&record, (const char *)data, size, NULL, &error))
        return 0;
    write_again(&record);
    fm_record_destroy(&record);
    return 0;
}
