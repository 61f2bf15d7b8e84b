/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/io/files.h"

#include <string.h>

#include "model/file_class.h"
#include "runtime/io/io.h"

enum { OTHER = 0 };

static uint32_t capacity(void)
{
    return fm_rt.segment->sections[FM_SECTION_FILES].capacity;
}

/* FNV-1a; never 0. */
static uint64_t hash_of(const char *name, uint32_t kind)
{
    uint64_t hash = 0xcbf29ce484222325u ^ kind;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
    return hash | 1;
}

static uint32_t find(uint64_t hash)
{
    for (uint32_t i = OTHER + 1; i < capacity(); i++)
        if (fm_rt.io.files[i].hash == hash)
            return i;
    return OTHER;
}

/* Cut in the middle, so that the directory and the file name stay. */
static void set_name(struct fm_segment_file *entry, const char *name)
{
    enum { LONGEST = sizeof entry->name - 1, HEAD = 100, DOTS = 3, TAIL = LONGEST - HEAD - DOTS };
    size_t n = strlen(name);
    memset(entry->name, 0, sizeof entry->name);
    if (n <= LONGEST) {
        memcpy(entry->name, name, n);
        return;
    }
    memcpy(entry->name, name, HEAD);
    memcpy(entry->name + HEAD, "...", DOTS);
    memcpy(entry->name + HEAD + DOTS, name + n - TAIL, TAIL);
}

/* A reader finds an entry by its kind, which is therefore set last. */
static uint32_t take(uint32_t number, const char *name, uint32_t kind, uint64_t hash)
{
    struct fm_io_file *file = &fm_rt.io.files[number];
    struct fm_segment_file *entry = &fm_rt.io.entries[number];
    file->owner = (uintptr_t)&fm_local;
    file->hash = hash;
    file->written = (struct fm_extents){.n = 0};
    set_name(entry, name);
    entry->files = 1;
    __atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
    return number;
}

/* ---- combining ---- */

static uint64_t time_of(const struct fm_segment_file *entry)
{
    const struct fm_segment_io *own = &entry->own, *others = &entry->others;
    return own->read_ticks + own->write_ticks + own->meta_ticks + others->read_ticks + others->write_ticks +
           others->meta_ticks;
}

/* Classes of files that are accessed with MPI-IO stay: their time is no time outside MPI. */
static bool may_combine(const struct fm_segment_file *entry, uint32_t kind)
{
    return entry->kind == kind || (kind == FM_FILE_NAMED && entry->kind == (FM_FILE_NAMED | FM_FILE_MPI));
}

/* The entry of a kind with the least time that has no open descriptor; OTHER: none. */
static uint32_t least(uint32_t kind)
{
    uint32_t found = OTHER;
    for (uint32_t i = OTHER + 1; i < capacity(); i++)
        if (may_combine(&fm_rt.io.entries[i], kind) &&
            __atomic_load_n(&fm_rt.io.files[i].open, __ATOMIC_ACQUIRE) == 0 &&
            (found == OTHER || time_of(&fm_rt.io.entries[i]) < time_of(&fm_rt.io.entries[found])))
            found = i;
    return found;
}

/* All counters are uint64_t. Other threads may still count calls in `into`. */
static void add(struct fm_segment_io *into, const struct fm_segment_io *from)
{
    enum { COUNTERS = sizeof *into / sizeof(uint64_t) };
    for (size_t i = 0; i < COUNTERS; i++)
        __atomic_fetch_add((uint64_t *)into + i, ((const uint64_t *)from)[i], __ATOMIC_RELAXED);
}

/* Calls that are still in progress find another generation. */
static void combine(uint32_t into, uint32_t from)
{
    struct fm_segment_file *target = &fm_rt.io.entries[into], *entry = &fm_rt.io.entries[from];
    __atomic_fetch_add(&fm_rt.io.files[from].generation, 1, __ATOMIC_RELEASE);
    add(&target->others, &entry->own);
    add(&target->others, &entry->others);
    target->files += entry->files;
    target->interfaces |= entry->interfaces;
    uint32_t generation = fm_rt.io.files[from].generation;
    memset(entry, 0, sizeof *entry);
    fm_rt.io.files[from] = (struct fm_io_file){.generation = generation};
}

/* Frees an entry. Returns its number, or OTHER if all are open. */
static uint32_t free_one(void)
{
    char class[FM_FILE_CLASS_BYTES];
    for (uint32_t i = least(FM_FILE_NAMED); i != OTHER; i = least(FM_FILE_NAMED)) {
        struct fm_segment_file *entry = &fm_rt.io.entries[i];
        uint32_t kind = FM_FILE_CLASS | (entry->kind & FM_FILE_MPI);
        uint64_t hash = hash_of(fm_file_class(entry->name, class), kind);
        uint32_t into = find(hash);
        fm_rt.segment->combined_files++;
        if (into != OTHER) {
            combine(into, i);
            return i;
        }
        set_name(entry, class); /* the entry of its class, for the next ones */
        entry->kind = kind;
        fm_rt.io.files[i].hash = hash;
        __atomic_fetch_add(&fm_rt.io.files[i].generation, 1, __ATOMIC_RELEASE);
    }
    uint32_t i = least(FM_FILE_CLASS);
    if (i != OTHER)
        combine(OTHER, i);
    return i;
}

static uint32_t find_free(void)
{
    for (uint32_t i = OTHER + 1; i < capacity(); i++)
        if (!fm_rt.io.files[i].hash)
            return i;
    return free_one();
}

uint32_t fm_io_file_find(const char *name, bool mpi)
{
    uint32_t kind = FM_FILE_NAMED | (mpi ? FM_FILE_MPI : 0);
    uint64_t hash = hash_of(name, kind);
    uint32_t number = find(hash);
    if (number != OTHER)
        return number;
    number = find_free();
    if (number != OTHER)
        return take(number, name, kind, hash);
    fm_rt.segment->combined_files++;
    if (!mpi)
        fm_rt.io.entries[OTHER].files++;
    return OTHER;
}
