/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of stdio. A request is a call of the program, whether libc serves it from the buffer or from the file: its
 * bytes are those that the program reads or writes. A call that only moves data from or to the buffer takes no time: it
 * is not I/O, and formatting is the program's work.
 * Characters read and written one by one, and formatted output to stdout are not counted. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* so that both names of some calls are available */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "runtime/interpose/functions.h"
#include "runtime/io/io.h"

/* Programs may pass NULL to functions that ignore it. */
static int descriptor_of(const FILE *stream)
{
    return stream ? stream->_fileno : -1;
}

/* Bytes that can be read or written without the file. Of line-buffered streams: 0. */
typedef size_t buffered_bytes(const FILE *stream);

static size_t readable(const FILE *stream)
{
    return (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
}

static size_t writable(const FILE *stream)
{
    return stream->_IO_write_end > stream->_IO_write_ptr ? (size_t)(stream->_IO_write_end - stream->_IO_write_ptr) : 0;
}

/* Of a request whose length is not known yet. */
static size_t unknown(const FILE *stream)
{
    (void)stream;
    return 0;
}

static bool has_unwritten(const FILE *stream)
{
    return stream->_IO_write_ptr > stream->_IO_write_base;
}

static int64_t bytes_of(size_t size, size_t n)
{
    size_t bytes;
    return __builtin_mul_overflow(size, n, &bytes) || bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

FM_INLINE void begin_transfer(struct fm_io_call *io, FILE *stream, int64_t bytes, buffered_bytes *buffered)
{
    if (fm_io_begin_untimed(io, descriptor_of(stream)) && (uint64_t)bytes > buffered(stream))
        io->start = fm_clock_ticks(&fm_rt.clock);
}

static void end_read(const struct fm_io_call *io, int64_t bytes)
{
    if (io->counted)
        fm_io_count_read(io, bytes, 0, fm_io_ticks(io));
}

static void end_write(const struct fm_io_call *io, int64_t bytes)
{
    if (io->counted)
        fm_io_count_write(io, bytes, -1, fm_io_ticks(io));
}

/* The same for calls whose length is known only afterwards: `before` is where the buffer was read or written then, if the
 * call is counted. */
static const char *reading_at(const struct fm_io_call *io, const FILE *stream)
{
    return io->counted ? stream->_IO_read_ptr : NULL;
}

static const char *writing_at(const struct fm_io_call *io, const FILE *stream)
{
    return io->counted ? stream->_IO_write_ptr : NULL;
}

static void end_line(struct fm_io_call *io, const FILE *stream, const char *before, int64_t length)
{
    if (io->counted && length > 0 && stream->_IO_read_ptr == before + length)
        io->start = 0;
    end_read(io, length);
}

static void end_formatted(struct fm_io_call *io, const FILE *stream, const char *before, int64_t length)
{
    if (io->counted && length > 0 && stream->_IO_write_ptr == before + length)
        io->start = 0;
    end_write(io, length);
}

/* ---- opening and closing ---- */

static int flags_of(const char *mode)
{
    return mode[0] == 'a' ? O_APPEND : 0;
}

#define OPEN(name)                                                                                                \
    FILE *fm_wrapped_##name(const char *path, const char *mode)                                                   \
    {                                                                                                             \
        uintptr_t caller = fm_return_address();                                                                   \
        struct fm_io_call io;                                                                                     \
        fm_io_begin_open(&io);                                                                                    \
        FILE *stream = fm_real.name(path, mode);                                                                  \
        fm_io_end_open(&io, descriptor_of(stream), AT_FDCWD, path, stream ? flags_of(mode) : 0, FM_FILE_BY_STDIO, \
                       caller);                                                                                   \
        return stream;                                                                                            \
    }
OPEN(fopen)
OPEN(fopen64)

#define TEMPORARY(name)                                                                          \
    FILE *fm_wrapped_##name(void)                                                                \
    {                                                                                            \
        uintptr_t caller = fm_return_address();                                                  \
        struct fm_io_call io;                                                                    \
        fm_io_begin_open(&io);                                                                   \
        FILE *stream = fm_real.name();                                                           \
        fm_io_end_open(&io, descriptor_of(stream), AT_FDCWD, NULL, 0, FM_FILE_BY_STDIO, caller); \
        return stream;                                                                           \
    }
TEMPORARY(tmpfile)
TEMPORARY(tmpfile64)

/* Without a path only the mode changes. */
#define REOPEN(name)                                                                                              \
    FILE *fm_wrapped_##name(const char *path, const char *mode, FILE *stream)                                     \
    {                                                                                                             \
        uintptr_t caller = fm_return_address();                                                                   \
        struct fm_io_call io;                                                                                     \
        fm_io_begin_open(&io);                                                                                    \
        fm_io_forget(descriptor_of(stream));                                                                      \
        FILE *result = fm_real.name(path, mode, stream);                                                          \
        fm_io_end_open(&io, descriptor_of(result), AT_FDCWD, path, result ? flags_of(mode) : 0, FM_FILE_BY_STDIO, \
                       caller);                                                                                   \
        return result;                                                                                            \
    }
REOPEN(freopen)
REOPEN(freopen64)

/* Closing a stream writes what is left in its buffer. */
int fm_wrapped_fclose(FILE *stream)
{
    struct fm_io_call io;
    int fd = descriptor_of(stream);
    bool counted = fm_io_begin_close(&io, fd), writes = counted && has_unwritten(stream);
    fm_io_forget(fd);
    int result = fm_real.fclose(stream);
    if (counted)
        fm_io_count_other(&io, writes ? FM_IO_FLUSH : FM_IO_CLOSE, fm_io_ticks(&io));
    return result;
}

/* ---- reading ---- */

#define READ(name, parameters, arguments)                         \
    size_t fm_wrapped_##name parameters                           \
    {                                                             \
        struct fm_io_call io;                                     \
        begin_transfer(&io, stream, bytes_of(size, n), readable); \
        size_t done = fm_real.name arguments;                     \
        end_read(&io, bytes_of(size, done));                      \
        return done;                                              \
    }
READ(fread, (void *buffer, size_t size, size_t n, FILE *stream), (buffer, size, n, stream))
READ(__fread_chk, (void *buffer, size_t room, size_t size, size_t n, FILE *stream), (buffer, room, size, n, stream))

/* What is left in the buffer before a call. */
struct unread {
    const char *from, *to;
};

static struct unread unread_of(const FILE *stream)
{
    return (struct unread){stream->_IO_read_ptr, stream->_IO_read_end};
}

static bool was_filled(const FILE *stream, const struct unread *before)
{
    return stream->_IO_read_ptr < before->from || stream->_IO_read_end != before->to;
}

/* A line can contain NULs, so what was taken from the buffer counts; of one for which the buffer was filled, the text. */
static int64_t line_length(const FILE *stream, const struct unread *before, int size, const char *line)
{
    int64_t taken = was_filled(stream, before) ? 0 : stream->_IO_read_ptr - before->from;
    int64_t text = size <= before->to - before->from ? 0 : (int64_t)strlen(line);
    return taken > text ? taken : text;
}

#define GETS(name, parameters, arguments)                                                                     \
    char *fm_wrapped_##name parameters                                                                        \
    {                                                                                                         \
        struct fm_io_call io;                                                                                 \
        begin_transfer(&io, stream, size, readable);                                                          \
        struct unread before = io.counted ? unread_of(stream) : (struct unread){0};                           \
        char *line = fm_real.name arguments;                                                                  \
        end_line(&io, stream, before.from, line &&io.counted ? line_length(stream, &before, size, line) : 0); \
        return line;                                                                                          \
    }
GETS(fgets, (char *buffer, int size, FILE *stream), (buffer, size, stream))
GETS(__fgets_chk, (char *buffer, size_t room, int size, FILE *stream), (buffer, room, size, stream))

#define LINE(name, parameters, arguments)                \
    ssize_t fm_wrapped_##name parameters                 \
    {                                                    \
        struct fm_io_call io;                            \
        begin_transfer(&io, stream, INT64_MAX, unknown); \
        const char *before = reading_at(&io, stream);    \
        ssize_t length = fm_real.name arguments;         \
        end_line(&io, stream, before, length);           \
        return length;                                   \
    }
LINE(getline, (char **line, size_t *size, FILE *stream), (line, size, stream))
LINE(getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream))
LINE(__getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream))

