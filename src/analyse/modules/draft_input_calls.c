/* SPDX-License-Identifier: BSD-3-Clause */
/* The input of a draft from call paths. Time in MPI and in libraries of the system counts for the code that called
 * them: a function that only waits for messages is part of the model too. */
#include <string.h>

#include "analyse/modules/draft_input.h"
#include "analyse/modules/library_families.h"
#include "base/basename.h"
#include "base/sort.h"
#include "base/writer.h"

enum { SMALL = 20 }; /* libraries with less than 1 / SMALL of the time have no module of their own */

struct calls_reader {
    struct fm_draft_input *input;
    struct fm_arena *arena;
    struct fm_intern libraries, parts, functions; /* parts, functions: index + 1 */
    bool failed;
};

static bool is_leaf(const struct fm_context *at)
{
    return at->id.kind == FM_CONTEXT_ROUTINE || at->id.kind == FM_CONTEXT_STATEMENT ||
           at->id.kind == FM_CONTEXT_CALL_SITE;
}

static void note_library(struct calls_reader *reader, const char *path)
{
    struct fm_intern_slot *slot = fm_intern_put(&reader->libraries, reader->arena, path, false);
    reader->failed |= !slot || (!slot->number++ && !fm_draft_input_add_library(reader->input, path, reader->arena));
}

static struct fm_draft_part *part_of(struct calls_reader *reader, const char *path)
{
    struct fm_draft_input *input = reader->input;
    struct fm_intern_slot *slot = fm_intern_put(&reader->parts, reader->arena, path, false);
    if (slot && !slot->number && fm_draft_input_add_part(input, fm_basename(path), fm_basename(path), reader->arena))
        slot->number = (uint32_t)input->n_parts;
    reader->failed |= !slot || !slot->number;
    return reader->failed ? NULL : &input->parts[slot->number - 1];
}

static void add_time(struct calls_reader *reader, const struct fm_context_id *id, uint64_t ns)
{
    struct fm_draft_part *part = part_of(reader, id->module);
    const char *key = fm_written(reader->arena, "%s\n%s\n%s", id->module, id->defined, id->name);
    struct fm_intern_slot *slot = key ? fm_intern_put(&reader->functions, reader->arena, key, false) : NULL;
    struct fm_code *grown = part ? fm_arena_grow(reader->arena, part->code, &part->capacity, part->n + 1, sizeof *grown)
                                 : NULL;
    reader->failed |= !slot || !grown;
    if (reader->failed)
        return;
    part->code = grown;
    if (!slot->number) {
        part->code[part->n++] = (struct fm_code){id->name, id->defined, 0};
        slot->number = (uint32_t)part->n;
    }
    part->code[slot->number - 1].weight += ns;
    part->weight += ns;
    part->debug |= id->defined[0] != 0;
}

/* Adds the time of a leaf to the innermost function of the model above it. */
static void add_leaf(struct calls_reader *reader, const struct fm_context *leaf)
{
    for (const struct fm_context *at = leaf->parent; at; at = at->parent) {
        if (at->id.kind != FM_CONTEXT_FRAME || !at->id.module[0])
            continue;
        if (!fm_library_family(at->id.module)) {
            add_time(reader, &at->id, leaf->own.of.sum_ns);
            return;
        }
        note_library(reader, at->id.module);
    }
}

static int heaviest_first(const void *a, const void *b)
{
    const struct fm_draft_part *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : strcmp(x->file, y->file);
}

/* The program stays first; the libraries follow, without those that have hardly any time. */
static void order_parts(struct calls_reader *reader)
{
    struct fm_draft_input *input = reader->input;
    uint64_t total = 0;
    size_t first = fm_library_family(input->program) ? 0 : 1;
    if (input->n_parts <= first)
        return;
    for (size_t i = 0; i < input->n_parts; i++)
        total += input->parts[i].weight;
    reader->failed |= !fm_sort(input->parts + first, input->n_parts - first, sizeof *input->parts, heaviest_first,
                               reader->arena);
    while (input->n_parts > first && input->parts[input->n_parts - 1].weight < total / SMALL)
        input->n_parts--;
}

enum fm_status fm_draft_input_calls(struct fm_draft_input *input, const char *program, const struct fm_calltree *calls,
                                    struct fm_arena *arena, struct fm_error *error)
{
    struct calls_reader reader = {.input = input, .arena = arena};
    *input = (struct fm_draft_input){.timed = true, .program = program};
    if (fm_library_family(program))
        note_library(&reader, program);
    else
        part_of(&reader, program);
    for (struct fm_context *at = calls->root->first; at && !reader.failed; at = fm_context_after(calls->root, at))
        if (is_leaf(at) && at->own.of.sum_ns)
            add_leaf(&reader, at);
    order_parts(&reader);
    return reader.failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for the draft") : FM_OK;
}
