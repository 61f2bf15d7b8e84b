/* SPDX-License-Identifier: BSD-3-Clause */
/* The file format of a profile: canonical, versioned, checksummed; doc/FORMAT.md describes it field by field. Decoding
 * trusts nothing: any damage gives FM_ERR_INPUT and a sentence that names `origin`. libc only: the runtime also writes
 * profiles. */
#ifndef FM_FORMAT_ENCODE_H
#define FM_FORMAT_ENCODE_H

#include "base/progress.h"
#include "model/profile.h"

enum { FM_PROFILE_VERSION = 2 };

/* The bytes are allocated from `arena`. For large jobs, only heavy routines keep per-rank vectors, rounded to 0.1 %,
 * and only the heaviest edges are kept (the others are summed): see doc/FORMAT.md. */
enum fm_status fm_profile_encode(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                 size_t *size, struct fm_error *error);
/* The same, lossless: for the exchange between node leaders. */
enum fm_status fm_profile_encode_exact(const struct fm_profile *profile, struct fm_arena *arena, const void **bytes,
                                       size_t *size, struct fm_error *error);
enum fm_status fm_profile_decode(const void *bytes, size_t size, const char *origin, struct fm_profile **profile,
                                 struct fm_error *error);
enum fm_status fm_profile_decode_overview(const void *bytes, size_t size, const char *origin,
                                          struct fm_profile **profile, struct fm_error *error);

enum fm_status fm_profile_read(const char *path, struct fm_profile **profile, struct fm_error *error);
/* The same, telling how far it is. Reading and decoding take FM_READ_PERCENT of what there is to be done: bytes of the file,
 * then bytes of its sections. */
enum { FM_READ_FILE_PERCENT = 10, FM_READ_PERCENT = 70 };
enum fm_status fm_profile_read_watched(const char *path, struct fm_progress *progress, struct fm_profile **profile,
                                       struct fm_error *error);
enum fm_status fm_profile_decode_watched(const void *bytes, size_t size, const char *origin,
                                         struct fm_progress *progress, struct fm_profile **profile,
                                         struct fm_error *error);
/* The same without what only some views need: the job, hosts, processes, programs, the totals of routines and notes.
 * For lists of many files. */
enum fm_status fm_profile_read_overview(const char *path, struct fm_profile **profile, struct fm_error *error);
/* Checks whether the profile could be written there, before work is done that would be lost. */
enum fm_status fm_profile_may_write(const char *path, struct fm_error *error);
/* The file gets its name only when it is complete and durable; an existing file of that name is replaced. */
enum fm_status fm_profile_write(const struct fm_profile *profile, const char *path, struct fm_error *error);
/* The same, but nothing is replaced: on failure, *taken says whether the name exists already. */
enum fm_status fm_profile_write_new(const struct fm_profile *profile, const char *path, bool *taken,
                                    struct fm_error *error);

#endif
