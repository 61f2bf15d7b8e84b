/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as they are kept: compressed by zlib with a dictionary of what nearly all of them contain, which halves them.
 * What was packed once is unpacked by every later version: the dictionaries stay, and a new one gets a new entry. */
#ifndef FM_SITE_STORE_PACK_H
#define FM_SITE_STORE_PACK_H

#include <stddef.h>

#include "base/error.h"

struct fm_document_packer; /* keeps what zlib needs; for one thread */

enum { FM_UNPACKED_BYTES = 65536 }; /* the longest document that is kept */

struct fm_document_packer *fm_document_packer_create(void); /* NULL if out of memory */
void fm_document_packer_destroy(struct fm_document_packer *packer);

/* *bytes belongs to the packer and is valid until the next call. */
enum fm_status fm_document_pack(struct fm_document_packer *packer, const char *text, size_t length,
                                const unsigned char **bytes, size_t *size, struct fm_error *error);
/* *text belongs to the packer, too; NUL-terminated. */
enum fm_status fm_document_unpack(struct fm_document_packer *packer, const void *bytes, size_t size, const char **text,
                                  size_t *length, struct fm_error *error);

#endif
