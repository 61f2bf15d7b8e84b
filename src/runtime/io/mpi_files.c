/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/io/mpi_files.h"

#include <string.h>

#include "runtime/io/files.h"
#include "runtime/io/io.h"
#include "runtime/io/names.h"

/* Calls on more handles than there is space for are not counted for their files. */
static struct fm_mpi_file *find(fm_word handle)
{
    for (size_t i = 0; i < FM_MPI_FILES; i++)
        if (__atomic_load_n(&fm_rt.io.mpi_files[i].handle, __ATOMIC_ACQUIRE) == handle)
            return &fm_rt.io.mpi_files[i];
    return NULL;
}

/* "ufs:/scratch/a" names a file system, too. */
static const char *without_prefix(const char *name)
{
    const char *colon = strchr(name, ':'), *slash = strchr(name, '/');
    return colon && (!slash || colon < slash) ? colon + 1 : name;
}

static struct fm_mpi_file *enter(const char *name, fm_word handle)
{
    struct fm_mpi_file *file = find(handle);
    if (!file)
        file = find(0);
    if (!file || !fm_io_name_of_path(without_prefix(name)))
        return NULL;
    uint32_t number = fm_io_file_find(fm_rt.io.path, true);
    if (!number)
        return NULL;
    if (file->handle == 0)
        __atomic_fetch_add(&fm_rt.io.files[number].open, 1, __ATOMIC_RELAXED);
    file->file = number;
    file->generation = fm_rt.io.files[number].generation;
    __atomic_store_n(&file->handle, handle, __ATOMIC_RELEASE);
    return file;
}

void fm_mpi_file_opened(const char *name, fm_word handle, uint64_t ns)
{
    bool shared;
    if (!fm_rt.io.n_descriptors || !handle || fm_rt.paused || !fm_syscalls_enter())
        return;
    fm_lock(&fm_rt.io.lock);
    const struct fm_mpi_file *file = enter(name, handle);
    struct fm_segment_io *io = file ? fm_io_counters(file->file, file->generation, &shared) : NULL;
    if (io) {
        fm_io_add(&io->opens, 1, shared);
        fm_io_add(&io->meta_ticks, fm_clock_from_ns(&fm_rt.clock, ns), shared);
    }
    fm_unlock(&fm_rt.io.lock);
    fm_syscalls_leave();
}

static void count(struct fm_segment_io *io, bool shared, enum fm_mpi_file_call what, uint64_t bytes, uint64_t ticks)
{
    bool reads = what == FM_MPI_FILE_READ, writes = what == FM_MPI_FILE_WRITE;
    if (reads || what == FM_MPI_FILE_READ_END)
        fm_io_add(&io->read_ticks, ticks, shared);
    else if (writes || what == FM_MPI_FILE_WRITE_END || what == FM_MPI_FILE_SYNC)
        fm_io_add(&io->write_ticks, ticks, shared);
    else
        fm_io_add(&io->meta_ticks, ticks, shared);
    fm_io_add(&io->reads, reads, shared);
    fm_io_add(&io->writes, writes, shared);
    fm_io_add(&io->seeks, what == FM_MPI_FILE_SEEK, shared);
    fm_io_add(&io->syncs, what == FM_MPI_FILE_SYNC, shared);
    fm_io_add(&io->read_bytes, reads ? bytes : 0, shared);
    fm_io_add(&io->written_bytes, writes ? bytes : 0, shared);
    if (bytes)
        fm_io_add(reads ? &io->read_sizes[fm_request_bin(bytes)] : &io->write_sizes[fm_request_bin(bytes)], 1, shared);
}

void fm_mpi_file_count(fm_word handle, enum fm_mpi_file_call what, uint64_t bytes, uint64_t ns)
{
    bool shared;
    struct fm_mpi_file *file = fm_rt.io.n_descriptors && handle ? find(handle) : NULL;
    if (!file)
        return;
    struct fm_segment_io *io = fm_rt.paused ? NULL : fm_io_counters(file->file, file->generation, &shared);
    if (io && fm_rt.clock.mult)
        count(io, shared, what, bytes, fm_clock_from_ns(&fm_rt.clock, ns));
    if (what == FM_MPI_FILE_CLOSE) {
        __atomic_fetch_sub(&fm_rt.io.files[file->file].open, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&file->handle, 0, __ATOMIC_RELEASE);
    }
}
