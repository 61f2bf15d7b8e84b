/* Records are kept compressed, and what was kept once can be read for ever. */
#include "site/store/pack.h"

#include <string.h>

#include "site/store/made_record.h"
#include "tap.h"

static void records_come_back(struct fm_document_packer *packer)
{
    struct fm_error error = {0};
    size_t packed = 0, plain = 0;
    bool same = true;
    for (uint64_t i = 0; i < 200; i++) {
        char text[FM_RECORD_BYTES + 1];
        struct fm_record record;
        const unsigned char *bytes;
        const char *again;
        size_t size, length, written;
        uint64_t state = i;
        fm_made_record(&record, &state, 1800000000);
        written = fm_record_write(&record, text);
        fm_record_destroy(&record);
        same = same && !fm_document_pack(packer, text, written, &bytes, &size, &error) &&
               !fm_document_unpack(packer, bytes, size, &again, &length, &error) && length == written &&
               memcmp(text, again, written) == 0;
        packed += size;
        plain += written;
    }
    tap_ok(same, "200 records %s", error.text);
    tap_ok(packed * 2 < plain, "take less than half: %zu of %zu bytes", packed / 200, plain / 200);
}

static void damage(struct fm_document_packer *packer)
{
    struct fm_error error = {0};
    const unsigned char *bytes;
    const char *text;
    size_t size, length;
    static char large[FM_UNPACKED_BYTES + 1];
    tap_ok(fm_document_pack(packer, large, sizeof large, &bytes, &size, &error) == FM_ERR_INPUT, "%s", error.text);
    tap_ok(!fm_document_pack(packer, large, FM_UNPACKED_BYTES, &bytes, &size, &error) &&
               !fm_document_unpack(packer, bytes, size, &text, &length, &error) && length == FM_UNPACKED_BYTES,
           "the longest one");
    unsigned char copy[200];
    fm_document_pack(packer, "{\"fathom\":1,\"job\":{\"key\":\"0123456789\"}}", 40, &bytes, &size, &error);
    bool told = true;
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, bytes, size);
        copy[i] ^= 0x55;
        told = told && fm_document_unpack(packer, copy, size, &text, &length, &error) == FM_ERR_INPUT;
        told = told && fm_document_unpack(packer, copy, i, &text, &length, &error) == FM_ERR_INPUT;
    }
    tap_ok(told, "every damaged byte is noticed: %s", error.text);
}

/* Kept by the first version that kept any. */
static void old_ones(struct fm_document_packer *packer)
{
    static const unsigned char old[] = {88,  40,  78, 170, 203, 91,  195, 93,  168, 24,  24,  26,  25,  155, 152,
                                        154, 153, 91, 88,  38,  38,  37,  167, 164, 166, 161, 243, 129, 110, 65,
                                        20,  35,  5,  249, 5,   74,  152, 185, 200, 72,  207, 20,  119, 70,  114,
                                        196, 76,  13, 198, 181, 177, 181, 181, 0,   153, 142, 45,  124};
    static const char text[] =
        "{\"fathom\":1,\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\",\"program\":\"pop\"},"
        "\"mpi\":{\"time_s\":2.5,\"routines\":[{\"name\":\"MPI_Allreduce\",\"calls\":3}]}}";
    struct fm_error error = {0};
    const char *again;
    size_t length;
    tap_ok(!fm_document_unpack(packer, old, sizeof old, &again, &length, &error) && strcmp(again, text) == 0,
           "an old one %s", error.text);
}

int main(void)
{
    struct fm_document_packer *packer = fm_document_packer_create();
    records_come_back(packer);
    damage(packer);
    old_ones(packer);
    fm_document_packer_destroy(packer);
    return tap_done();
}
