/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/result.h"

#include <string.h>

#include "format/encode.h"
#include "merge/merge.h"

enum { PROFILES = FM_RESULT_BATCHES + 1 };

static struct fm_profile **profile_at(struct fm_attach_result *result, size_t i)
{
    return i ? &result->batches[i - 1] : &result->whole;
}

void fm_attach_result_destroy(struct fm_attach_result *result)
{
    for (size_t i = 0; i < PROFILES; i++)
        fm_profile_destroy(*profile_at(result, i));
    *result = (struct fm_attach_result){0};
}

/* ---- merging ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void merge_counts(struct fm_attach_result_counts *into, const struct fm_attach_result_counts *from)
{
    into->moments = larger(into->moments, from->moments);
    into->least = from->least < into->least ? from->least : into->least;
    into->sampled += from->sampled;
    into->living += from->living;
    into->stopped += from->stopped;
    into->held_median_ns = larger(into->held_median_ns, from->held_median_ns);
    into->held_most_ns = larger(into->held_most_ns, from->held_most_ns);
}

/* The batches of a single host say nothing about the whole job. */
static void drop_batches(struct fm_attach_result *result)
{
    for (size_t i = 0; i < FM_RESULT_BATCHES; i++) {
        fm_profile_destroy(result->batches[i]);
        result->batches[i] = NULL;
    }
}

enum fm_status fm_attach_result_merge(struct fm_attach_result *into, struct fm_attach_result *from,
                                      struct fm_error *error)
{
    enum fm_status status = FM_OK;
    merge_counts(&into->counts, &from->counts);
    if (into->whole && from->whole && !(into->batches[0] && from->batches[0])) {
        drop_batches(into);
        drop_batches(from);
    }
    for (size_t i = 0; i < PROFILES && !status; i++) {
        struct fm_profile **to = profile_at(into, i), **part = profile_at(from, i);
        if (*to && *part) {
            status = fm_profile_merge(*to, *part, error);
        } else if (*part) {
            *to = *part;
            *part = NULL;
        }
    }
    fm_attach_result_destroy(from);
    return status;
}

/* ---- encoding: the counts, then for each profile its size (0: none) and its bytes ---- */

enum fm_status fm_attach_result_encode(const struct fm_attach_result *result, struct fm_arena *arena,
                                       const void **bytes, size_t *size, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    const void *parts[PROFILES] = {0};
    uint64_t sizes[PROFILES] = {0};
    enum fm_status status = FM_OK;
    *size = sizeof result->counts;
    for (size_t i = 0; i < PROFILES && !status; i++) {
        const struct fm_profile *profile = i ? result->batches[i - 1] : result->whole;
        size_t length = 0;
        if (profile)
            status = fm_profile_encode_exact(profile, &scratch, &parts[i], &length, error);
        sizes[i] = length;
        *size += sizeof sizes[i] + length;
    }
    char *at = status ? NULL : fm_arena_alloc(arena, *size);
    *bytes = at;
    if (at) {
        at = (char *)memcpy(at, &result->counts, sizeof result->counts) + sizeof result->counts;
        for (size_t i = 0; i < PROFILES; i++) {
            at = (char *)memcpy(at, &sizes[i], sizeof sizes[i]) + sizeof sizes[i];
            if (sizes[i])
                at = (char *)memcpy(at, parts[i], sizes[i]) + sizes[i];
        }
    } else if (!status) {
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the profile");
    }
    fm_arena_destroy(&scratch);
    return status;
}

enum fm_status fm_attach_result_decode(const void *bytes, size_t size, struct fm_attach_result *result,
                                       struct fm_error *error)
{
    const char *at = bytes, *end = at + size;
    enum fm_status status = FM_OK;
    *result = (struct fm_attach_result){0};
    if (size < sizeof result->counts)
        return fm_fail(error, FM_ERR_INPUT, "damaged message from another host");
    memcpy(&result->counts, at, sizeof result->counts);
    at += sizeof result->counts;
    for (size_t i = 0; i < PROFILES && !status; i++) {
        uint64_t length = 0;
        if ((size_t)(end - at) >= sizeof length)
            memcpy(&length, at, sizeof length);
        if ((size_t)(end - at) < sizeof length || length > (size_t)(end - at) - sizeof length) {
            status = fm_fail(error, FM_ERR_INPUT, "damaged message from another host");
            break;
        }
        at += sizeof length;
        if (length)
            status = fm_profile_decode(at, length, "a message from another host", profile_at(result, i), error);
        at += length;
    }
    if (status)
        fm_attach_result_destroy(result);
    return status;
}
