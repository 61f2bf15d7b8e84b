/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_draft.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/modules/module_candidates.h"
#include "analyse/modules/module_map.h"
#include "base/basename.h"
#include "base/intern.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/writer.h"
#include "model/order.h"
#include "mpi/libraries.h"
#include "symbols/library_path.h"

struct draft {
    struct fm_arena *arena;
    struct fm_writer writer;
    const struct fm_symbols_options *options;
    struct fm_intern lines;  /* already written */
    const char *examples[2]; /* modules, for an example of a group */
    const char *heading;     /* to be written before the next line; "" if none */
};

/* ---- lines ---- */

/* A name as a single word that is no pattern: blanks and #, which would end it, and pattern characters are replaced. */
static const char *as_word(struct draft *draft, const char *text, size_t length, char replacement)
{
    char *word = fm_arena_strndup(draft->arena, text, length);
    for (char *at = word; at && *at; at++)
        if (isspace((unsigned char)*at) || strchr("#*?[]\\", *at))
            *at = replacement;
    return word ? word : "";
}

static void add_line(struct draft *draft, const char *module, const char *kind, const char *pattern)
{
    const char *line = fm_written(draft->arena, "module  %-20s  %-8s  %s\n", module, kind, pattern);
    struct fm_intern_slot *slot = line ? fm_intern_put(&draft->lines, draft->arena, line, false) : NULL;
    if (!slot || slot->number++)
        return;
    for (size_t i = 0; i < 2; i++) {
        if (draft->examples[i] && strcmp(draft->examples[i], module) == 0)
            break;
        if (!draft->examples[i]) {
            draft->examples[i] = module;
            break;
        }
    }
    fm_write(&draft->writer, "%s%s", draft->heading, line);
    draft->heading = "";
}

/* ---- source files ---- */

struct directory {
    const char *path; /* of a file in it */
    size_t length;    /* of the directory in `path`, without the last '/' */
};

/* The length of the common parent directory; 0 if there is none, or it is the root. */
static size_t common_directory(const struct directory *directories, size_t n)
{
    size_t common = n ? directories[0].length : 0;
    for (size_t i = 1; i < n; i++) {
        size_t same = 0;
        while (same < common && same < directories[i].length && directories[i].path[same] == directories[0].path[same])
            same++;
        while (same && !(directories[i].path[same] == '/' && directories[0].path[same] == '/'))
            same--;
        common = same;
    }
    return common;
}

static void add_file(struct draft *draft, const char *path)
{
    const char *file = fm_basename(path), *dot = strrchr(file, '.');
    add_line(draft, as_word(draft, file, dot && dot > file ? (size_t)(dot - file) : strlen(file), '_'), "file",
             as_word(draft, file, strlen(file), '?'));
}

/* Subdirectories before their parents, since the first matching line counts. */
static int longest_first(const void *a, const void *b)
{
    const struct directory *x = a, *y = b;
    return x->length != y->length ? (x->length > y->length ? -1 : 1) : fm_compare_text(x->path, y->path);
}

/* Patterns begin with the last component of the common parent directory: the sources may be elsewhere next time. */
static void add_directories(struct draft *draft, struct directory *directories, size_t n)
{
    size_t from = common_directory(directories, n);
    if (!fm_sort(directories, n, sizeof *directories, longest_first, draft->arena))
        return;
    while (from && directories[0].path[from - 1] != '/')
        from--;
    from -= from > 0;
    for (size_t i = 0; i < n; i++) {
        const struct directory *at = &directories[i];
        const char *pattern = as_word(draft, at->path + from, at->length - from, '?');
        add_line(draft, fm_basename(as_word(draft, at->path, at->length, '_')), "file",
                 fm_written(draft->arena, "%s%s/*", from ? "*" : "", pattern));
    }
}