/* Does not say how much it reads. The buffer is assumed to be filled at most once. */
static void end_scan(struct fm_io_call *io, const FILE *stream, const struct unread *before)
{
    bool filled = was_filled(stream, before);
    int64_t length = filled ? (before->to - before->from) + (stream->_IO_read_ptr - stream->_IO_read_base)
                            : stream->_IO_read_ptr - before->from;
    if (!filled && length > 0)
        io->start = 0;
    end_read(io, length);
}

#define SCAN(name, vname)                                                           \
    int fm_wrapped_##vname(FILE *stream, const char *format, va_list arguments)     \
    {                                                                               \
        struct fm_io_call io;                                                       \
        begin_transfer(&io, stream, INT64_MAX, unknown);                            \
        struct unread before = io.counted ? unread_of(stream) : (struct unread){0}; \
        int result = fm_real.vname(stream, format, arguments);                      \
        if (io.counted)                                                             \
            end_scan(&io, stream, &before);                                         \
        return result;                                                              \
    }                                                                               \
    int fm_wrapped_##name(FILE *stream, const char *format, ...)                    \
    {                                                                               \
        va_list arguments;                                                          \
        va_start(arguments, format);                                                \
        int result = fm_wrapped_##vname(stream, format, arguments);                 \
        va_end(arguments);                                                          \
        return result;                                                              \
    }
