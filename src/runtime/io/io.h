/* SPDX-License-Identifier: BSD-3-Clause */
/* File I/O of the program: what each of its calls on a regular file adds to the entry of the file in the segment.
 *
 *     open --> descriptors[fd] = entry of the file       read, write --> counters of that entry
 *
 * A descriptor that was not seen to be opened is looked up by its first call. Sockets, pipes, terminals and what is in
 * /proc, /sys and /dev, except /dev/shm, are not counted; nor are calls inside MPI, calls in a signal handler that
 * interrupts a call on a file, calls in forked children, and calls while measurement is paused.
 *
 * Any thread may call this at any moment. Counting takes no lock and makes no system call: an entry has two sets of
 * counters, one written by the thread that created the entry, and one updated atomically by all others. Names are
 * inserted under a lock that is held with all signals blocked (lock.h). Nothing here changes errno. */
#ifndef FM_RUNTIME_IO_IO_H
#define FM_RUNTIME_IO_IO_H

#include "runtime/runtime.h"

enum { FM_IO_UNKNOWN, FM_IO_NO_FILE, FM_IO_FIRST };
#define FM_IO_NO_POSITION UINT64_MAX

/* A call on a file, from its beginning to its end. Must be on the stack: calls inside it have lower addresses. */
struct fm_io_call {
    uint64_t start; /* ticks */
    struct fm_io_descriptor *descriptor;
    uint32_t file, generation; /* number of the entry */
    bool counted;
};

/* Starts measuring, if the segment has space for files and memory is available. */
void fm_io_start(void);
void fm_io_stop(void);

/* Finds the entry of a descriptor that is unknown. Returns what its descriptor then contains. */
uint32_t fm_io_identify(int fd);
/* The descriptor was closed, or will be. */
void fm_io_forget(int fd);
void fm_io_forget_all(unsigned first, unsigned last);
/* copy: the result of dup and the like; may be negative. */
void fm_io_copied(int fd, int copy);
/* The program itself makes a system call. */
void fm_io_note_syscall(long number, long a, long b);

/* A call that opens a file; interface: 0 or FM_FILE_BY_STDIO. caller: its return address. */
void fm_io_begin_open(struct fm_io_call *call);
void fm_io_end_open(const struct fm_io_call *call, int fd, int directory, const char *path, int flags,
                    unsigned interface, uintptr_t caller);

/* The counters for the calling thread; *shared: they must be updated atomically. NULL: the entry has been reused. */
FM_INLINE struct fm_segment_io *fm_io_counters(uint32_t number, uint32_t generation, bool *shared)
{
    const struct fm_io_file *file = &fm_rt.io.files[number];
    struct fm_segment_file *entry = &fm_rt.io.entries[number];
    if (FM_UNLIKELY(file->generation != generation))
        return NULL;
    *shared = file->owner != (uintptr_t)&fm_local;
    return *shared ? &entry->others : &entry->own;
}

FM_INLINE void fm_io_add(uint64_t *to, uint64_t amount, bool shared)
{
    if (shared)
        __atomic_fetch_add(to, amount, __ATOMIC_RELAXED);
    else
        *to += amount;
}

/* Returns true if the calling thread is inside MPI or another call on a file. The addresses of calls that were left by
 * longjmp are below the frame. */
FM_INLINE bool fm_io_is_nested(const struct fm_io_call *call)
{
    return fm_local.guard > (uintptr_t)call || fm_local.io > (uintptr_t)call;
}

/* Returns true if no signal interrupts reading and writing, as far as it is known. */
FM_INLINE bool fm_io_is_steady(int fd)
{
    if ((unsigned)fd >= fm_rt.io.n_descriptors)
        return false;
    const struct fm_io_descriptor *descriptor = &fm_rt.io.descriptors[fd];
    return __atomic_load_n(&descriptor->file, __ATOMIC_RELAXED) != FM_IO_UNKNOWN && descriptor->steady;
}

/* Begins a call without reading the clock. */
FM_INLINE bool fm_io_begin_untimed(struct fm_io_call *call, int fd)
{
    call->counted = false;
    if ((unsigned)fd >= fm_rt.io.n_descriptors)
        return false;
    call->descriptor = &fm_rt.io.descriptors[fd];
    uint32_t file = __atomic_load_n(&call->descriptor->file, __ATOMIC_RELAXED);
    if (file == FM_IO_NO_FILE || FM_UNLIKELY(fm_io_is_nested(call) || fm_rt.paused))
        return false;
    if (FM_UNLIKELY(file == FM_IO_UNKNOWN) && (file = fm_io_identify(fd)) < FM_IO_FIRST)
        return false;
    call->start = 0;
    call->file = file - FM_IO_FIRST;
    call->generation = fm_rt.io.files[call->file].generation;
    fm_local.io = (uintptr_t)call;
    return call->counted = true;
}

FM_INLINE bool fm_io_begin(struct fm_io_call *call, int fd)
{
    if (!fm_io_begin_untimed(call, fd))
        return false;
    call->start = fm_clock_ticks(&fm_rt.clock);
    return true;
}

/* Begins a call that closes a descriptor: if that is unknown, it need not be looked up any more. */
FM_INLINE bool fm_io_begin_close(struct fm_io_call *call, int fd)
{
    return (unsigned)fd < fm_rt.io.n_descriptors &&
           __atomic_load_n(&fm_rt.io.descriptors[fd].file, __ATOMIC_RELAXED) >= FM_IO_FIRST && fm_io_begin(call, fd);
}

