/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/encode.h"

#include <string.h>

#include "base/crc.h"
#include "format/sections.h"

static void put_bytes(struct fm_column_writer *w, const void *bytes, size_t n)
{
    uint8_t *out = fm_arena_grow(&w->scratch, w->out, &w->out_capacity, w->n_out + n, 1);
    if (!out) {
        w->failed = true;
        return;
    }
    w->out = out;
    if (n)
        memcpy(out + w->n_out, bytes, n);
    w->n_out += n;
}

static void put_fixed(struct fm_column_writer *w, uint64_t value, size_t bytes)
{
    uint8_t little[8];
    for (size_t i = 0; i < bytes; i++)
        little[i] = (uint8_t)(value >> 8 * i);
    put_bytes(w, little, bytes);
}

static void put_varint(struct fm_column_writer *w, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value > 127; value >>= 7)
        bytes[n++] = (uint8_t)(value | 128);
    bytes[n++] = (uint8_t)value;
    put_bytes(w, bytes, n);
}

static void put_file(struct fm_column_writer *w)
{
    w->collecting = true;
    for (unsigned id = FM_FILE_JOB; id < FM_SECTIONS_END; id++)
        if (fm_section_known(id))
            fm_put_section(w, id);
    w->collecting = false;
    put_bytes(w, FM_PROFILE_MAGIC, 8);
    put_fixed(w, FM_PROFILE_VERSION, 4);
    put_fixed(w, 0, 8); /* the size, filled in at the end */
    for (unsigned id = FM_FILE_STRINGS; id < FM_SECTIONS_END && !w->failed; id++) {
        if (!fm_section_known(id))
            continue;
        fm_pack_begin(&w->pack, &w->scratch);
        fm_put_section(w, id);
        fm_pack_end(&w->pack);
        w->failed |= w->pack.failed;
        put_varint(w, id);
        put_varint(w, w->pack.n);
        put_bytes(w, w->pack.bytes, w->pack.n);
    }
    if (w->failed)
        return;
    for (size_t i = 0, size = w->n_out + FM_FILE_TAIL; i < 8; i++)
        w->out[12 + i] = (uint8_t)(size >> 8 * i);
    put_fixed(w, fm_crc64(w->out, w->n_out), 8);
}

static enum fm_status encode(const struct fm_profile *profile, bool large, bool exact, struct fm_arena *arena,
                             const void **bytes, size_t *size, struct fm_error *error)
{
    struct fm_column_writer w = {.profile = profile, .large = large, .exact = exact};
    fm_make_paths(&w);
    if (!w.failed)
        put_file(&w);
    void *result = w.failed ? NULL : fm_arena_alloc(arena, w.n_out);
    if (result) {
        memcpy(result, w.out, w.n_out);
        *bytes = result;
        *size = w.n_out;
    }
    fm_arena_destroy(&w.scratch);
    return result ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory to encode the profile");
}

enum fm_status fm_profile_encode(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                 size_t *size, struct fm_error *error)
{
    return encode(profile, profile->n_processes > FM_LARGE_RANKS, false, arena, bytes, size, error);
}

enum fm_status fm_profile_encode_exact(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                       size_t *size, struct fm_error *error)
{
    return encode(profile, false, true, arena, bytes, size, error);
}
