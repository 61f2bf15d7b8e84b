/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as people read them: a tree of contexts with names, made from the addresses of a profile.
 *
 * As HPCToolkit has it, a node is a frame (which function runs), a call site (the line that calls) or a statement (the
 * line where the time is):
 *
 *   frame main                            a frame says which function; its line is where its parent calls it
 *     frame solve       main.c:12
 *       statement       solve.c:30        a leaf: the time spent in this line itself
 *       routine MPI_Recv  solve.c:31      a leaf: the time in an MPI routine is waiting that this context causes
 *       call site       solve.c:40        a leaf: time below this call whose frames were not kept
 *
 * A function that was inlined is a frame of its own. Addresses with the same function and line are one context, so
 * every figure here is a sum over nodes of the profile. Frames of which no name is known share one name per load
 * module, "[libucp.so.0]".
 *
 * Two more trees are made from it. Flat: load module, file, function, line. Callers: each function, below it the lines
 * that call it, below these the lines that call that function, and so on.
 *
 * The three agree exactly. Exclusive: every ns belongs to one leaf; a frame's own are those of the leaves right below
 * it, a function's in the other trees those of all its frames. Inclusive: the time with the function on the stack,
 * counted once however often it is there: the sum of its frames that do not lie below another one of it. The same
 * holds for a file, a load module, a line, and for a chain of callers.
 *
 * Memory is the arena's; the profile and the symbols must outlive the tree. Running out of memory shows in the status
 * of the functions that return one. */
#ifndef FM_ANALYSE_CALLS_CALLTREE_H
#define FM_ANALYSE_CALLS_CALLTREE_H

#include "analyse/calls/context_cost.h"
#include "base/intern.h"
#include "model/profile.h"
#include "symbols/symbols.h"

enum fm_context_kind {
    FM_CONTEXT_ROOT,
    FM_CONTEXT_GAP, /* here stacks begin whose outer frames are not known */
    FM_CONTEXT_FRAME,
    FM_CONTEXT_ROUTINE,
    FM_CONTEXT_CALL_SITE,
    FM_CONTEXT_STATEMENT,
    FM_CONTEXT_MODULE, /* flat */
    FM_CONTEXT_FILE,   /* flat */
    FM_CONTEXT_KINDS
};

/* What tells siblings apart. Equal texts are equal pointers. */
struct fm_context_id {
    enum fm_context_kind kind;
    const char *name;    /* function, routine, load module or file; of a line the function it lies in */
    const char *module;  /* path of the load module; "" when unknown, and of routines */
    const char *path;    /* source file of `line`; "" when unknown */
    const char *defined; /* source file that the function begins in; "" when unknown */
    uint32_t line;       /* of a frame or routine: where it is called in its parent; of a line: itself; 0: unknown */
    bool inlined;
};

struct fm_context {
    struct fm_context_id id;
    uint32_t defined_line;
    struct fm_context *parent, *first, *next;
    size_t n_children;
    struct fm_context_cost own, all;
    /* for those who make trees */
    struct fm_context *twin; /* its copy in the tree that was made from it last */
    uint32_t active;         /* how often it is on the stack just now */
    uint32_t mark;
};

struct fm_calltree {
    struct fm_context *root;
    uint32_t ranks;
    const struct fm_program *programs; /* of the job, if it has several; only in the tree of a profile */
    size_t n_programs;
    size_t n;                     /* nodes, without the root */
    struct fm_context **of_nodes; /* by node of the profile: the context with its own cost, else its innermost frame */
    /* within */
    struct fm_arena *arena;
    struct fm_intern texts;
    struct fm_context **slots;
    size_t capacity;
    bool failed;
};

/* The tree of a profile; resolves names. symbols may be NULL. Children are in no order. */
enum fm_status fm_calltree_make(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                                struct fm_calltree *calls, struct fm_error *error);
/* All frames of a function, with what is below them, as one; functions are meant by their full names or by what
 * follows the last "::". Its root has the costs of them all and no child if there is no such function. */
