/* SPDX-License-Identifier: BSD-3-Clause */
/* Small text files, such as those of /proc and /sys. Neither allocates nor keeps a descriptor. */
#ifndef FM_BASE_SMALL_FILE_H
#define FM_BASE_SMALL_FILE_H

#include <stddef.h>

/* Reads up to size - 1 bytes and terminates the text. Returns the number of bytes read; 0 if there are none, or the file
 * cannot be read. */
size_t fm_small_file_read(const char *path, char *text, size_t size);

#endif
