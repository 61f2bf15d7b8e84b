/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_names.h"

#include <string.h>

#include "base/basename.h"

/* The meaning of a string. */
enum role { NAME, MODULE, PATH };

/* Strings that cannot be the name of a function, load module or file. */
static const char program[] = "\1program", unknown_in_program[] = "\1[program]";

static struct fm_number_slot *probe(const struct fm_numbers *numbers, uint64_t key)
{
    size_t at = (key * 0x9e3779b97f4a7c15u >> 24) & (numbers->capacity - 1);
    while (numbers->slots[at].number && numbers->slots[at].key != key)
        at = (at + 1) & (numbers->capacity - 1);
    return &numbers->slots[at];
}

static bool enlarge(struct fm_numbers *numbers, struct fm_arena *arena)
{
    struct fm_numbers larger = {.n = numbers->n, .capacity = numbers->capacity ? numbers->capacity * 4 : 256};
    larger.slots = fm_arena_alloc(arena, larger.capacity * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < numbers->capacity; i++)
        if (numbers->slots[i].number)
            *probe(&larger, numbers->slots[i].key) = numbers->slots[i];
    *numbers = larger;
    return true;
}

/* The slot of a key; its number is 0 if it is new. */
static struct fm_number_slot *slot_of(struct fm_scale_names *names, struct fm_numbers *numbers, uint64_t key)
{
    if (numbers->n * 2 >= numbers->capacity && !enlarge(numbers, names->arena)) {
        names->failed = true;
        return NULL;
    }
    struct fm_number_slot *slot = probe(numbers, key);
    if (!slot->number) {
        slot->key = key;
        numbers->n++;
    }
    return slot;
}

static bool is_program(const struct fm_scale_run *run, const char *module)
{
    return run->program && run->program[0] && strcmp(run->program, module) == 0;
}

bool fm_scale_in_program(const struct fm_scale_run *run, const struct fm_context *context)
{
    return is_program(run, context->id.module);
}

/* Whether a name is the common one of all unknown functions of the program: "[pop]". */
static bool is_unknown(const struct fm_scale_run *run, const char *name)
{
    if (name[0] != '[' || !run->program || !run->program[0])
        return false;
    const char *last = fm_basename(run->program);
    size_t length = strlen(last);
    return strncmp(name + 1, last, length) == 0 && strcmp(name + 1 + length, "]") == 0;
}

static const char *meaning(const struct fm_scale_run *run, const char *text, enum role role)
{
    if (role == MODULE && is_program(run, text))
        return program;
    if (role == NAME)
        return is_unknown(run, text) ? unknown_in_program : text;
    return fm_basename(text);
}

static uint32_t number_of(struct fm_scale_names *names, const char *text, enum role role, unsigned run)
{
    struct fm_number_slot *slot = slot_of(names, &names->known, (uint64_t)(uintptr_t)text << 7 | run << 2 | role);
    if (!slot || slot->number)
        return slot ? slot->number : 0;
    struct fm_intern_slot *kept = fm_intern_put(&names->texts, names->arena, meaning(&names->runs[run], text, role),
                                                false);
    if (!kept) {
        names->failed = true;
        return 0;
    }
    if (!kept->number)
        kept->number = (uint32_t)names->texts.n;
    return slot->number = kept->number;
}

uint32_t fm_scale_name_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run)
{
    enum role role = context->id.kind == FM_CONTEXT_MODULE ? MODULE : context->id.kind == FM_CONTEXT_FILE ? PATH : NAME;
    return number_of(names, context->id.name, role, run);
}

uint32_t fm_scale_module_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run)
{
    return number_of(names, context->id.module, MODULE, run);
}

uint32_t fm_scale_path_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run)
{
    return number_of(names, context->id.path, PATH, run);
}

uint32_t fm_scale_function_of(struct fm_scale_names *names, enum fm_context_kind kind, uint32_t name, uint32_t module)
{
    if (kind != FM_CONTEXT_FRAME && kind != FM_CONTEXT_ROUTINE)
        return 0;
    uint64_t key = (uint64_t)name << 32 | module << 1 | (kind == FM_CONTEXT_ROUTINE);
    struct fm_number_slot *slot = slot_of(names, &names->functions, key);
    if (slot && !slot->number)
        slot->number = (uint32_t)names->functions.n;
    return slot ? slot->number : 0;
}
