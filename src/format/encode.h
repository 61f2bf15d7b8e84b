/* SPDX-License-Identifier: BSD-3-Clause */
/* The file form of a profile. Canonical, versioned, checksummed; doc/FORMAT.md describes it field by field.
 * Decoding trusts nothing: any damage gives FM_ERR_INPUT and one sentence naming `origin`. libc only:
 * the runtime writes profiles too. */
#ifndef FM_FORMAT_ENCODE_H
#define FM_FORMAT_ENCODE_H

#include "model/profile.h"

enum { FM_PROFILE_VERSION = 2 };

/* Bytes in `arena`. For large jobs per-rank vectors are kept for the heavy routines alone, rounded to
 * 0.1 %, and only the heaviest edges are kept (the dropped ones are summed): see doc/FORMAT.md. */
enum fm_status fm_profile_encode(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                 size_t *size, struct fm_error *error);
/* The same without leaving anything out: what travels between node leaders. */
enum fm_status fm_profile_encode_exact(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                       size_t *size, struct fm_error *error);
enum fm_status fm_profile_decode(const void *bytes, size_t size, const char *origin, struct fm_profile **profile,
                                 struct fm_error *error);

enum fm_status fm_profile_read(const char *path, struct fm_profile **profile, struct fm_error *error);
/* Whether it could be written there: before work is done that would be lost. */
enum fm_status fm_profile_may_write(const char *path, struct fm_error *error);
/* The file has its name when it is whole and durable, and not before; one of that name is replaced. */
enum fm_status fm_profile_write(const struct fm_profile *profile, const char *path, struct fm_error *error);
/* The same, but nothing is replaced: when it fails, *taken says whether there is something of that name. */
enum fm_status fm_profile_write_new(const struct fm_profile *profile, const char *path, bool *taken,
                                    struct fm_error *error);

#endif
