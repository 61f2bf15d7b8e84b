/* SPDX-License-Identifier: BSD-3-Clause */
#include "large_paths.h"

#include "merge/synthetic.h"

enum { FUNCTIONS = LARGE_PATHS_FUNCTIONS, FAN = 6 };

struct planned {
    uint32_t parent;
    uint64_t function;
    size_t nodes; /* with its descendants */
};

/* Depth first. A third of what is below a node is below its first child, so that some paths are long. */
void large_paths_make(struct fm_call_paths *paths, size_t nodes, const char *module, uint64_t start, uint64_t stride,
                      struct fm_arena *arena)
{
    uint64_t state = 1;
    struct planned *stack = fm_arena_alloc(arena, (nodes + FAN) * sizeof *stack);
    size_t n = 0;
    paths->nodes = fm_arena_alloc(arena, nodes * sizeof *paths->nodes);
    stack[n++] = (struct planned){0, 0, nodes};
    while (n) {
        struct planned at = stack[--n];
        uint32_t id = (uint32_t)paths->n++;
        size_t rest = at.nodes - 1;
        uint32_t kind = !id ? FM_PATH_ROOT : rest ? FM_PATH_CALL : FM_PATH_LEAF;
        paths->nodes[id] = (struct fm_path_node){
            .parent = at.parent,
            .kind = kind,
            .site = {id ? module : "", "", id ? start + at.function * stride : 0},
            .routine = "",
            .own = fm_path_cost_of(kind == FM_PATH_LEAF ? 1000000 + fm_random(&state, 1000000) : 0, 0),
        };
        uint64_t function = fm_random(&state, FUNCTIONS / FAN);
        size_t shares[FAN], children = 0;
        for (; children < FAN && rest; children++) {
            shares[children] = children == FAN - 1 ? rest : rest / 3 + 1;
            rest -= shares[children];
        }
        for (size_t i = children; i-- > 0;) /* in the order of a tree: calls, then leaves, by address */
            stack[n++] = (struct planned){id, function + i * (FUNCTIONS / FAN), shares[i]};
    }
    fm_call_paths_inclusive(paths, 0);
    paths->samples = nodes;
    paths->period_ns[0] = paths->period_ns[1] = 1000000;
}
