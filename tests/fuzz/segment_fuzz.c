/* Any bytes as a segment. Magic and version are set first: the fuzzer should get past them. */
#include <stdlib.h>
#include <string.h>

#include "generated/routines.h"
#include "merge/from_segment.h"
#include "model/check.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    struct fm_profile *profile = NULL;
    struct fm_error error;
    memcpy(copy, data, size);
    if (size >= sizeof(struct fm_segment_header)) {
        struct fm_segment_header *header = (void *)copy;
        bool old = header->version == 1;
        memcpy(header->magic, FM_SEGMENT_MAGIC, 8);
        header->version = old ? 1 : FM_SEGMENT_VERSION;
        if (old)
            header->routines_fingerprint = FM_ROUTINES_FINGERPRINT;
    }
    if (!fm_profile_from_segment(NULL, copy, size, "fuzz", FM_END_UNKNOWN, 0, 0, &profile, &error) &&
        fm_profile_check(profile))
        abort();
    fm_profile_destroy(profile);
    free(copy);
    return 0;
}
