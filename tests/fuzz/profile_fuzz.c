/* Any bytes as a profile. The frame is corrected first, or the checksum would keep the fuzzer out. */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "format/encode.h"
#include "format/layout.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void put_little(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void decode_again(const struct fm_profile *profile)
{
    struct fm_arena arena = {0};
    struct fm_profile *again = NULL;
    const void *bytes;
    size_t size;
    if (!fm_profile_encode_exact(profile, &arena, &bytes, &size, NULL) &&
        fm_profile_decode(bytes, size, "again", &again, NULL))
        abort(); /* what was accepted must come back */
    fm_profile_destroy(again);
    fm_arena_destroy(&arena);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    struct fm_profile *profile = NULL;
    struct fm_error error;
    memcpy(copy, data, size);
    if (size >= FM_FILE_HEAD + FM_FILE_TAIL) {
        memcpy(copy, FM_PROFILE_MAGIC, 8);
        put_little(copy + 8, FM_PROFILE_VERSION, 4);
        put_little(copy + 12, size, 8);
        put_little(copy + size - 8, fm_crc64(copy, size - 8), 8);
    }
    if (!fm_profile_decode(copy, size, "fuzz", &profile, &error))
        decode_again(profile);
    fm_profile_destroy(profile);
    free(copy);
    return 0;
}
