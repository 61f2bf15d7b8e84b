/* Whether a thread of this process takes a signal, as the kernel has it. Safe in a handler, and sparing with its stack. */
#ifndef FM_MEASURE_SIGNAL_THREAD_STATUS_H
#define FM_MEASURE_SIGNAL_THREAD_STATUS_H

#include <stdint.h>

enum fm_thread_status { FM_THREAD_GONE, FM_THREAD_BLOCKS, FM_THREAD_TAKES };

enum fm_thread_status fm_thread_status(int32_t tid, int signal);

#endif
