/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that open files: measured, and not interrupted by samples where that would matter. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* so that both names of some calls are available */
#include <fcntl.h>

#include "runtime/interpose/functions.h"
#include "runtime/io/io.h"
#include "runtime/libc/sampling_mask.h"

#define OPEN(type, name, parameters, arguments, directory, flags)       \
    type fm_wrapped_##name parameters                                   \
    {                                                                   \
        uintptr_t caller = fm_return_address();                         \
        struct fm_io_call io;                                           \
        fm_io_begin_open(&io);                                          \
        uint64_t held = fm_sampling_block_restarted();                  \
        type result = fm_real.name arguments;                           \
        fm_sampling_unblock(held);                                      \
        fm_io_end_open(&io, result, directory, path, flags, 0, caller); \
        return result;                                                  \
    }
FM_LIBC_OPENS(OPEN)
