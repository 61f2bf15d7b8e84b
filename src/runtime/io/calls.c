/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on descriptors other than opening, reading and writing. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* so that both names of some calls are available */
#include "runtime/interpose/functions.h"
#include "runtime/io/io.h"

/* Forgotten first: as soon as the descriptor is closed, another thread may get it for another file. */
int fm_wrapped_close(int fd)
{
    struct fm_io_call io;
    bool counted = fm_io_begin_close(&io, fd);
    fm_io_forget(fd);
    int result = fm_real.close(fd);
    if (counted)
        fm_io_count_other(&io, FM_IO_CLOSE, fm_io_ticks(&io));
    return result;
}

int fm_wrapped_close_range(unsigned first, unsigned last, int flags)
{
    enum { MARKS_ONLY = 4 }; /* CLOSE_RANGE_CLOEXEC */
    if (!(flags & MARKS_ONLY))
        fm_io_forget_all(first, last);
    return fm_real.close_range(first, last, flags);
}

void fm_wrapped_closefrom(int first)
{
    fm_io_forget_all(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    fm_real.closefrom(first);
}

/* Libc closes the descriptors of these itself. */
int fm_wrapped_closedir(DIR *directory)
{
    if (directory)
        fm_io_forget(dirfd(directory));
    return fm_real.closedir(directory);
}

int fm_wrapped_pclose(FILE *stream)
{
    fm_io_forget(stream->_fileno);
    return fm_real.pclose(stream);
}

/* A handler may leave a call on a file in this way. */
#define JUMP(name)                                              \
    void fm_wrapped_##name(struct __jmp_buf_tag *to, int value) \
    {                                                           \
        fm_io_end();                                            \
        fm_real.name(to, value);                                \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

#define SEEK(name, type)                                          \
    type fm_wrapped_##name(int fd, type offset, int from)         \
    {                                                             \
        struct fm_io_call io;                                     \
        bool counted = fm_io_begin(&io, fd);                      \
        type result = fm_real.name(fd, offset, from);             \
        if (counted) {                                            \
            if (result >= 0 && !io.descriptor->unplaced)          \
                io.descriptor->position = (uint64_t)result;       \
            fm_io_count_other(&io, FM_IO_SEEK, fm_io_ticks(&io)); \
        }                                                         \
        return result;                                            \
    }
SEEK(lseek, off_t)
SEEK(lseek64, off64_t)

#define SYNC(name)                                                \
    int fm_wrapped_##name(int fd)                                 \
    {                                                             \
        struct fm_io_call io;                                     \
        bool counted = fm_io_begin(&io, fd);                      \
        int result = fm_real.name(fd);                            \
        if (counted)                                              \
            fm_io_count_other(&io, FM_IO_SYNC, fm_io_ticks(&io)); \
        return result;                                            \
    }
SYNC(fsync)
SYNC(fdatasync)
