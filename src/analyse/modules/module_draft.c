/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_draft.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/modules/library_families.h"
#include "analyse/modules/module_map.h"
#include "base/basename.h"
#include "base/names.h"
#include "base/writer.h"
#include "model/job_name.h"

enum {
    MAX_UNITS = 11,   /* with these and the library families there are enough colours */
    MAX_OWN = 4,      /* libraries with a module of their own */
    TIMED_SHARE = 100 /* units with less than 1 / TIMED_SHARE of the time are left out */
};

struct draft {
    const struct fm_draft_input *input;
    struct fm_arena *arena;
    struct fm_writer writer;
    const char *examples[2]; /* modules, for an example of a group */
};

static void write_line(struct draft *draft, const char *module, const char *kind, const char *patterns)
{
    fm_write(&draft->writer, "module  %-20s  %-8s  %s\n", module, kind, patterns);
}

/* ---- families ---- */

static bool is_python(const struct draft *draft)
{
    const struct fm_draft_input *input = draft->input;
    for (size_t i = 0; i < input->n_parts; i++)
        if (fm_is_python(input->parts[i].file))
            return true;
    for (size_t i = 0; i < input->n_libraries; i++)
        if (fm_is_python(fm_basename(input->libraries[i])))
            return true;
    return false;
}

static bool is_used(const struct draft *draft, const char *pattern)
{
    for (size_t i = 0; i < draft->input->n_libraries; i++)
        if (fm_path_fits(pattern, draft->input->libraries[i]))
            return true;
    return false;
}

static bool is_wanted(const struct draft *draft, const struct fm_library_family *family, const char *pattern)
{
    if (family->when == FM_FAMILY_ALWAYS)
        return true;
    return is_python(draft) ? family->when == FM_FAMILY_PYTHON
                            : family->when == FM_FAMILY_USED && is_used(draft, pattern);
}

/* Four patterns per line. */
static void write_families(struct draft *draft)
{
    const char *module = "";
    size_t n = 0;
    for (size_t i = 0; i < FM_LIBRARY_FAMILIES; i++) {
        const struct fm_library_family *family = &fm_library_families[i];
        for (const char *pattern = family->patterns; *pattern; pattern = fm_name_after(pattern)) {
            if (!is_wanted(draft, family, pattern))
                continue;
            n = strcmp(family->module, module) == 0 ? n : 0;
            if (n % 4 == 0)
                fm_write(&draft->writer, "%smodule  %-20s  %-8s ", *module ? "\n" : "", family->module, "library");
            fm_write(&draft->writer, " %s", pattern);
            module = family->module;
            n++;
        }
    }
    fm_write(&draft->writer, "\n");
}

static size_t count_families(struct draft *draft)
{
    const char *module = "";
    size_t n = 0;
    for (size_t i = 0; i < FM_LIBRARY_FAMILIES; i++) {
        const struct fm_library_family *family = &fm_library_families[i];
        const char *pattern = family->patterns;
        while (*pattern && !is_wanted(draft, family, pattern))
            pattern = fm_name_after(pattern);
        n += *pattern && strcmp(family->module, module) != 0;
        module = *pattern ? family->module : module;
    }
    return n;
}

/* ---- the program and its libraries ---- */

/* "lammps" for "liblammps.so.0" */
static const char *part_name(struct draft *draft, const struct fm_draft_part *part)
{
    const char *name = fm_begins_with(part->file, "lib") && part->file[3] ? part->file + 3 : part->file;
    const char *end = strstr(name, ".so");
    return fm_module_word(draft->arena, name, end && end > name ? (size_t)(end - name) : strlen(name), '_');
}

/* A program without much code of its own belongs to the library that has it. */
static const struct fm_draft_part *main_part(const struct fm_draft_input *input)
{
    const struct fm_draft_part *heaviest = input->parts;
    for (size_t i = 1; i < input->n_parts; i++)
        if (input->parts[i].weight / 10 > heaviest->weight)
            heaviest = &input->parts[i];
    return heaviest;
}

