/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of contexts in columns, the form in which web pages get it: a list per figure instead of an object per context,
 * and each string once. Contexts are numbered in depth-first order of the sorted tree, the root is 0, so that the first
 * child of a context is the number after its own and the next sibling the one after its descendants.
 *
 * It is a copy: the tree that it was made from is no longer needed. Memory comes from the arena. Not thread-safe. */
#ifndef FM_PAGES_COLUMNS_H
#define FM_PAGES_COLUMNS_H

#include "analyse/calls/calltree.h"
#include "render/json.h"

/* Bits of the column `flags`. */
enum {
    FM_FLAG_APPROXIMATE_LINE = 1,
    FM_FLAG_INLINED = 2,
    FM_FLAG_PARALLEL_BODY = 4,
    FM_FLAG_INFERRED = 8,
    FM_FLAG_CALLERS_MISSING = 16,
    FM_FLAG_ESTIMATED = 32, /* the figures over ranks */
    FM_FLAG_BY_NAME = 64,   /* in a comparison of runs: matched by name, lines or load modules differ */
};

enum { FM_NO_STRING = -1 };

struct fm_column_node {
    uint32_t parent; /* of the root: 0 */
    uint32_t children, descendants;
    int32_t name, file, path, module, defined; /* numbers of strings, or FM_NO_STRING */
    uint32_t line;                             /* 0 if unknown */
    uint8_t kind, flags;
    uint64_t all_ns, own_ns;
    int64_t min_ns, max_ns;     /* inclusive, over ranks; -1: unknown */
    int64_t min_rank, max_rank; /* -1: unknown */
    uint64_t mean_ns, deviation_ns;
};

struct fm_columns {
    struct fm_column_node *nodes;
    size_t n;
    const char **strings;
    size_t n_strings;
    /* internal */
    struct fm_arena *arena;
    struct fm_intern texts;
    size_t strings_capacity;
    int32_t *in_slice; /* by string: its number in the slice that is being written, or FM_NO_STRING */
    bool *opened;      /* by node: its children are in the slice that is being selected */
    bool failed;
};

/* Room for n nodes. Returns false if out of memory. */
bool fm_columns_start(struct fm_columns *columns, struct fm_arena *arena, size_t n);
/* Names and places of a context. of_callers: in a tree of callers, call sites are functions, too. */
void fm_columns_name(struct fm_columns *columns, struct fm_column_node *node, const struct fm_context *context,
                     bool of_callers);
/* Counts children and descendants, after the last node. */
enum fm_status fm_columns_end(struct fm_columns *columns, struct fm_error *error);

/* The number of a string; FM_NO_STRING if no node has it. */
int32_t fm_columns_string(const struct fm_columns *columns, const char *text);

/* Nodes of one slice, in breadth-first order: `below` itself, and what is below it. Children of a node are complete and
 * in succession. */
struct fm_column_slice {
    uint32_t *nodes;
    bool *cut; /* by place in `nodes`: it has children, which are not in the slice */
    size_t n;
};

/* Selects at most `limit` nodes (0: all), more only to complete the children of one node: the heaviest node is opened
 * next, so that the slice has the hot path and what a flame graph can show. The children of `below` are always in it.
 * Memory comes from `scratch`. Returns false if out of memory. */
bool fm_columns_select(struct fm_columns *columns, uint32_t below, size_t limit, struct fm_arena *scratch,
                       struct fm_column_slice *slice);

/* Selects `n` nodes from `first` on in depth-first order, and before them the ancestors of the first one. Returns false
 * if out of memory. */
bool fm_columns_range(const struct fm_columns *columns, uint32_t first, size_t n, struct fm_arena *scratch,
                      struct fm_column_slice *slice);

/* Selects the nodes whose function or file contains the text, in any case of its letters (of A to Z), or which are in
 * the line that it names as "FILE:LINE"; with their ancestors, in depth-first order. If these are more than `limit`
 * nodes (0: any number), the heaviest hits are selected. The root is no hit. Returns false if out of memory. */
struct fm_column_hits {
    struct fm_column_slice slice;
    bool *is_hit; /* by place in the slice */
    size_t n;     /* hits in the whole tree */
};
bool fm_columns_find(const struct fm_columns *columns, const char *text, size_t limit, struct fm_arena *scratch,
                     struct fm_column_hits *hits);

/* Writes "kinds", "strings" and the columns that all trees have, from "id" to "exclusive_ns", into the current object.
 * Returns false if out of memory. */
bool fm_columns_write(struct fm_columns *columns, const struct fm_column_slice *slice, struct fm_json *json);
/* Writes those of ranks, from "min_ns" to "deviation_ns". */
void fm_columns_write_ranks(const struct fm_columns *columns, const struct fm_column_slice *slice,
                            struct fm_json *json);

#endif
