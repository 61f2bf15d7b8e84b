/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths in readable form: a tree of contexts with names, made from the addresses of a profile.
 *
 * As in HPCToolkit, a node is a frame (the function that runs), a call site (the line that calls) or a statement (the
 * line in which the time is spent):
 *
 *   frame main                            a frame names the function; its line is where its parent calls it
 *     frame solve       main.c:12
 *       statement       solve.c:30        a leaf: the time spent in this line itself
 *       routine MPI_Recv  solve.c:31      a leaf: the time in an MPI routine called by this context
 *       call site       solve.c:40        a leaf: time below this call whose frames were not kept
 *
 * An inlined function is a frame of its own. So is a function that left the stack by a tail call, if debug information
 * tells which one it was; it is marked as inferred. Addresses with the same function and line are one context, so every
 * figure here is a sum over nodes of the profile. Frames without symbols share one name per load module, "[libucp.so.0]".
 *
 * Two more trees are made from it. Flat: load module, file, function, line. Callers: each function, below it the lines
 * that call it, below these the lines that call that function, and so on.
 *
 * The three agree exactly. Exclusive: every ns belongs to one leaf; the exclusive cost of a frame is that of the leaves
 * directly below it, and that of a function in the other trees is the sum over all its frames. Inclusive: the time with
 * the function on the stack, counted once even if it is there several times: the sum over its frames that are not below
 * another frame of the same function. The same holds for files, load modules, lines and chains of callers.
 *
 * Memory comes from the arena; the profile and the symbols must outlive the tree. Functions that return a status report
 * if memory ran out. */
#ifndef FM_ANALYSE_CALLS_CALLTREE_H
#define FM_ANALYSE_CALLS_CALLTREE_H

#include "analyse/calls/context_cost.h"
#include "base/intern.h"
#include "model/profile.h"
#include "symbols/symbols.h"

enum fm_context_kind {
    FM_CONTEXT_ROOT,
    FM_CONTEXT_GAP, /* parent of stacks whose outer frames are unknown */
    FM_CONTEXT_FRAME,
    FM_CONTEXT_ROUTINE,
    FM_CONTEXT_CALL_SITE,
    FM_CONTEXT_STATEMENT,
    FM_CONTEXT_MODULE, /* in the flat tree */
    FM_CONTEXT_FILE,   /* in the flat tree */
    FM_CONTEXT_KINDS
};

/* The identity of a context among its siblings. Equal strings are equal pointers. */
struct fm_context_id {
    enum fm_context_kind kind;
    const char *name;    /* function, routine, load module or file; of a line: the function that contains it */
    const char *module;  /* path of the load module; "" if unknown, and for routines */
    const char *path;    /* source file of `line`; "" if unknown */
    const char *defined; /* source file in which the function is defined; "" if unknown */
    const char *body;    /* frame of the body of an OpenMP region in the function: its symbol; else NULL */
    uint32_t line;       /* frame or routine: where its parent calls it; line: itself; 0 if unknown */
    bool inlined;
};

/* A line from which a context is called. */
struct fm_call_line {
    const char *path; /* "" if unknown */
    uint32_t line;    /* 0 if unknown */
    bool approximate, inlined;
    uint64_t sum_ns; /* inclusive */
    struct fm_call_line *next;
};

struct fm_context {
    struct fm_context_id id;
    struct fm_context_facts {
        uint32_t defined_line;
        bool approximate;     /* the line, at least in part of the samples */
        bool inferred;        /* at least in part: the frame was replaced by a tail call */
        bool callers_missing; /* at least in part: frames between it and its parent were replaced by tail calls */
    } facts;
    struct fm_call_line
        *lines; /* if it combines calls from several lines: these, by file and line, unknown last; or NULL */
    struct fm_context *parent, *first, *next;
    size_t n_children;
    struct fm_context_cost own, all;
    /* scratch for functions that make trees */
    struct fm_context *twin; /* its copy in the tree that was last made from it */
    uint32_t active;         /* number of its occurrences on the current stack */
    uint32_t mark;
};

struct fm_calltree {
    struct fm_context *root;
    uint32_t ranks;
    bool of_callers;                   /* made by fm_calltree_callers: what is below a function calls it */
    const struct fm_program *programs; /* of the job, if it has several; set only by fm_calltree_make */
    size_t n_programs;
    size_t n;                     /* nodes, without the root */
    struct fm_context **of_nodes; /* by profile node: the context with its exclusive cost, or its innermost frame */
    size_t n_of_nodes;
    /* internal */
    struct fm_arena *arena;
    struct fm_intern texts;
    struct fm_context **slots;
    size_t capacity;
    bool failed;
};