static void add_example(struct draft *draft, const char *module)
{
    for (size_t i = 0; i < 2; i++)
        if (!draft->examples[i] || strcmp(draft->examples[i], module) == 0) {
            draft->examples[i] = module;
            return;
        }
}

/* Writes the units of a part, at most `max`. Returns their number. */
static size_t write_units(struct draft *draft, const struct fm_draft_part *part, size_t max)
{
    struct fm_module_unit *units = NULL;
    uint64_t min = draft->input->timed ? part->weight / TIMED_SHARE : 0;
    size_t n = fm_module_units_find(part->code, part->n, max, min, &units, draft->arena);
    if (n)
        fm_write(&draft->writer, "\n# %s, from its %s\n",
                 fm_module_word(draft->arena, part->file, strlen(part->file), '?'),
                 part->debug ? "debug information" : "function names; it has no debug information (-g)");
    for (size_t i = 0; i < n; i++) {
        write_line(draft, units[i].name, units[i].by_file ? "file" : "function", units[i].patterns);
        add_example(draft, units[i].name);
    }
    return n;
}

/* The program, and a library that contains most of the code, are divided; the others are a module each. */
static void write_parts(struct draft *draft, size_t n_parts)
{
    const struct fm_draft_input *input = draft->input;
    size_t fixed = count_families(draft) + n_parts - (main_part(input) != input->parts) + 1;
    size_t room = fixed < FM_DRAFT_MODULES ? FM_DRAFT_MODULES - fixed : 0;
    uint64_t total = 0;
    for (size_t i = 0; i < n_parts; i++)
        total += input->parts[i].weight;
    room = room < MAX_UNITS ? room : MAX_UNITS;
    for (size_t i = 0; i < n_parts && room; i++)
        if (!fm_is_python(input->parts[i].file) && (i == 0 || input->parts[i].weight > total / 3 * 2))
            room -= write_units(draft, &input->parts[i], room);
}

/* "liblammps.so*" for "liblammps.so.0" */
static const char *file_pattern(struct draft *draft, const char *file)
{
    const char *end = strstr(file, ".so");
    const char *pattern = fm_module_word(draft->arena, file, end ? (size_t)(end - file) : strlen(file), '?');
    return end ? fm_written(draft->arena, "%s.so*", pattern) : pattern;
}

/* It may be loaded under the name of a link or under its real name. */
static void write_part(struct draft *draft, const struct fm_draft_part *part, const char *module)
{
    const char *pattern = file_pattern(draft, part->file);
    write_line(draft, module, "library", pattern ? pattern : "");
    if (pattern && fnmatch(pattern, part->real, 0) != 0)
        write_line(draft, module, "library", file_pattern(draft, part->real));
}

static void write_libraries(struct draft *draft, size_t n_parts)
{
    const struct fm_draft_input *input = draft->input;
    fm_write(&draft->writer, "\n# Everything else: the rest of the program, and libraries.\n");
    for (size_t i = 0; i < n_parts; i++) {
        const struct fm_draft_part *part = &input->parts[i];
        if (i || !fm_is_python(part->file))
            write_part(draft, part, part_name(draft, i ? part : main_part(input)));
    }
    write_families(draft);
    write_line(draft, "libraries", "library", "*");
}

/* ---- file ---- */

static void write_head(struct draft *draft)
{
    const char *program = fm_basename(draft->input->program);
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
        fm_module_word(draft->arena, program, strlen(program), '?'), FM_UNMAPPED);
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

enum fm_status fm_module_draft(const struct fm_draft_input *input, struct fm_arena *arena, const char **text,
                               struct fm_error *error)
{
    struct draft draft = {.input = input, .arena = arena, .writer = {.arena = arena}};
    size_t n_parts = input->n_parts < MAX_OWN + 1 ? input->n_parts : MAX_OWN + 1;
    write_head(&draft);
    write_parts(&draft, n_parts);
    write_libraries(&draft, n_parts);
    write_foot(&draft);
    *text = fm_writer_text(&draft.writer);
    return *text ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the draft");
}