enum fm_status fm_calltree_focus(const struct fm_calltree *calls, const char *function, struct fm_arena *arena,
                                 struct fm_calltree *focused, struct fm_error *error);
/* The same without lines: every leaf is given to its frame. */
enum fm_status fm_calltree_functions(const struct fm_calltree *calls, struct fm_arena *arena,
                                     struct fm_calltree *functions, struct fm_error *error);
enum fm_status fm_calltree_flat(const struct fm_calltree *calls, struct fm_arena *arena, struct fm_calltree *flat,
                                struct fm_error *error);
/* At most `depth` callers above each other. */
enum fm_status fm_calltree_callers(const struct fm_calltree *calls, size_t depth, struct fm_arena *arena,
                                   struct fm_calltree *callers, struct fm_error *error);

/* Without the frames of the C library around main and around the functions that threads begin with. */
void fm_calltree_begin_with_main(struct fm_calltree *calls);
/* Without threads that begin in a library of MPI: they sleep as a rule, in every process, which is nobody's loss. For a
 * tree that begins with main; returns their time. */
uint64_t fm_calltree_without_helpers(struct fm_calltree *calls);
/* Recursion as often as it differs: where a path goes through the same functions twice in succession, f g f g, it goes
 * through them once. Exclusive costs are sums; inclusive ones the time with the context on the stack, counted once. */
enum fm_status fm_calltree_fold_cycles(const struct fm_calltree *calls, struct fm_arena *arena,
                                       struct fm_calltree *folded, struct fm_error *error);
/* Without what MPI does inside: a routine is a leaf; below the function at which a library of MPI is entered only the
 * routines that it leads to are left, and a call site with all the rest, whatever libraries that is in. */
enum fm_status fm_calltree_fold_mpi(const struct fm_calltree *calls, struct fm_arena *arena, struct fm_calltree *folded,
                                    struct fm_error *error);

enum fm_context_metric { FM_BY_INCLUSIVE, FM_BY_EXCLUSIVE, FM_BY_MAX, FM_BY_IMBALANCE, FM_BY_NAME };
/* Sorts all children: most first; of equal ones by name and line. */
enum fm_status fm_calltree_sort(struct fm_calltree *tree, enum fm_context_metric metric, struct fm_error *error);

int fm_context_order(const struct fm_context *a, const struct fm_context *b); /* by name and line, for a sort */
bool fm_context_is(const struct fm_context *context, const char *function);   /* as fm_calltree_focus means it */
bool fm_context_in_mpi(const struct fm_context *context); /* a routine, or in a library that is called as MPI's are */
/* How many ranks can be there: all, or in a job of several programs those of the one that it is in. */
uint32_t fm_context_ranks(const struct fm_calltree *calls, const struct fm_context *context);
/* Inclusive, over ranks: most - mean. */
double fm_context_imbalance(const struct fm_context *context, uint32_t ranks);
/* The child that has at least half of what a context has in all, or NULL: so the hot path goes. */
const struct fm_context *fm_context_hot(const struct fm_context *context);
/* What comes after `at` in a walk over all that is below `top`, parents first; NULL at the end. */
struct fm_context *fm_context_after(const struct fm_context *top, const struct fm_context *at);

/* ---- for those who make trees ---- */

bool fm_calltree_start(struct fm_calltree *tree, struct fm_arena *arena, uint32_t ranks);
const char *fm_calltree_text(struct fm_calltree *tree, const char *text); /* the one pointer for an equal text */
/* The child with this id, made if it is not there. Without memory a place that is lost, and tree->failed. */
struct fm_context *fm_context_below(struct fm_calltree *tree, struct fm_context *parent,
                                    const struct fm_context_id *id);
/* After the last context: tidies estimates up. */
enum fm_status fm_calltree_end(struct fm_calltree *tree, struct fm_error *error);

#endif