static void add_sources(struct draft *draft, const struct fm_source_file *sources, size_t n)
{
    struct directory *directories = fm_arena_alloc(draft->arena, n * sizeof *directories);
    size_t others = 0;
    bool flat = true; /* all sources except Fortran are in one directory */
    for (size_t i = 0; directories && i < n; i++) {
        if (sources[i].fortran)
            continue;
        const char *slash = strrchr(sources[i].path, '/');
        directories[others] = (struct directory){sources[i].path, slash ? (size_t)(slash - sources[i].path) : 0};
        flat &= directories[others].length == directories[0].length &&
                strncmp(sources[i].path, directories[0].path, directories[0].length) == 0;
        others++;
    }
    if (!flat)
        add_directories(draft, directories, others);
    for (size_t i = 0; i < n; i++)
        if (sources[i].fortran || flat)
            add_file(draft, sources[i].path);
}

/* ---- libraries ---- */

static const char system_libraries[] =
    "ld-linux*\0linux-vdso*\0libc.so*\0libm.so*\0libpthread*\0libdl.so*\0librt.so*\0libgcc_s*\0libstdc++.so*\0"
    "libgomp*\0libgfortran*\0libquadmath*\0libfathom*\0";

static bool is_common(const char *library)
{
    return fm_names_fit(fm_mpi_stack, library) || fm_names_fit(system_libraries, library);
}

/* Four patterns per line. */
static void write_all(struct draft *draft, const char *module, const char *patterns)
{
    for (size_t i = 0; *patterns; i++, patterns = fm_name_after(patterns)) {
        if (i % 4 == 0)
            fm_write(&draft->writer, "%smodule  %-20s  library  ", i ? "\n" : "", module);
        fm_write(&draft->writer, " %s", patterns);
    }
    fm_write(&draft->writer, "\n");
}

/* "liblammps.so*" for "liblammps.so.0" */
static const char *library_pattern(struct draft *draft, const char *file)
{
    const char *end = strstr(file, ".so");
    const char *pattern = as_word(draft, file, end ? (size_t)(end - file) : strlen(file), '?');
    return end ? fm_written(draft->arena, "%s.so*", pattern) : pattern;
}

/* Module "lammps" for "liblammps.so.0". The library may be loaded under the name of its link or under its real name. */
static void add_library(struct draft *draft, const char *file, const char *path)
{
    char real[PATH_MAX];
    const char *name = strncmp(file, "lib", 3) == 0 && file[3] ? file + 3 : file, *end = strstr(name, ".so");
    const char *module = as_word(draft, name, end && end > name ? (size_t)(end - name) : strlen(name), '_');
    const char *pattern = library_pattern(draft, file);
    add_line(draft, module, "library", pattern);
    if (pattern && path[0] && realpath(path, real) && fnmatch(pattern, fm_basename(real), 0) != 0)
        add_line(draft, module, "library", library_pattern(draft, fm_basename(real)));
}

static bool uses_mpi(const struct fm_elf *elf)
{
    for (size_t i = 0; i < elf->n_needed; i++)
        if (fm_names_fit(fm_mpi_stack, elf->needed[i]))
            return true;
    return false;
}

/* Adds the modules in a load module. */
static void add_load_module(struct draft *draft, const char *path)
{
    struct fm_load_module_files files;
    struct fm_source_file *sources = NULL;
    struct fm_function *functions = NULL;
    struct fm_module_candidate *candidates = NULL;
    if (fm_load_module_files_find(&files, path, "", draft->options, NULL))
        return;
    size_t n = fm_load_module_sources(&files, &sources, draft->arena);
    const char *heading = fm_written(draft->arena, "\n# %s, %s\n", as_word(draft, path, strlen(path), '?'),
                                     n ? "from its debug information"
                                       : "without debug information (-g): from function names");
    draft->heading = heading ? heading : "";
    if (n) {
        add_sources(draft, sources, n);
        return;
    }
    n = fm_load_module_functions(&files, &functions, draft->arena);
    n = fm_module_candidates_find(functions, n, &candidates, draft->arena);
    for (size_t i = 0; i < n; i++)
        add_line(draft, candidates[i].name, "function", candidates[i].pattern);
}