/* The time since the start of the call; 0 if it was not timed. */
FM_INLINE uint64_t fm_io_ticks(const struct fm_io_call *call)
{
    return call->start ? fm_clock_ticks(&fm_rt.clock) - call->start : 0;
}

/* Ends the call of this thread, after it has been counted: a signal handler that interrupts the counting is inside the
 * call, too. */
FM_INLINE void fm_io_end(void)
{
    atomic_signal_fence(memory_order_release);
    fm_local.io = 0;
}

/* ---- counting requests, at `offset`, or at the current position if that is negative; bytes: what was transferred ---- */
/* fm_io_count_* end the call. */

FM_INLINE void fm_io_add_read(struct fm_segment_io *io, bool shared, struct fm_io_descriptor *descriptor, int64_t bytes,
                              int64_t offset, uint64_t ticks)
{
    fm_io_add(&io->reads, 1, shared);
    fm_io_add(&io->read_ticks, ticks, shared);
    if (FM_UNLIKELY(bytes <= 0))
        return;
    fm_io_add(&io->read_bytes, (uint64_t)bytes, shared);
    fm_io_add(&io->read_sizes[fm_request_bin((uint64_t)bytes)], 1, shared);
    if (offset < 0 && descriptor->position != FM_IO_NO_POSITION)
        descriptor->position += (uint64_t)bytes;
}

/* written: NULL if by a thread that does not own the entry. */
FM_INLINE void fm_io_add_write(struct fm_segment_io *io, struct fm_extents *written,
                               struct fm_io_descriptor *descriptor, int64_t bytes, int64_t offset, uint64_t ticks)
{
    bool shared = !written;
    fm_io_add(&io->writes, 1, shared);
    fm_io_add(&io->write_ticks, ticks, shared);
    if (FM_UNLIKELY(bytes <= 0))
        return;
    fm_io_add(&io->written_bytes, (uint64_t)bytes, shared);
    fm_io_add(&io->write_sizes[fm_request_bin((uint64_t)bytes)], 1, shared);
    uint64_t from = offset < 0 ? descriptor->position : (uint64_t)offset;
    if (from == FM_IO_NO_POSITION)
        return;
    if (offset < 0)
        descriptor->position = from + (uint64_t)bytes;
    if (written)
        io->rewritten_bytes += fm_extents_add(written, from, from + (uint64_t)bytes);
}

FM_INLINE void fm_io_count_read(const struct fm_io_call *call, int64_t bytes, int64_t offset, uint64_t ticks)
{
    bool shared;
    struct fm_segment_io *io = fm_io_counters(call->file, call->generation, &shared);
    if (io)
        fm_io_add_read(io, shared, call->descriptor, bytes, offset, ticks);
    fm_io_end();
}

FM_INLINE void fm_io_count_write(const struct fm_io_call *call, int64_t bytes, int64_t offset, uint64_t ticks)
{
    bool shared;
    struct fm_segment_io *io = fm_io_counters(call->file, call->generation, &shared);
    if (io)
        fm_io_add_write(io, shared ? NULL : &fm_rt.io.files[call->file].written, call->descriptor, bytes, offset,
                        ticks);
    fm_io_end();
}

/* ---- the usual request: of the thread that owns the entry, on a file system that no signal interrupts ---- */

/* All in registers. */
struct fm_io_request {
    struct fm_io_descriptor *descriptor;
    struct fm_io_file *file;
    struct fm_segment_io *io;
    uint64_t start;
    uint32_t generation;
};

/* frame: of the wrapper, as in fm_io_is_nested. Returns false if it is not usual, or not to be counted. */
FM_INLINE bool fm_io_request_begin(struct fm_io_request *request, int fd, uintptr_t frame)
{
    if (FM_UNLIKELY((unsigned)fd >= fm_rt.io.n_descriptors))
        return false;
    struct fm_io_descriptor *descriptor = &fm_rt.io.descriptors[fd];
    uint32_t number = __atomic_load_n(&descriptor->file, __ATOMIC_RELAXED) - FM_IO_FIRST;
    if (number > UINT32_MAX - FM_IO_FIRST || !descriptor->steady ||
        FM_UNLIKELY(fm_local.guard > frame || fm_local.io > frame || fm_rt.paused))
        return false;
    struct fm_io_file *file = &fm_rt.io.files[number];
    if (file->owner != (uintptr_t)&fm_local)
        return false;
    request->descriptor = descriptor;
    request->file = file;
    request->generation = file->generation;
    request->io = &fm_rt.io.entries[number].own;
    fm_local.io = frame;
    request->start = fm_clock_ticks(&fm_rt.clock);
    return true;
}

/* Returns false if the entry has been reused. fm_io_end follows. */
FM_INLINE bool fm_io_request_returned(const struct fm_io_request *request, uint64_t *ticks)
{
    *ticks = fm_clock_ticks(&fm_rt.clock) - request->start;
    return request->file->generation == request->generation;
}

enum fm_io_other { FM_IO_SEEK, FM_IO_SYNC, FM_IO_FLUSH, FM_IO_CLOSE };
/* Adds any other call. */
void fm_io_count_other(const struct fm_io_call *call, enum fm_io_other what, uint64_t ticks);

#endif
