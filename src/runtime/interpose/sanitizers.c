/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a shared AddressSanitizer exits before main if the sanitizer's library is not the first in the link
 * order, which a preloaded library always precedes. The order does not matter here: calls that both of us interpose are
 * passed on to the sanitizer. So we set the option that its error message suggests, through the hook that sanitizers
 * provide for options built into a program; ASAN_OPTIONS is read later and takes precedence. A program that defines
 * this function itself comes before us: `fathom run` sets the option for it (cli/run_env.c). */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/platform.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/state.h"

typedef const char *default_options(void);
FM_EXPORT default_options __asan_default_options;

/* The sanitizer is not initialised yet, so functions that it interposes, such as strcpy and memcpy, must not be called
 * here; nor may the compiler replace a loop by such a call. */
static const char *join(const char *given, const char *ours)
{
    char *both = fm_interpose.sanitizer_options;
    volatile char *to = both;
    while (*given && to < both + sizeof fm_interpose.sanitizer_options - 64)
        *to++ = *given++;
    for (*to++ = ':'; *ours; ours++)
        *to++ = *ours;
    *to = 0;
    return both;
}

/* The next definition is the sanitizer's own, which is empty, or one in a library of the program. */
const char *__asan_default_options(void)
{
    static const char ours[] = "verify_asan_link_order=0";
    struct fm_definition next = {.name = "__asan_default_options"};
    fm_next_find(&next, 1);
    const char *given = next.address ? ((default_options *)next.address)() : NULL;
    return given && *given ? join(given, ours) : ours;
}
