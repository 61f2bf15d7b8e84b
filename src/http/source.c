/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/source.h"

#include <stdlib.h>

enum { TREE_NODES = 4000 };

enum fm_status fm_blob_of(enum fm_status (*write)(void *context, FILE *out, struct fm_error *error), void *context,
                          struct fm_blob **blob, struct fm_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum fm_status status = out ? write(context, out, error) : FM_OK;
    bool failed = !out || ferror(out);
    if (out)
        failed |= fclose(out) != 0;
    *blob = !status && !failed ? fm_blob_make(text, bytes) : NULL;
    free(text);
    if (status || *blob)
        return status;
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the answer");
}

enum fm_status fm_source_open(struct fm_source *source, struct fm_profile *profile, struct fm_symbols *symbols,
                              const struct fm_source_options *options, struct fm_error *error)
{
    const struct fm_report_options report_options = {.modules = options->modules};
    *source = (struct fm_source){
        .profile = profile,
        .symbols = symbols ? symbols : fm_symbols_for(profile, options->debug_path, NULL, NULL),
    };
    enum fm_status status = fm_report_open(&source->report, profile, source->symbols, &report_options, error);
    if (status) {
        fm_symbols_destroy(source->symbols);
        fm_profile_destroy(profile);
        *source = (struct fm_source){0};
        return status;
    }
    source->is_open = true;
    source->slices = (struct fm_slices){
        .report = &source->report, .tree_nodes = TREE_NODES, .sources = options->sources};
    return FM_OK;
}

struct fm_symbols *fm_source_close_report(struct fm_source *source)
{
    struct fm_symbols *symbols = source->symbols;
    if (source->is_open) {
        fm_report_close(&source->report);
        fm_profile_destroy(source->profile);
    }
    *source = (struct fm_source){0};
    return symbols;
}

void fm_source_close(struct fm_source *source)
{
    fm_symbols_destroy(fm_source_close_report(source));
}

size_t fm_source_bytes(const struct fm_source *source)
{
    return source->is_open ? fm_arena_bytes(&source->profile->arena) + fm_arena_bytes(&source->report.arena) : 0;
}

struct slice_writer {
    struct fm_slices *slices;
    const char *name;
};

static enum fm_status write_slice(void *context, FILE *out, struct fm_error *error)
{
    struct slice_writer *writer = context;
    return fm_slice_write(writer->slices, writer->name, out, error);
}

enum fm_status fm_source_slice(struct fm_source *source, const char *name, struct fm_blob **blob,
                               struct fm_error *error)
{
    return fm_blob_of(write_slice, &(struct slice_writer){&source->slices, name}, blob, error);
}
