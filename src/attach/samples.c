/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/samples.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

bool fm_attach_samples_open(struct fm_attach_samples *samples, const struct fm_targets *targets, uint64_t period_ns)
{
    *samples = (struct fm_attach_samples){.targets = targets,
                                          .period_ns = period_ns,
                                          .started_real_ns = fm_clock_ns(CLOCK_REALTIME),
                                          .started_mono_ns = fm_clock_ns(CLOCK_MONOTONIC)};
    samples->nodes = fm_arena_grow(&samples->arena, NULL, &samples->nodes_capacity, 1024, sizeof *samples->nodes);
    if (!samples->nodes)
        return false;
    samples->nodes[samples->n_nodes++] = (struct fm_attach_samples_node){.kind = FM_PATH_ROOT};
    return true;
}

void fm_attach_samples_close(struct fm_attach_samples *samples)
{
    fm_arena_destroy(&samples->arena);
    *samples = (struct fm_attach_samples){0};
}

uint32_t fm_attach_samples_module(struct fm_attach_samples *samples, const char *path, const char *build_id)
{
    char key[4096 + 130];
    snprintf(key, sizeof key, "%.128s:%.4095s", build_id, path);
    struct fm_intern_slot *slot = fm_intern_put(&samples->module_numbers, &samples->arena, key, true);
    if (!slot || slot->number)
        return slot ? slot->number : 0;
    struct fm_attach_samples_module *modules = fm_arena_grow(
        &samples->arena, samples->modules, &samples->modules_capacity, samples->n_modules + 1, sizeof *modules);
    const char *colon = strchr(slot->text, ':');
    char *id = fm_arena_strndup(&samples->arena, slot->text, (size_t)(colon - slot->text));
    if (!modules || !id)
        return 0;
    samples->modules = modules;
    modules[samples->n_modules++] = (struct fm_attach_samples_module){colon + 1, id};
    return slot->number = (uint32_t)samples->n_modules;
}

/* ---- calling context tree ---- */

static bool same(const struct fm_attach_samples_node *a, const struct fm_attach_samples_node *b)
{
    return a->parent == b->parent && a->kind == b->kind && a->place.module == b->place.module &&
           a->place.routine == b->place.routine && a->place.offset == b->place.offset;
}

static size_t hash(const struct fm_attach_samples_node *node)
{
    uint64_t h = ((uint64_t)node->parent << 32 | node->place.module) * 0x9e3779b97f4a7c15u;
    h ^= (node->place.offset + ((uint64_t)node->place.routine << 40) + node->kind) * 0xc2b2ae3d27d4eb4fu;
    return (size_t)(h ^ h >> 29);
}

static uint32_t *slot_of(const struct fm_attach_samples *samples, const struct fm_attach_samples_node *node)
{
    size_t at = hash(node) & (samples->slots_capacity - 1);
    while (samples->slots[at] && !same(&samples->nodes[samples->slots[at]], node))
        at = (at + 1) & (samples->slots_capacity - 1);
    return &samples->slots[at];
}

static bool make_room(struct fm_attach_samples *samples)
{
    if (2 * (samples->n_nodes + 1) > samples->slots_capacity) {
        size_t capacity = samples->slots_capacity ? 4 * samples->slots_capacity : 4096;
        uint32_t *slots = fm_arena_alloc(&samples->arena, capacity * sizeof *slots);
        if (!slots)
            return false;
        samples->slots = slots;
        samples->slots_capacity = capacity;
        for (uint32_t i = 1; i < samples->n_nodes; i++)
            *slot_of(samples, &samples->nodes[i]) = i;
    }
    struct fm_attach_samples_node *nodes = fm_arena_grow(&samples->arena, samples->nodes, &samples->nodes_capacity,
                                                         samples->n_nodes + 1, sizeof *nodes);
    if (nodes)
        samples->nodes = nodes;
    return nodes;
}

uint32_t fm_attach_samples_below(struct fm_attach_samples *samples, uint32_t parent, uint32_t kind,
                                 const struct fm_code_place *place)
{
    struct fm_attach_samples_node node = {.parent = parent, .kind = kind};
    if (kind == FM_PATH_ROUTINE)
        node.place.routine = place->routine;
    else if (place)
        node.place = (struct fm_code_place){.module = place->module, .offset = place->offset};
    if (!make_room(samples))
        return 0;
    uint32_t *slot = slot_of(samples, &node);
    if (!*slot) {
        *slot = (uint32_t)samples->n_nodes;
        samples->nodes[samples->n_nodes++] = node;
    }
    return *slot;
}

uint32_t fm_attach_samples_unseen(struct fm_attach_samples *samples)
{
    uint32_t gap = fm_attach_samples_below(samples, 0, FM_PATH_GAP, NULL);
    return gap ? fm_attach_samples_below(samples, gap, FM_PATH_LEAF, NULL) : 0;
}

bool fm_attach_samples_add(struct fm_attach_samples *samples, const struct fm_attach_sample *sample, bool complete)
{
    struct fm_attach_sample *log = fm_arena_grow(&samples->arena, samples->log, &samples->log_capacity, samples->n + 1,
                                                 sizeof *log);
    if (!log)
        return false;
    samples->log = log;
    size_t at = samples->n++;
    for (; at && log[at - 1].moment > sample->moment; at--)
        log[at] = log[at - 1];
    log[at] = *sample;
    samples->partial += !complete;
    return true;
}
