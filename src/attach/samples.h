/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a job taken from outside: one calling context tree for all its processes, and for every sample the
 * moment, the process and the node. A profile can be made of any range of moments, so that ranges can be compared.
 *
 * fm_attach_samples_close frees the memory. */
#ifndef FM_ATTACH_SAMPLES_H
#define FM_ATTACH_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/targets.h"
#include "base/intern.h"
#include "model/profile.h"

/* A place in a process, as stored in a node of the tree. */
struct fm_code_place {
    uint32_t module;  /* index + 1; 0: unknown */
    uint32_t routine; /* index + 1 of the MPI routine that contains the address; 0: none */
    uint64_t offset;
    bool outermost; /* libc starts a program or a thread here: no user code is above */
    bool own;       /* in the program itself, not in a library */
};

struct fm_attach_samples_node {
    uint32_t parent, kind;
    struct fm_code_place place;
};

struct fm_attach_sample {
    uint32_t moment, process, node; /* moment: number of the period; process: index of the target */
    bool first;                     /* of the main thread of its process */
    uint64_t real_ns;               /* increasing with every sample */
};

struct fm_attach_samples {
    struct fm_arena arena;
    const struct fm_targets *targets;
    uint64_t period_ns, started_real_ns, started_mono_ns;
    uint32_t moments; /* completed periods */
    struct fm_attach_sample *log;
    size_t n, log_capacity;
    struct fm_attach_samples_node *nodes; /* root first, parents before their children */
    size_t n_nodes, nodes_capacity;
    uint32_t *slots; /* hash table of node indices */
    size_t slots_capacity;
    struct fm_attach_samples_module {
        const char *path, *build_id;
    } * modules;
    size_t n_modules, modules_capacity;
    struct fm_intern module_numbers;
    uint64_t partial, lost;
};

bool fm_attach_samples_open(struct fm_attach_samples *samples, const struct fm_targets *targets, uint64_t period_ns);
void fm_attach_samples_close(struct fm_attach_samples *samples);

/* The number of a load module, which is added if it is new. */
uint32_t fm_attach_samples_module(struct fm_attach_samples *samples, const char *path, const char *build_id);
/* The child of a node, created if missing; 0 if out of memory. */
uint32_t fm_attach_samples_below(struct fm_attach_samples *samples, uint32_t parent, uint32_t kind,
                                 const struct fm_code_place *place);
/* The node for a thread that is running and about which nothing else is known. */
uint32_t fm_attach_samples_unseen(struct fm_attach_samples *samples);
/* Samples must arrive in the order of periods, or nearly. */
bool fm_attach_samples_add(struct fm_attach_samples *samples, const struct fm_attach_sample *sample, bool complete);

/* The profile of the periods from..to - 1. Returns NULL if out of memory. */
struct fm_profile *fm_attach_samples_profile(const struct fm_attach_samples *samples, uint32_t from, uint32_t to);

#endif
