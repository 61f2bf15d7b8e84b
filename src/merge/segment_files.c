/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a segment. */
#include <string.h>

#include "base/saturate.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/file_class.h"
#include "model/strings.h"

/* All counters are uint64_t. */
static void add_counters(struct fm_segment_io *into, const struct fm_segment_io *from)
{
    enum { COUNTERS = sizeof *into / sizeof(uint64_t) };
    uint64_t sums[COUNTERS], others[COUNTERS];
    memcpy(sums, into, sizeof sums);
    memcpy(others, from, sizeof others);
    for (size_t i = 0; i < COUNTERS; i++)
        fm_add_saturating(&sums[i], others[i]);
    memcpy(into, sums, sizeof sums);
}

static bool read_counters(const struct fm_segment_reader *r, const struct fm_segment_io *from, struct fm_io *io)
{
    *io = (struct fm_io){
        .opens = from->opens,
        .reads = from->reads,
        .writes = from->writes,
        .seeks = from->seeks,
        .syncs = from->syncs,
        .read_bytes = from->read_bytes,
        .written_bytes = from->written_bytes,
        .rewritten_bytes = from->rewritten_bytes,
    };
    return fm_segment_reader_ticks(r, from->read_ticks, &io->read_ns) &&
           fm_segment_reader_ticks(r, from->write_ticks, &io->write_ns) &&
           fm_segment_reader_ticks(r, from->meta_ticks, &io->meta_ns);
}

static bool is_used(const struct fm_io *io)
{
    return io->opens || io->reads || io->writes || io->seeks || io->syncs;
}

static bool add_file(struct fm_segment_reader *r, const struct fm_class_of_files *class, const char *path)
{
    struct fm_file file = {
        .class = class->name,
        .mpi = class->mpi,
        .path = path,
        .io = class->io,
        .stdio = class->stdio,
        .fortran = class->fortran,
        .ranks = class->ranks,
    };
    return fm_merge_list(r->profile, &fm_list_files, &file, 1);
}

static void add_to_process(struct fm_segment_reader *r, const struct fm_class_of_files *class)
{
    if (!class->mpi)
        fm_add_saturating(&r->io_ns, fm_io_ns(&class->io));
    fm_add_saturating(&r->read_bytes, class->io.read_bytes);
    fm_add_saturating(&r->written_bytes, class->io.written_bytes);
}

/* Two items of one class are one of this rank: their times and bytes are spread over ranks only at the end. */
static bool add_entry(struct fm_segment_reader *r, const struct fm_segment_file *entry, struct fm_io *io)
{
    char name[FM_FILE_CLASS_BYTES];
    struct fm_range range;
    const char *path = fm_clean_text(&r->view.scratch, entry->name, sizeof entry->name, false);
    if (!path)
        return false;
    struct fm_class_of_files class = {
        .name = fm_file_class(path, name),
        .mpi = (entry->kind & FM_FILE_MPI) != 0,
        .files = entry->files,
        .io = *io,
        .stdio = (entry->interfaces & FM_FILE_BY_STDIO) != 0,
        .fortran = (entry->interfaces & FM_FILE_BY_FORTRAN) != 0,
        .ranks = fm_segment_reader_ranks(r, &range),
    };
    memcpy(class.read_sizes, entry->own.read_sizes, sizeof class.read_sizes);
    memcpy(class.write_sizes, entry->own.write_sizes, sizeof class.write_sizes);
    add_to_process(r, &class);
    return ((entry->kind & FM_FILE_KIND) != FM_FILE_NAMED || add_file(r, &class, path)) &&
           fm_merge_list(r->profile, &fm_list_file_classes, &class, 1);
}

static void spread(struct fm_segment_reader *r)
{
    for (size_t i = 0; i < r->profile->n_file_classes; i++) {
        struct fm_class_of_files *class = &r->profile->file_classes[i];
        fm_spread_add(&class->time_ns, fm_io_ns(&class->io), r->rank);
        fm_spread_add(&class->bytes, fm_sum(class->io.read_bytes, class->io.written_bytes), r->rank);
    }
}

/* The first entry is always in use if files were measured. */
enum fm_status fm_read_files(struct fm_segment_reader *r)
{
    size_t n = fm_segment_items(&r->view, FM_SECTION_FILES);
    r->io_ns = r->read_bytes = r->written_bytes = FM_UNKNOWN;
    if (n > UINT16_MAX)
        return fm_segment_reader_damage(r, "too many files");
    for (size_t i = 0; i < n; i++) {
        struct fm_segment_file entry;
        struct fm_io io;
        fm_segment_item(&r->view, FM_SECTION_FILES, i, &entry, sizeof entry);
        if (i == 0 && !entry.kind)
            return FM_OK;
        if (i == 0)
            r->io_ns = r->read_bytes = r->written_bytes = 0;
        if (!entry.kind)
            continue;
        add_counters(&entry.own, &entry.others);
        if (!read_counters(r, &entry.own, &io))
            return fm_segment_reader_damage(r, "invalid duration of a call on a file");
        if (is_used(&io) && !add_entry(r, &entry, &io))
            return fm_segment_reader_no_memory(r);
    }
    spread(r);
    return fm_profile_limit_files(r->profile) ? FM_OK : fm_segment_reader_no_memory(r);
}
