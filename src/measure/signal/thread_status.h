/* Which signals a thread of this process blocks, as the kernel has it. Safe in a handler, and sparing with its stack. */
#ifndef FM_MEASURE_SIGNAL_THREAD_STATUS_H
#define FM_MEASURE_SIGNAL_THREAD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* false: it has ended, or nothing is known. */
bool fm_thread_blocks(int32_t tid, uint64_t *signals);

#endif