/* Libraries that use MPI are part of the model. */
static void add_mpi_libraries(struct draft *draft, const struct fm_elf *elf, const char *path)
{
    for (size_t i = 0; i < elf->n_needed; i++) {
        char library[PATH_MAX];
        struct fm_elf other;
        if (is_common(elf->needed[i]) || !fm_needed_find(elf, path, elf->needed[i], library, sizeof library) ||
            fm_elf_open(&other, library, NULL))
            continue;
        if (uses_mpi(&other))
            add_load_module(draft, library);
        fm_elf_close(&other);
    }
}

static void write_libraries(struct draft *draft, const struct fm_elf *elf, const char *path)
{
    draft->heading = "";
    if (draft->lines.n)
        fm_write(&draft->writer, "\n# Everything else: libraries and the rest of the program.\n");
    else
        fm_write(&draft->writer, "\n# %s has no debug information (-g), and its function names suggest no modules.\n",
                 as_word(draft, path, strlen(path), '?'));
    write_all(draft, "mpi", fm_mpi_stack);
    write_all(draft, "system", system_libraries);
    for (size_t i = 0; i < elf->n_needed; i++) {
        char library[PATH_MAX];
        if (is_common(elf->needed[i]))
            continue;
        bool found = fm_needed_find(elf, path, elf->needed[i], library, sizeof library);
        add_library(draft, elf->needed[i], found ? library : "");
    }
    add_library(draft, fm_basename(path), path);
}

/* ---- file ---- */

static void write_head(struct draft *draft, const char *path)
{
    fm_write(
        &draft->writer,
        "# Modules of %s: which functions belong together. Edit it to match the structure of the model.\n"
        "#\n"
        "#   module NAME file PATTERN...      functions in these source files; a pattern with a / matches the whole "
        "path\n"
        "#   module NAME function PATTERN...  functions with these names\n"
        "#   module NAME library PATTERN...   everything in these programs and libraries\n"
        "#   group NAME MODULE...             modules that are also shown as one\n"
        "#   waiting + PATTERN...             functions that only wait, added to the default list; without + they "
        "replace it\n"
        "#\n"
        "# Patterns are shell patterns. The first matching line counts. Functions that match no line are in %s,\n"
        "# MPI routines in mpi. Use it with: fathom report PROFILE --modules THIS_FILE\n",
        as_word(draft, fm_basename(path), strlen(fm_basename(path)), '?'), FM_UNMAPPED);
}

static void write_foot(struct draft *draft)
{
    struct fm_module_map defaults;
    size_t column = 0;
    if (draft->examples[1])
        fm_write(&draft->writer, "\n# group   model  %s %s\n", draft->examples[0], draft->examples[1]);
    if (fm_module_map_usual(&defaults, draft->arena, NULL))
        return;
    fm_write(&draft->writer, "\n# Default list of functions that only wait:\n# waiting");
    for (size_t i = 0; i < defaults.n_waiting; i++) {
        column += strlen(defaults.waiting[i]) + 1;
        if (column > 100) {
            fm_write(&draft->writer, "\n#        ");
            column = strlen(defaults.waiting[i]) + 1;
        }
        fm_write(&draft->writer, " %s", defaults.waiting[i]);
    }
    fm_write(&draft->writer, "\n");
}

enum fm_status fm_module_draft(const char *program, const struct fm_symbols_options *options, struct fm_arena *arena,
                               const char **text, struct fm_error *error)
{
    struct draft draft = {.arena = arena, .writer = {.arena = arena}, .options = options, .heading = ""};
    struct fm_elf elf;
    enum fm_status status = fm_elf_open(&elf, program, error);
    if (status)
        return status;
    write_head(&draft, program);
    add_load_module(&draft, program);
    add_mpi_libraries(&draft, &elf, program);
    write_libraries(&draft, &elf, program);
    write_foot(&draft);
    fm_elf_close(&elf);
    *text = fm_writer_text(&draft.writer);
    return *text ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the draft");
}
