/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a shared AddressSanitizer ends before main if the sanitizer's library is not the first of all, which a
 * preloaded one always precedes. The order does not matter here: all calls that both of us stand in front of are passed
 * on to the sanitizer. So we give the answer that its own error message asks for, through the hook that sanitizers have
 * for options built into a program; ASAN_OPTIONS comes later and counts. A program that has this function itself comes
 * before us: `fathom run` sets the option for it (cli/run_env.c). */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/platform.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/state.h"

typedef const char *default_options(void);
FM_EXPORT default_options __asan_default_options;

/* The sanitizer is not ready yet, so nothing may be called here that it stands in front of, as it does for strcpy and
 * memcpy; nor may the compiler put such a call in place of a loop. */
static const char *joined(const char *given, const char *ours)
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

/* The next definition is the sanitizer's own, which is empty, or that of a library of the program. */
const char *__asan_default_options(void)
{
    static const char ours[] = "verify_asan_link_order=0";
    struct fm_definition next = {.name = "__asan_default_options"};
    fm_next_find(&next, 1);
    const char *given = next.address ? ((default_options *)next.address)() : NULL;
    return given && *given ? joined(given, ours) : ours;
}
