/* SPDX-License-Identifier: BSD-3-Clause */
/* When something is worth an insight. A unit test has both sides of each threshold; doc/SITE.md explains them. */
#ifndef FM_SITE_INSIGHTS_LIMITS_H
#define FM_SITE_INSIGHTS_LIMITS_H

/* The chance that noise alone makes any of the programs, or hosts, that were looked at appear: the chance of one times
 * their number must be below this. */
#define FM_INSIGHT_CHANCE 0.01

/* Values that differ by more than this factor are of different inputs, if nothing lies between them. */
#define FM_INPUT_GAP 1.5

/* slower: time after / time before - 1; runs of a series at least; of the growth of time, how much the work may have grown, or waiting
 * for slow hosts explain */
#define FM_SLOWER_LEAST 0.03
#define FM_SLOWER_WORK 0.3
enum { FM_SLOWER_RUNS = 6 };
/* the commit, MPI, ... that changed within so many days of it */
enum { FM_SLOWER_NEAR_DAYS = 3 };

/* scaling: efficiency at the largest number of ranks relative to the smallest; numbers of ranks, runs with each of them,
 * largest / smallest */
#define FM_SCALING_EFFICIENCY 0.7
enum { FM_SCALING_COUNTS = 3, FM_SCALING_RUNS = 3, FM_SCALING_SPAN = 4 };
/* Slope of the logarithms of work and ranks below which the work is the same; how much it may vary. */
#define FM_SCALING_SLOPE 0.15
#define FM_SCALING_SPREAD 0.2
/* The chance below which work that rises with the ranks is repeated work, and not another problem. */
#define FM_SCALING_RISING 0.001

/* slow-host: time outside MPI compared with other hosts of the same jobs - 1; jobs; programs */
#define FM_SLOW_HOST_LEAST 0.05
enum { FM_SLOW_HOST_JOBS = 20, FM_SLOW_HOST_PROGRAMS = 2 };
/* ... and deviations from what hosts usually differ */
#define FM_SLOW_HOST_DEVIATIONS 4

#endif
