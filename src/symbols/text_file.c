/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 4096, MAX_BYTES = 4 << 20 };

static enum fm_status read_all(int fd, const char *path, struct fm_arena *arena, char **text, struct fm_error *error)
{
    size_t capacity = 0, size = 0;
    ssize_t n = 1;
    *text = fm_arena_grow(arena, NULL, &capacity, FIRST_BYTES, 1);
    while (*text && n && size <= MAX_BYTES) {
        n = read(fd, *text + size, capacity - size - 1);
        if (n < 0 && errno != EINTR)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
        size += n > 0 ? (size_t)n : 0;
        if (size + 1 == capacity)
            *text = fm_arena_grow(arena, *text, &capacity, capacity + 1, 1);
    }
    if (!*text)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %s", path);
    if (size > MAX_BYTES)
        return fm_fail(error, FM_ERR_INPUT, "%s is larger than %d MiB; give a module file", path, MAX_BYTES >> 20);
    (*text)[size] = 0;
    if (strlen(*text) != size)
        return fm_fail(error, FM_ERR_INPUT, "%s is not a text file; give a module file", path);
    return FM_OK;
}

enum fm_status fm_text_file_read(const char *path, struct fm_arena *arena, char **text, struct fm_error *error)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open %s: %s", path, strerror(errno));
    enum fm_status status = fstat(fd, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode))
                                ? fm_fail(error, FM_ERR_INPUT, "%s is neither a file nor a pipe", path)
                                : read_all(fd, path, arena, text, error);
    close(fd);
    return status;
}
