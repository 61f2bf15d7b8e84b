/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "pages/slice_kinds.h"

enum fm_status fm_no_slice(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_USAGE, "there is no such slice of a profile");
}

bool fm_slice_numbers(const char *text, uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t number = 0;
        size_t digits = strspn(text, "0123456789");
        if (!digits || digits > 10 || (digits > 1 && *text == '0') || text[digits] != (i + 1 < n ? '/' : 0))
            return false;
        for (; digits; digits--)
            number = number * 10 + (uint64_t)(*text++ - '0');
        if (number > UINT32_MAX)
            return false;
        numbers[i] = (uint32_t)number;
        text++;
    }
    return true;
}
