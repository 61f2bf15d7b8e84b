/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the threads of a program start, and which of them belong to MPI. */
#include <string.h>

#include "analyse/calls/calltree.h"
#include "base/basename.h"
#include "base/names.h"
#include "base/saturate.h"
#include "mpi/libraries.h"

/* ---- frames outside main ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool is_unknown(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_FRAME && context->id.name[0] == '[';
}

/* Callers of main, by their names in various versions of the C library. */
static const char *const main_callers[] = {"__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
                                           "generic_start_main", NULL};

/* Most installed C libraries have no names for the functions that call main and start threads. */
static bool in_libc(const struct fm_context *context)
{
    return fm_names_fit("libc.so*\0libc-*\0libpthread*\0", fm_basename(context->id.module));
}

/* Startup code, of no interest to the reader of a report. */
static bool is_startup(const struct fm_context *context)
{
    static const char *const names[] = {"_start", "start_thread", "thread_start", "clone", "clone3", "__clone3", NULL};
    if (context->id.kind != FM_CONTEXT_FRAME)
        return false;
    bool start = is_unknown(context); /* _start of a program without symbols */
    for (const struct fm_context *child = context->first; child; child = child->next)
        start &= is_one_of(child->id.name, main_callers);
    return start || (is_unknown(context) && in_libc(context)) || is_one_of(context->id.name, names) ||
           is_one_of(context->id.name, main_callers);
}

/* Puts the frames that startup code calls beside it. */
static void lift_frames(struct fm_calltree *tree, struct fm_context *startup)
{
    bool calls_main = is_one_of(startup->id.name, main_callers); /* and nothing else */
    struct fm_context **last = &startup->next;
    for (struct fm_context **link = &startup->first; *link;) {
        struct fm_context *child = *link;
        if (child->id.kind != FM_CONTEXT_FRAME) {
            link = &child->next;
            continue;
        }
        if (is_unknown(child) && calls_main)
            child->id.name = fm_calltree_text(tree, in_libc(child) ? "__libc_start_call_main" : "main");
        child->parent = tree->root;
        child->id.path = ""; /* it has no caller any more */
        child->id.line = 0;
        *link = child->next;
        child->next = *last;
        *last = child;
        last = &child->next;
        startup->n_children--;
        tree->root->n_children++;
    }
    startup->all = startup->own;
}

/* What is called from startup code may be startup code, too. Such frames remain only with time of their own, if a sample
 * happened to be taken there. */
void fm_calltree_begin_with_main(struct fm_calltree *tree)
{
    struct fm_context *root = tree->root;
    for (struct fm_context **link = &root->first; *link;) {
        struct fm_context *outside = *link;
        bool startup = outside->first && is_startup(outside);
        if (startup)
            lift_frames(tree, outside);
        if (!startup || outside->first || outside->all.of.sum_ns) {
            link = &outside->next;
            continue;
        }
        *link = outside->next;
        root->n_children--;
    }
}

/* ---- threads of MPI ---- */

uint64_t fm_calltree_without_helpers(struct fm_calltree *calls)
{
    struct fm_context *root = calls->root;
    uint64_t ns = 0;
    for (struct fm_context **link = &root->first; *link;) {
        struct fm_context *context = *link;
        if (context->id.kind != FM_CONTEXT_FRAME || !fm_names_fit(fm_mpi_stack, fm_basename(context->id.module))) {
            link = &context->next;
            continue;
        }
        ns = fm_sum(ns, context->all.of.sum_ns);
        *link = context->next;
        root->n_children--;
    }
    ns = ns < root->all.of.sum_ns ? ns : root->all.of.sum_ns;
    root->all.of.sum_ns -= ns;
    return ns;
}
