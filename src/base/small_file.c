/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/small_file.h"

#include <fcntl.h>
#include <unistd.h>

size_t fm_small_file_read(const char *path, char *text, size_t size)
{
    size_t used = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n;
        while (used < size - 1 && (n = read(fd, text + used, size - 1 - used)) > 0)
            used += (size_t)n;
        close(fd);
    }
    text[used] = 0;
    return used;
}
