/* Sampling of call paths: starts and ends it, and gives each thread its timer. What happens at a sample is in
 * measure/signal. FATHOM_SAMPLE: samples a second and thread, or "off". */
#ifndef FM_MEASURE_SAMPLER_H
#define FM_MEASURE_SAMPLER_H

#include "measure/signal/sample.h"

enum { FM_SAMPLING_HZ = 97, FM_SAMPLING_MAX_HZ = 10000 };

/* When the segment is there: all threads that there are. */
void fm_sampler_start(void);
/* For good: before the segment is read, and at the end of the process. */
void fm_sampler_stop(void);
/* The calling thread begins and ends. */
void fm_sampler_thread_begins(void);
void fm_sampler_thread_ends(void);
/* Load modules that were seen by samples go into the segment's list, which no handler can do. */
void fm_sampler_note_modules(void);
/* In a forked child: it is not sampled. */
void fm_sampler_forget(void);

#endif