SCAN(fscanf, vfscanf)
SCAN(__isoc99_fscanf, __isoc99_vfscanf)
SCAN(__isoc23_fscanf, __isoc23_vfscanf)

/* ---- writing ---- */

#define WRITE(name)                                                                   \
    size_t fm_wrapped_##name(const void *buffer, size_t size, size_t n, FILE *stream) \
    {                                                                                 \
        struct fm_io_call io;                                                         \
        begin_transfer(&io, stream, bytes_of(size, n), writable);                     \
        size_t done = fm_real.name(buffer, size, n, stream);                          \
        end_write(&io, bytes_of(size, done));                                         \
        return done;                                                                  \
    }
WRITE(fwrite)

int fm_wrapped_fputs(const char *text, FILE *stream)
{
    struct fm_io_call io;
    size_t length = strlen(text);
    begin_transfer(&io, stream, (int64_t)length, writable);
    int result = fm_real.fputs(text, stream);
    end_write(&io, result >= 0 ? (int64_t)length : 0);
    return result;
}

int fm_wrapped_vfprintf(FILE *stream, const char *format, va_list arguments)
{
    struct fm_io_call io;
    begin_transfer(&io, stream, INT64_MAX, unknown);
    const char *before = writing_at(&io, stream);
    int length = fm_real.vfprintf(stream, format, arguments);
    end_formatted(&io, stream, before, length);
    return length;
}

int fm_wrapped___vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments)
{
    struct fm_io_call io;
    begin_transfer(&io, stream, INT64_MAX, unknown);
    const char *before = writing_at(&io, stream);
    int length = fm_real.__vfprintf_chk(stream, flag, format, arguments);
    end_formatted(&io, stream, before, length);
    return length;
}

int fm_wrapped_fprintf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = fm_wrapped_vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int fm_wrapped___fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = fm_wrapped___vfprintf_chk(stream, flag, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- the rest ---- */

static void begin_other(struct fm_io_call *io, FILE *stream)
{
    fm_io_begin(io, descriptor_of(stream));
}

static void end_other(const struct fm_io_call *io, enum fm_io_other what)
{
    if (io->counted)
        fm_io_count_other(io, what, fm_io_ticks(io));
}

/* Without a stream, all are flushed. */
int fm_wrapped_fflush(FILE *stream)
{
    struct fm_io_call io;
    begin_other(&io, stream);
    int result = fm_real.fflush(stream);
    end_other(&io, FM_IO_FLUSH);
    return result;
}

#define SEEK(name, type)                                       \
    int fm_wrapped_##name(FILE *stream, type offset, int from) \
    {                                                          \
        struct fm_io_call io;                                  \
        begin_other(&io, stream);                              \
        int result = fm_real.name(stream, offset, from);       \
        end_other(&io, FM_IO_SEEK);                            \
        return result;                                         \
    }
SEEK(fseek, long)
SEEK(fseeko, off_t)
SEEK(fseeko64, off64_t)

void fm_wrapped_rewind(FILE *stream)
{
    struct fm_io_call io;
    begin_other(&io, stream);
    fm_real.rewind(stream);
    end_other(&io, FM_IO_SEEK);
}