/* Makes the tree of a profile and symbolizes it. symbols may be NULL. Children are unsorted. */
enum fm_status fm_calltree_make(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                                struct fm_calltree *calls, struct fm_error *error);
/* All frames of a function, with what is below them, merged into one. A function matches by its full name or by the
 * part after the last "::". The root has the cost of all of them, and no children if no function matches. */
enum fm_status fm_calltree_focus(const struct fm_calltree *calls, const char *function, struct fm_arena *arena,
                                 struct fm_calltree *focused, struct fm_error *error);
/* The same tree without lines: leaves are merged into their frames. */
enum fm_status fm_calltree_functions(const struct fm_calltree *calls, struct fm_arena *arena,
                                     struct fm_calltree *functions, struct fm_error *error);
enum fm_status fm_calltree_flat(const struct fm_calltree *calls, struct fm_arena *arena, struct fm_calltree *flat,
                                struct fm_error *error);
/* At most `depth` levels of callers. */
enum fm_status fm_calltree_callers(const struct fm_calltree *calls, size_t depth, struct fm_arena *arena,
                                   struct fm_calltree *callers, struct fm_error *error);

/* Removes the frames of the C library around main and around the start functions of threads. */
void fm_calltree_begin_with_main(struct fm_calltree *calls);
/* Removes threads that start in a library of MPI: they normally sleep, in every process, which is not lost time. For a
 * tree that begins with main. Returns their time. */
uint64_t fm_calltree_without_helpers(struct fm_calltree *calls);
/* Removes repeated recursion: where a path goes through the same functions twice in succession, f g f g, the repetition
 * is folded into the first. Exclusive costs are sums; inclusive ones are the time with the context on the stack,
 * counted once. */
enum fm_status fm_calltree_fold_cycles(const struct fm_calltree *calls, struct fm_arena *arena,
                                       struct fm_calltree *folded, struct fm_error *error);
/* Hides the inside of MPI. A routine becomes a leaf. Below the function through which a library of MPI is entered, only
 * the routines that it leads to remain, and one call site with all the rest, whatever libraries that is in. */
enum fm_status fm_calltree_fold_mpi(const struct fm_calltree *calls, struct fm_arena *arena, struct fm_calltree *folded,
                                    struct fm_error *error);

/* Combines siblings that are the same function, called from different lines of their parent, with everything below
 * them. Such a context has a list of lines instead of a line of its own. */
enum fm_status fm_calltree_fold_lines(const struct fm_calltree *calls, struct fm_arena *arena,
                                      struct fm_calltree *folded, struct fm_error *error);

enum fm_context_metric { FM_BY_INCLUSIVE, FM_BY_EXCLUSIVE, FM_BY_MAX, FM_BY_IMBALANCE, FM_BY_NAME };
/* Sorts all children: largest first; equal ones by name and line. */
enum fm_status fm_calltree_sort(struct fm_calltree *tree, enum fm_context_metric metric, struct fm_error *error);

int fm_context_order(const struct fm_context *a, const struct fm_context *b); /* by name and line, for sorting */
bool fm_context_is(const struct fm_context *context, const char *function);   /* matches as in fm_calltree_focus */
bool fm_context_same_function(const struct fm_context *a, const struct fm_context *b); /* of one tree */
bool fm_context_in_mpi(const struct fm_context *context);     /* a routine, or in a library named like those of MPI */
bool fm_context_starts_mpi(const struct fm_context *context); /* a routine that starts or ends MPI */
/* The number of ranks that can reach a context: all, or in a job of several programs those of its program. */
uint32_t fm_context_ranks(const struct fm_calltree *calls, const struct fm_context *context);
/* Inclusive, over ranks: maximum - mean. */
double fm_context_imbalance(const struct fm_context *context, uint32_t ranks);
/* The child with at least half of the inclusive cost of a context, or NULL: the next step of the hot path. */
const struct fm_context *fm_context_hot(const struct fm_context *context);
/* The node after `at` in a preorder walk over everything below `top`; NULL at the end. */
struct fm_context *fm_context_after(const struct fm_context *top, const struct fm_context *at);

/* ---- for functions that make trees ---- */

bool fm_calltree_start(struct fm_calltree *tree, struct fm_arena *arena, uint32_t ranks);
const char *fm_calltree_text(struct fm_calltree *tree, const char *text); /* interned */
/* The child with this id; created if it does not exist. If out of memory, returns the root and sets tree->failed. */
struct fm_context *fm_context_below(struct fm_calltree *tree, struct fm_context *parent,
                                    const struct fm_context_id *id);
/* Adds what is known about another occurrence of the same function. */
void fm_context_learn(struct fm_context *context, const struct fm_context_facts *facts);
/* Completes the tree after the last context was added: limits estimates to plausible values. */
enum fm_status fm_calltree_end(struct fm_calltree *tree, struct fm_error *error);

#endif
