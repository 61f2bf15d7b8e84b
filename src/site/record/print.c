/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>

#include "site/record/record.h"

bool fm_record_print(FILE *out, const char *text, size_t length)
{
    json_t *root = json_loadb(text, length, 0, NULL);
    bool printed = root && json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15)) == 0;
    json_decref(root);
    if (printed)
        fputc('\n', out);
    return printed;
}
