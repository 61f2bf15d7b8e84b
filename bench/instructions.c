/* SPDX-License-Identifier: BSD-3-Clause */
/* Brackets that callgrind counts instructions between; nothing outside of it. In C, so that Fortran can use them. */
#include "instructions.h"

#include <valgrind/callgrind.h>

void bench_instructions_begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void bench_instructions_end(const char *name)
{
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
