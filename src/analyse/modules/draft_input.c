/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/draft_input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/modules/library_families.h"
#include "base/basename.h"
#include "base/intern.h"
#include "base/names.h"
#include "mpi/libraries.h"
#include "symbols/library_path.h"
#include "symbols/load_module_symbols.h"

enum { MAX_LIBRARIES = 500 };

struct input_reader {
    struct fm_draft_input *input;
    const struct fm_symbols_options *options;
    struct fm_arena *arena;
    struct fm_intern known; /* names of libraries */
    bool failed;
};

static const char *real_path(struct fm_arena *arena, const char *path)
{
    char real[PATH_MAX];
    const char *copy = realpath(path, real) ? fm_arena_strndup(arena, real, strlen(real)) : path;
    return copy ? copy : path;
}

/* ---- code ---- */

static void read_code(struct input_reader *reader, struct fm_draft_part *part, const char *path)
{
    struct fm_load_module_files files;
    struct fm_function *functions = NULL;
    if (fm_load_module_files_find(&files, path, "", reader->options, NULL))
        return;
    size_t n = fm_load_module_functions(&files, &functions, reader->arena);
    part->code = fm_arena_alloc(reader->arena, n * sizeof *part->code);
    for (size_t i = 0; part->code && i < n; i++) {
        part->code[part->n++] = (struct fm_code){functions[i].name, functions[i].file, functions[i].bytes};
        part->weight += functions[i].bytes;
        part->debug |= functions[i].file[0] != 0;
    }
}

struct fm_draft_part *fm_draft_input_add_part(struct fm_draft_input *input, const char *file, const char *real,
                                              struct fm_arena *arena)
{
    struct fm_draft_part *grown = fm_arena_grow(arena, input->parts, &input->parts_capacity, input->n_parts + 1,
                                                sizeof *grown);
    if (!grown)
        return NULL;
    input->parts = grown;
    input->parts[input->n_parts] = (struct fm_draft_part){.file = file, .real = real};
    return &input->parts[input->n_parts++];
}

bool fm_draft_input_add_library(struct fm_draft_input *input, const char *path, struct fm_arena *arena)
{
    const char **grown = fm_arena_grow(arena, input->libraries, &input->libraries_capacity, input->n_libraries + 1,
                                       sizeof *grown);
    if (!grown)
        return false;
    input->libraries = grown;
    input->libraries[input->n_libraries++] = path;
    return true;
}

static void add_part(struct input_reader *reader, const char *file, const char *path)
{
    struct fm_draft_part *part = fm_draft_input_add_part(reader->input, file,
                                                         fm_basename(real_path(reader->arena, path)), reader->arena);
    reader->failed |= !part;
    if (part)
        read_code(reader, part, path);
}

/* ---- libraries ---- */

static void add_library(struct input_reader *reader, const char *path)
{
    reader->failed |= !fm_draft_input_add_library(reader->input, path, reader->arena);
}

static bool uses_mpi(const struct fm_elf *elf)
{
    for (size_t i = 0; i < elf->n_needed; i++)
        if (fm_names_fit(fm_mpi_stack, elf->needed[i]))
            return true;
    return false;
}

/* Libraries that use MPI, or are not in a directory of the system, are part of the model. */
static bool is_own(const struct fm_elf *elf, const char *path)
{
    return !fm_library_family(path) && (uses_mpi(elf) || !fm_names_begin("/lib\0/usr/lib\0", path));
}

static void add_needed(struct input_reader *reader, const struct fm_elf *elf, const char *path);

static void add_needed_library(struct input_reader *reader, const struct fm_elf *by, const char *path, const char *name)
{
    char found[PATH_MAX];
    struct fm_elf elf;
    struct fm_intern_slot *slot = fm_intern_put(&reader->known, reader->arena, name, true);
    if (!slot || slot->number++ || reader->known.n > MAX_LIBRARIES)
        return;
    const char *file = slot->text;
    bool opened = fm_needed_find(by, path, file, found, sizeof found) && !fm_elf_open(&elf, found, NULL);
    const char *library = opened ? fm_arena_strndup(reader->arena, found, strlen(found)) : file;
    if (!library)
        return;
    if (opened && is_own(&elf, library)) {
        add_part(reader, file, library);
    } else {
        add_library(reader, library);
        const char *real = real_path(reader->arena, library);
        if (strcmp(real, library) != 0)
            add_library(reader, real);
    }
    if (opened) {
        add_needed(reader, &elf, library);
        fm_elf_close(&elf);
    }
}

static void add_needed(struct input_reader *reader, const struct fm_elf *elf, const char *path)
{
    for (size_t i = 0; i < elf->n_needed && !reader->failed; i++)
        add_needed_library(reader, elf, path, elf->needed[i]);
}

/* ---- programs ---- */

/* A Python script, by its name or its first line. */
static bool is_script(const char *path)
{
    char line[128] = "";
    size_t length = strlen(path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\n")] = 0;
    return n >= 0 && ((length > 3 && strcmp(path + length - 3, ".py") == 0) ||
                      (fm_begins_with(line, "#!") && strstr(line, "python")));
}

enum fm_status fm_draft_input_program(struct fm_draft_input *input, const char *path,
                                      const struct fm_symbols_options *options, struct fm_arena *arena,
                                      struct fm_error *error)
{
    struct input_reader reader = {.input = input, .options = options, .arena = arena};
    struct fm_elf elf;
    *input = (struct fm_draft_input){.program = path};
    if (is_script(path)) {
        add_library(&reader, "python3");
        return FM_OK;
    }
    enum fm_status status = fm_elf_open(&elf, path, error);
    if (status)
        return status;
    add_part(&reader, fm_basename(path), path);
    add_needed(&reader, &elf, path);
    fm_elf_close(&elf);
    return reader.failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for the draft") : FM_OK;
}
