/* SPDX-License-Identifier: BSD-3-Clause */
/* Which descriptor is which file. In doubt a descriptor is unknown, and looked up again by its next call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/names.h"
#include "model/file_class.h"
#include "runtime/interpose/functions.h"
#include "runtime/io/files.h"
#include "runtime/io/io.h"
#include "runtime/io/names.h"
#include "runtime/site.h"
#include "runtime/thread_slots.h"

enum { DESCRIPTORS = 1 << 16 };

/* ---- start and end ---- */

static bool allocate(uint32_t files)
{
    size_t descriptors = DESCRIPTORS * sizeof *fm_rt.io.descriptors,
           bytes = descriptors + files * sizeof *fm_rt.io.files;
    char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    if (madvise(map, bytes, MADV_WIPEONFORK) != 0) {
        munmap(map, bytes);
        return false;
    }
    fm_rt.io.descriptors = (struct fm_io_descriptor *)(void *)map;
    fm_rt.io.files = (struct fm_io_file *)(void *)(map + descriptors);
    return true;
}

void fm_io_start(void)
{
    uint32_t capacity = fm_rt.segment->sections[FM_SECTION_FILES].capacity;
    if (capacity < 2 || !allocate(capacity)) {
        fm_interpose_end(FM_FOR_FILES);
        return;
    }
    fm_rt.io.entries = fm_section(fm_rt.segment, FM_SECTION_FILES);
    memcpy(fm_rt.io.entries[0].name, FM_OTHER_FILES, sizeof FM_OTHER_FILES);
    fm_rt.io.entries[0].kind = FM_FILE_CLASS;
    fm_interpose_begin_announced();
    __atomic_store_n(&fm_rt.io.n_descriptors, DESCRIPTORS, __ATOMIC_RELEASE);
}

void fm_io_stop(void)
{
    if (!fm_rt.io.n_descriptors)
        return;
    __atomic_store_n(&fm_rt.io.n_descriptors, 0, __ATOMIC_RELEASE);
    fm_interpose_end(FM_FOR_FILES);
}

/* ---- descriptors ---- */

static bool find_name(int fd, int directory, const char *path)
{
    return path && (path[0] == '/' || directory == AT_FDCWD) ? fm_io_name_of_path(path) : fm_io_name_of_descriptor(fd);
}

/* In /dev/shm are files of programs. */
static bool is_of_kernel(const char *path)
{
    return fm_begins_with(path, "/proc/") || fm_begins_with(path, "/sys/") ||
           (fm_begins_with(path, "/dev/") && !fm_begins_with(path, "/dev/shm/"));
}

