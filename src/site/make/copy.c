/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "site/make/parts.h"

const char *fm_record_copy(struct fm_record *record, const char *text)
{
    const char *copy = text && *text ? fm_arena_strndup(&record->arena, text, strlen(text)) : "";
    return copy ? copy : "";
}
