/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum fm_status fm_fail(struct fm_error *error, enum fm_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
