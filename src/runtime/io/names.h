/* SPDX-License-Identifier: BSD-3-Clause */
/* The absolute paths of files. All functions put the path into fm_rt.io.path, whose lock the caller holds, and return
 * false if it is unknown. They make system calls. */
#ifndef FM_RUNTIME_IO_NAMES_H
#define FM_RUNTIME_IO_NAMES_H

#include <stdbool.h>

bool fm_io_name_of_descriptor(int fd);
/* Relative to the current directory. */
bool fm_io_name_of_path(const char *path);

#endif