static void use(int fd, uint32_t file)
{
    uint32_t used = __atomic_load_n(&fm_rt.io.n_used, __ATOMIC_RELAXED);
    while (used <= (unsigned)fd && !__atomic_compare_exchange_n(&fm_rt.io.n_used, &used, (unsigned)fd + 1, false,
                                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (file >= FM_IO_FIRST)
        __atomic_fetch_add(&fm_rt.io.files[file - FM_IO_FIRST].open, 1, __ATOMIC_ACQ_REL);
    uint32_t before = __atomic_exchange_n(&fm_rt.io.descriptors[fd].file, file, __ATOMIC_ACQ_REL);
    if (before >= FM_IO_FIRST)
        __atomic_fetch_sub(&fm_rt.io.files[before - FM_IO_FIRST].open, 1, __ATOMIC_ACQ_REL);
}

/* A child of vfork has the memory of its parent, but descriptors of its own. */
static bool is_own_process(void)
{
    return fm_threads_are_own() && atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_ON &&
           fm_own_pid() == fm_rt.pid;
}

/* Without asking the servers of a network file system, where the kernel can tell the type without them. */
static bool find_status(int fd, struct statx *status)
{
    struct stat old;
    if (fm_kernel(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, status) == 0)
        return true;
    if (fm_kernel(SYS_fstat, fd, &old) != 0)
        return false;
    *status = (struct statx){.stx_mode = (uint16_t)old.st_mode,
                             .stx_dev_major = major(old.st_dev),
                             .stx_dev_minor = minor(old.st_dev),
                             .stx_rdev_major = major(old.st_rdev),
                             .stx_rdev_minor = minor(old.st_rdev)};
    return true;
}

static bool is_null_device(const struct statx *status)
{
    return S_ISCHR(status->stx_mode) && status->stx_rdev_major == 1 && status->stx_rdev_minor == 3;
}

/* Those that are known not to be steady: asking a network file system again, for every file, would be slow. */
static bool is_known_device(uint64_t device)
{
    for (size_t i = 0; i < FM_IO_DEVICES; i++)
        if (fm_rt.io.devices[i] == device)
            return true;
    return false;
}

static void keep_device(uint64_t device)
{
    fm_rt.io.devices[fm_rt.io.n_devices++ % FM_IO_DEVICES] = device;
}

/* File systems of the kernel itself wait for data without being interrupted. One in user space (FUSE) is told of a
 * signal, and may then fail; of all others it is not known. The caller holds the lock. */
static bool is_steady(int fd, uint64_t device)
{
    static const uint32_t types[] = {
        0x0000ef53, /* ext2, ext3, ext4 */
        0x01021994, /* tmpfs */
        0x58465342, /* XFS */
        0x9123683e, /* Btrfs */
        0xf2f52010, /* F2FS */
    };
    struct statfs status;
    if (is_known_device(device) || fm_kernel(SYS_fstatfs, fd, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((uint32_t)status.f_type == types[i])
            return true;
    keep_device(device);
    return false;
}

/* The caller holds the lock. path: NULL if unknown. */
static uint32_t look_up(int fd, int directory, const char *path)
{
    if (!find_name(fd, directory, path) || is_of_kernel(fm_rt.io.path))
        return FM_IO_NO_FILE;
    return fm_io_file_find(fm_rt.io.path, false) + FM_IO_FIRST;
}

/* Enters a file into the table. Returns what the descriptor then contains. */
static uint32_t enter(int fd, int directory, const char *path, bool placed)
{
    if (!fm_syscalls_enter())
        return FM_IO_UNKNOWN;
    uint32_t file = FM_IO_UNKNOWN;
    struct statx status;
    if (is_own_process()) {
        file = FM_IO_NO_FILE;
        bool known = find_status(fd, &status);
        if (known && S_ISREG(status.stx_mode)) {
            fm_lock(&fm_rt.io.lock);
            file = look_up(fd, directory, path);
            fm_rt.io.descriptors[fd].position = placed ? 0 : FM_IO_NO_POSITION;
            fm_rt.io.descriptors[fd].unplaced = !placed;
            fm_rt.io.descriptors[fd].steady = is_steady(fd, makedev(status.stx_dev_major, status.stx_dev_minor));
            use(fd, file);
            fm_unlock(&fm_rt.io.lock);
        } else {
            fm_rt.io.descriptors[fd].steady = known && is_null_device(&status);
            use(fd, file);
        }
    }
    fm_syscalls_leave();
    return file;
}

uint32_t fm_io_identify(int fd)
{
    return enter(fd, AT_FDCWD, NULL, false);
}

/* Also in a child of vfork: its parent looks the descriptor up again. */
void fm_io_forget(int fd)
{
    if ((unsigned)fd >= fm_rt.io.n_descriptors || !__atomic_load_n(&fm_rt.io.descriptors[fd].file, __ATOMIC_RELAXED))
        return;
    uint32_t file = __atomic_exchange_n(&fm_rt.io.descriptors[fd].file, FM_IO_UNKNOWN, __ATOMIC_ACQ_REL);
    if (file >= FM_IO_FIRST)
        __atomic_fetch_sub(&fm_rt.io.files[file - FM_IO_FIRST].open, 1, __ATOMIC_ACQ_REL);
}

void fm_io_forget_all(unsigned first, unsigned last)
{
    uint32_t used = fm_rt.io.n_descriptors ? __atomic_load_n(&fm_rt.io.n_used, __ATOMIC_RELAXED) : 0;
    for (unsigned fd = first; fd < used && fd <= last; fd++)
        fm_io_forget((int)fd);
}

/* Both descriptors have one position, so none is known any more. */
void fm_io_copied(int fd, int copy)
{
    if (copy < 0 || copy == fd)
        return;
    fm_io_forget(copy);
    if ((unsigned)fd >= fm_rt.io.n_descriptors || (unsigned)copy >= fm_rt.io.n_descriptors)
        return;
    struct fm_io_descriptor *from = &fm_rt.io.descriptors[fd], *to = &fm_rt.io.descriptors[copy];
    uint32_t file = __atomic_load_n(&from->file, __ATOMIC_RELAXED);
    if (file < FM_IO_FIRST || !fm_syscalls_enter())
        return;
    if (is_own_process()) {
        from->position = to->position = FM_IO_NO_POSITION;
        from->unplaced = to->unplaced = true;
        to->steady = from->steady;
        use(copy, file);
    }
    fm_syscalls_leave();
}

void fm_io_note_syscall(long number, long a, long b)
{
    if (number == SYS_close)
        fm_io_forget((int)a);
    else if (number == SYS_dup3)
        fm_io_forget((int)b);
#ifdef SYS_dup2
    else if (number == SYS_dup2)
        fm_io_forget((int)b);
#endif
#ifdef SYS_close_range
    else if (number == SYS_close_range)
        fm_io_forget_all((unsigned)a, (unsigned)b);
#endif
}

/* ---- opening ---- */

void fm_io_begin_open(struct fm_io_call *call)
{
    call->counted = fm_rt.io.n_descriptors && !fm_io_is_nested(call);
    if (!call->counted)
        return;
    fm_local.io = (uintptr_t)call;
    call->start = fm_clock_ticks(&fm_rt.clock);
}

static void count_open(uint32_t file, unsigned interface, uint64_t ticks)
{
    bool shared;
    struct fm_segment_io *io = fm_io_counters(file, fm_rt.io.files[file].generation, &shared);
    if (!io || fm_rt.paused)
        return;
    fm_io_add(&io->opens, 1, shared);
    fm_io_add(&io->meta_ticks, ticks, shared);
    if (interface & ~fm_rt.io.entries[file].interfaces)
        __atomic_fetch_or(&fm_rt.io.entries[file].interfaces, interface, __ATOMIC_RELAXED);
}

void fm_io_end_open(const struct fm_io_call *call, int fd, int directory, const char *path, int flags,
                    unsigned interface, uintptr_t caller)
{
    if (fd >= 0)
        fm_io_forget(fd);
    if (!call->counted)
        return;
    uint64_t ticks = fm_io_ticks(call);
    fm_io_end();
    if ((unsigned)fd >= fm_rt.io.n_descriptors || flags & (O_PATH | O_DIRECTORY) || !fm_threads_are_own())
        return;
    if (fm_site_in_mpi(caller)) {
        fm_rt.io.descriptors[fd].steady = false;
        use(fd, FM_IO_NO_FILE);
        return;
    }
    uint32_t file = enter(fd, directory, path, !(flags & O_APPEND) && !(interface & FM_FILE_BY_STDIO));
    if (!interface && fm_site_in_fortran_library(caller))
        interface = FM_FILE_BY_FORTRAN;
    if (file >= FM_IO_FIRST)
        count_open(file - FM_IO_FIRST, interface, ticks);
}

/* ---- other calls ---- */

void fm_io_count_other(const struct fm_io_call *call, enum fm_io_other what, uint64_t ticks)
{
    bool shared;
    struct fm_segment_io *io = fm_io_counters(call->file, call->generation, &shared);
    fm_io_end();
    if (!io)
        return;
    bool writes = what == FM_IO_SYNC || what == FM_IO_FLUSH;
    fm_io_add(writes ? &io->write_ticks : &io->meta_ticks, ticks, shared);
    if (what == FM_IO_SEEK)
        fm_io_add(&io->seeks, 1, shared);
    else if (what == FM_IO_SYNC)
        fm_io_add(&io->syncs, 1, shared);
}
