/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/segment_version_1.h"

#include <string.h>

enum { SECTIONS = 14 };
#define ROUTINES 0xc031f6e4u /* the routines whose numbers have been fixed since then: tools/make_wrappers.py */

const char *fm_segment_upgrade(struct fm_segment_header *header)
{
    const size_t common = offsetof(struct fm_segment_header, text_runtime_version);
    if (header->header_bytes != FM_VERSION_1_HEADER || header->segment_bytes < FM_VERSION_1_HEADER)
        return "is truncated or damaged";
    if (header->routines_fingerprint != ROUTINES)
        return "was written by another build of Fathom: read it with the build that wrote it";
    memset((char *)header + common, 0, sizeof *header - common);
    memcpy(header->sections, header->unused_sections, SECTIONS * sizeof *header->sections);
    return NULL;
}
