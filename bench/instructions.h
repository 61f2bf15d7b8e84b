/* SPDX-License-Identifier: BSD-3-Clause */
/* Brackets that callgrind counts instructions between (see instructions.c). */
#ifndef BENCH_INSTRUCTIONS_H
#define BENCH_INSTRUCTIONS_H

void bench_instructions_begin(void);
void bench_instructions_end(const char *name);

#endif
