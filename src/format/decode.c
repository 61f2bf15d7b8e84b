/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/crc.h"
#include "format/encode.h"
#include "format/sections.h"
#include "model/check.h"

static uint64_t get_fixed(const uint8_t *bytes, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static uint64_t get_varint(struct fm_column_reader *r, const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (*at == end)
            break;
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    r->wrong = "a section is truncated";
    return 0;
}

static bool is_in_overview(uint64_t id)
{
    return id == FM_FILE_STRINGS || id == FM_FILE_JOB || id == FM_SECTION_OF_hosts || id == FM_FILE_PROCESSES ||
           id == FM_SECTION_OF_routines || id == FM_FILE_NOTES || id == FM_SECTION_OF_programs;
}

/* Sections are in ascending order, each at most once; unknown ones are from a newer Fathom and are skipped. */
static void get_sections(struct fm_column_reader *r, const uint8_t *at, const uint8_t *end, bool overview)
{
    uint64_t last = 0;
    while (at < end && !fm_column_reader_stopped(r)) {
        uint64_t id = get_varint(r, &at, end), size = get_varint(r, &at, end);
        if (!r->wrong && (id <= last || size > (uint64_t)(end - at)))
            r->wrong = "sections out of order";
        if (fm_column_reader_stopped(r))
            return;
        if (fm_section_known(id) && (!overview || is_in_overview(id))) {
            r->section_bytes = (size_t)size;
            fm_unpack_begin(&r->unpack, at, (size_t)size);
            fm_get_section(r, (unsigned)id);
        } else if (!fm_section_known(id)) {
            r->profile->left_out.sections++;
        }
        last = id;
        at += size;
    }
}

static unsigned version_of(const uint8_t *bytes)
{
    return (unsigned)get_fixed(bytes + 8, 4);
}

static enum fm_status check_frame(const uint8_t *bytes, size_t size, const char *origin, struct fm_error *error)
{
    if (size < 8 || memcmp(bytes, FM_PROFILE_MAGIC, 8))
        return fm_fail(error, FM_ERR_INPUT, "%s is not a Fathom profile", origin);
    if (size < FM_FILE_HEAD + FM_FILE_TAIL)
        return fm_fail(error, FM_ERR_INPUT, "%s is truncated: copy it again from where it was written", origin);
    unsigned version = version_of(bytes);
    if (version > FM_PROFILE_VERSION)
        return fm_fail(
            error, FM_ERR_INPUT,
            "%s was written by a newer version of Fathom (format %u; this version reads up to %d): update Fathom",
            origin, version, FM_PROFILE_VERSION);
    uint64_t expected = get_fixed(bytes + 12, 8);
    if (size < expected)
        return fm_fail(error, FM_ERR_INPUT,
                       "%s is truncated (%zu of %llu bytes): copy it again from where it was written", origin, size,
                       (unsigned long long)expected);
    if (!version || size > expected || get_fixed(bytes + size - 8, 8) != fm_crc64(bytes, size - 8))
        return fm_fail(error, FM_ERR_INPUT,
                       "%s is damaged (checksum mismatch): copy it again from where it was written", origin);
    return FM_OK;
}

static enum fm_status decode(const void *bytes, size_t size, const char *origin, bool overview,
                             struct fm_progress *progress, struct fm_profile **profile, struct fm_error *error)
{
    enum fm_status status = check_frame(bytes, size, origin, error);
    if (status)
        return status;
    static const char *const no_strings[] = {""};
    struct fm_column_reader r = {.profile = fm_profile_create(),
                                 .version = version_of(bytes),
                                 .strings = (const char **)no_strings,
                                 .n_strings = 1,
                                 .begin = bytes,
                                 .size = size,
                                 .progress = progress};
    if (!r.profile)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to read %s", origin);
    get_sections(&r, (const uint8_t *)bytes + FM_FILE_HEAD, (const uint8_t *)bytes + size - FM_FILE_TAIL, overview);
    if (!fm_column_reader_stopped(&r))
        r.wrong = fm_profile_check(r.profile);
    if (r.no_memory)
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory to read %s", origin);
    else if (r.wrong)
        status = fm_fail(error, FM_ERR_INPUT, "%s is damaged (%s): copy it again from where it was written", origin,
                         r.wrong);
    fm_arena_destroy(&r.scratch);
    if (status)
        fm_profile_destroy(r.profile);
    else
        *profile = r.profile;
    return status;
}

enum fm_status fm_profile_decode(const void *bytes, size_t size, const char *origin, struct fm_profile **profile,
                                 struct fm_error *error)
{
    return decode(bytes, size, origin, false, NULL, profile, error);
}

enum fm_status fm_profile_decode_watched(const void *bytes, size_t size, const char *origin,
                                         struct fm_progress *progress, struct fm_profile **profile,
                                         struct fm_error *error)
{
    return decode(bytes, size, origin, false, progress, profile, error);
}

enum fm_status fm_profile_decode_overview(const void *bytes, size_t size, const char *origin,
                                          struct fm_profile **profile, struct fm_error *error)
{
    return decode(bytes, size, origin, true, NULL, profile, error);
}
