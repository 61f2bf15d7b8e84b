/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over timers, in C (timers.c) and in Fortran (timers.f90): each makes BENCH_PAIRS starts and stops. */
#ifndef BENCH_TIMERS_H
#define BENCH_TIMERS_H

enum { BENCH_PAIRS = 8000, BENCH_TIMERS = 1000, BENCH_HUNDRED = 100, BENCH_DEPTH = 8 };

void bench_fortran_make(void); /* the same timers as those of C */
void bench_fortran_one(void);
void bench_fortran_hundred(void);
void bench_fortran_nested(void);

#endif
