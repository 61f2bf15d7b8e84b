/* SPDX-License-Identifier: BSD-3-Clause */
/* What the draft of a module file is made from (module_draft.h): the code of a program and of the libraries that belong
 * to it, and the other libraries that it uses. It is read from the files of a program that need not run, or taken from
 * a profile, which knows where the time goes and which libraries were loaded later. Memory comes from the arena. */
#ifndef FM_ANALYSE_MODULES_DRAFT_INPUT_H
#define FM_ANALYSE_MODULES_DRAFT_INPUT_H

#include "analyse/calls/calltree.h"
#include "analyse/modules/module_units.h"

/* The program, or a library that its developers probably wrote. */
struct fm_draft_part {
    const char *file; /* without directories; as it is called or needed */
    const char *real; /* the same after following links */
    struct fm_code *code;
    size_t n, capacity;
    uint64_t weight;
    bool debug; /* it has debug information */
};

struct fm_draft_input {
    bool timed;          /* weights are times, otherwise bytes */
    const char *program; /* for the reader: path, or what was run */
    struct fm_draft_part *parts;
    size_t n_parts, parts_capacity;
    const char **libraries; /* paths of the others; the same after following links, if different */
    size_t n_libraries, libraries_capacity;
};

/* From a program, or a script, which has no part. Libraries are found as the dynamic linker does. */
enum fm_status fm_draft_input_program(struct fm_draft_input *input, const char *path,
                                      const struct fm_symbols_options *options, struct fm_arena *arena,
                                      struct fm_error *error);
/* From the calls of a profile that begin with main; `program` is the path of the program. */
enum fm_status fm_draft_input_calls(struct fm_draft_input *input, const char *program, const struct fm_calltree *calls,
                                    struct fm_arena *arena, struct fm_error *error);

/* Returns false if out of memory. */
bool fm_draft_input_add_library(struct fm_draft_input *input, const char *path, struct fm_arena *arena);
/* Returns the new part, NULL if out of memory. */
struct fm_draft_part *fm_draft_input_add_part(struct fm_draft_input *input, const char *file, const char *real,
                                              struct fm_arena *arena);

#endif
