/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/io/names.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/runtime.h"

/* Removes "//" and "/./". */
static void tidy(char *path)
{
    char *out = path;
    for (const char *at = path; *at;) {
        if (at[0] == '/' && at[1] == '/')
            at++;
        else if (at[0] == '/' && at[1] == '.' && at[2] == '/')
            at += 2;
        else
            *out++ = *at++;
    }
    *out = 0;
}

bool fm_io_name_of_descriptor(int fd)
{
    char link[] = "/proc/self/fd/0000000000", digits[12];
    size_t n = 0;
    unsigned rest = (unsigned)fd;
    do
        digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    char *at = link + sizeof "/proc/self/fd/" - 1;
    while (n)
        *at++ = digits[--n];
    *at = 0;
    long length = fm_kernel(SYS_readlinkat, AT_FDCWD, link, fm_rt.io.path, sizeof fm_rt.io.path - 1);
    if (length <= 0 || fm_rt.io.path[0] != '/')
        return false;
    fm_rt.io.path[length] = 0;
    return true;
}

bool fm_io_name_of_path(const char *path)
{
    long n = 0;
    if (path[0] != '/') {
        n = fm_kernel(SYS_getcwd, fm_rt.io.path, sizeof fm_rt.io.path);
        if (n <= 1 || fm_rt.io.path[0] != '/')
            return false;
        fm_rt.io.path[n - 1] = '/'; /* n includes the end of the string */
    }
    size_t length = strnlen(path, sizeof fm_rt.io.path);
    if ((size_t)n + length >= sizeof fm_rt.io.path)
        return false;
    memcpy(fm_rt.io.path + n, path, length);
    fm_rt.io.path[(size_t)n + length] = 0;
    tidy(fm_rt.io.path);
    return true;
}
