/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices that are not simply a part of the document. Each function gets what follows the first word of the name,
 * without the slash: "" for "topology", "0/3/4" for "topology/0/3/4"; it returns FM_ERR_USAGE if there is no such slice.
 * The functions that visit do so with the full names. */
#ifndef FM_PAGES_SLICE_KINDS_H
#define FM_PAGES_SLICE_KINDS_H

#include "pages/columns.h"
#include "pages/slices.h"
#include "report/report_calls.h"

enum { FM_FIND_BYTES = 100 }; /* of a text that is searched in a tree */

typedef enum fm_status (*fm_slice_visit)(void *context, const char *name, struct fm_error *error);

enum fm_status fm_slice_ranks(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error);
enum fm_status fm_slice_topology(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error);
enum fm_status fm_slice_tree(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error);
enum fm_status fm_slice_sources(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error);

enum fm_status fm_slice_topology_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                       struct fm_error *error);
enum fm_status fm_slice_tree_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                   struct fm_error *error);
enum fm_status fm_slice_sources_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                      struct fm_error *error);

/* A tree of call paths, made when first asked for. The profile must have samples. */
enum fm_status fm_slice_columns(struct fm_slices *slices, enum fm_calltree_kind which, struct fm_columns **columns,
                                struct fm_error *error);
/* Reads the numbers of a name, "0/3/4": decimal, without leading zeros, so that a slice has one name only. */
bool fm_slice_numbers(const char *text, uint32_t *numbers, size_t n);
enum fm_status fm_no_slice(struct fm_error *error); /* FM_ERR_USAGE */

#endif
