/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of call paths, those of the JSON document without its limit of depth. A tree is made in memory of its own,
 * which takes several times as much as its columns; only these are kept. */
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "pages/slice_kinds.h"
#include "report/json_parts.h"
#include "report/programs.h"
#include "report/report_json.h"

enum { TREES = 3 };

static const struct tree_kind {
    const char *name;
    enum fm_calltree_kind which;
} tree_kinds[TREES] = {
    {"calls", FM_CALLTREE_CALLS},
    {"callers", FM_CALLTREE_CALLERS},
    {"flat", FM_CALLTREE_FLAT},
};

struct fm_slice_trees {
    struct fm_slice_tree {
        bool made;
        struct fm_columns columns;
        uint64_t left_out_ns;
    } trees[TREES];
};

/* ---- construction ---- */

/* Times in hostile files can be larger than anything. */
static int64_t limited(uint64_t ns)
{
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static void fill_costs(const struct fm_report *report, const struct fm_calltree *tree, struct fm_column_node *node,
                       const struct fm_context *context)
{
    struct fm_path_spread spread = fm_path_spread_of(&context->all.of, tree->ranks);
    uint32_t least = fm_report_rank(report, spread.min_rank), most = fm_report_rank(report, spread.max_rank);
    bool no_least = context->all.no_least, no_most = context->all.no_most;
    node->all_ns = context->all.of.sum_ns;
    node->own_ns = context->own.of.sum_ns;
    node->min_ns = no_least ? -1 : limited(spread.min_ns);
    node->min_rank = no_least || least == FM_NO_RANK ? -1 : (int64_t)least;
    node->max_ns = no_most ? -1 : limited(spread.max_ns);
    node->max_rank = no_most || most == FM_NO_RANK ? -1 : (int64_t)most;
    node->mean_ns = (uint64_t)spread.mean_ns;
    node->deviation_ns = (uint64_t)spread.deviation_ns;
    node->flags |= context->all.estimated ? FM_FLAG_ESTIMATED : 0;
}

static const struct fm_context *next_kept(const struct fm_context *context, double least_ns)
{
    while (context && (double)context->all.of.sum_ns < least_ns)
        context = context->next;
    return context;
}

/* Calls fill_costs and fm_columns_name for all contexts in depth-first order, or only counts them. */
static size_t walk(const struct fm_report *report, const struct fm_calltree *tree, double least_ns,
                   struct fm_columns *columns)
{
    const struct fm_context *at = tree->root;
    uint32_t id = 0, parent = 0;
    size_t n = 0;
    for (;;) {
        id = (uint32_t)n++;
        if (columns) {
            columns->nodes[id].parent = parent;
            fm_columns_name(columns, &columns->nodes[id], at, tree->of_callers);
            fill_costs(report, tree, &columns->nodes[id], at);
        }
        const struct fm_context *next = next_kept(at->first, least_ns);
        if (next) {
            parent = id;
        } else {
            while (at != tree->root && !(next = next_kept(at->next, least_ns))) {
                at = at->parent;
                if (columns)
                    parent = columns->nodes[parent].parent;
            }
            if (at == tree->root)
                return n;
        }
        at = next;
    }
}

static enum fm_status make_columns(struct fm_report *report, const struct fm_calltree *calls, struct fm_arena *arena,
                                   struct fm_columns *columns, struct fm_error *error)
{
    const struct fm_report_options *options = &report->options;
    double least_ns = options->with_percent ? options->percent / 100 * fm_report_whole_ns(report) : 0;
    size_t n = walk(report, calls, least_ns, NULL);
    if (n > INT32_MAX || !fm_columns_start(columns, arena, n))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    walk(report, calls, least_ns, columns);
    return fm_columns_end(columns, error);
}

static enum fm_status make_tree(struct fm_report *report, enum fm_calltree_kind which, struct fm_slice_tree *tree,
                                struct fm_error *error)
{
    struct fm_report scratch = *report;
    struct fm_calltree made;
    scratch.arena = (struct fm_arena){0};
    enum fm_status status = fm_report_lines_tree(&scratch, which, &made, error);
    if (!status)
        status = make_columns(&scratch, &made, &report->arena, &tree->columns, error);
    tree->left_out_ns = scratch.helpers_ns;
    tree->made = !status;
    fm_arena_destroy(&scratch.arena);
    return status;
}

/* NULL if that fails, as *status says. */
static struct fm_slice_tree *find_tree(struct fm_slices *slices, size_t kind, enum fm_status *status,
                                       struct fm_error *error)
{
    if (!slices->trees)
        slices->trees = fm_arena_alloc(&slices->report->arena, sizeof *slices->trees);
    if (!slices->trees) {
        *status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
        return NULL;
    }
    struct fm_slice_tree *tree = &slices->trees->trees[kind];
    *status = tree->made ? FM_OK : make_tree(slices->report, tree_kinds[kind].which, tree, error);
    return *status ? NULL : tree;
}

enum fm_status fm_slice_columns(struct fm_slices *slices, enum fm_calltree_kind which, struct fm_columns **columns,
                                struct fm_error *error)
{
    enum fm_status status;
    size_t kind = 0;
    while (tree_kinds[kind].which != which)
        kind++;
    struct fm_slice_tree *tree = find_tree(slices, kind, &status, error);
    *columns = tree ? &tree->columns : NULL;
    return status;
}

/* ---- slices ---- */

static enum fm_status write_slice(struct fm_slices *slices, size_t kind, struct fm_slice_tree *tree, uint32_t below,
                                  FILE *out, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    struct fm_column_slice slice;
    struct fm_json json = {.out = out};
    bool written = fm_columns_select(&tree->columns, below, slices->tree_nodes, &scratch, &slice);
    if (written) {
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_whole(&json, "fathom", FM_JSON_VERSION);
        fm_json_text(&json, "tree", tree_kinds[kind].name);
        fm_json_whole(&json, "below", below);
        fm_json_whole(&json, "nodes_in_tree", tree->columns.n);
        if (!below) {
            fm_json_calls_head(slices->report, &json);
            fm_json_seconds(&json, "left_out_s", tree->left_out_ns);
        }
        written = fm_columns_write(&tree->columns, &slice, &json);
        fm_columns_write_ranks(&tree->columns, &slice, &json);
        fm_json_end(&json);
    }
    fm_arena_destroy(&scratch);
    return written ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
}

enum fm_status fm_slice_tree(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error)
{
    size_t length = strcspn(rest, "/"), kind = 0;
    uint32_t below = 0;
    while (kind < TREES &&
           (strlen(tree_kinds[kind].name) != length || strncmp(tree_kinds[kind].name, rest, length) != 0))
        kind++;
    if (kind == TREES || (rest[length] && !fm_slice_numbers(rest + length + 1, &below, 1)) ||
        !fm_report_sampled(slices->report))
        return fm_no_slice(error);
    enum fm_status status;
    struct fm_slice_tree *tree = find_tree(slices, kind, &status, error);
    if (!tree)
        return status;
    if (below >= tree->columns.n)
        return fm_no_slice(error);
    return write_slice(slices, kind, tree, below, out, error);
}

/* ---- names of slices ---- */

struct nodes {
    uint32_t *items;
    size_t n, capacity;
};

static bool add_cut(const struct fm_column_slice *slice, struct nodes *nodes, struct fm_arena *arena)
{
    for (size_t i = 0; i < slice->n; i++) {
        if (!slice->cut[i])
            continue;
        if (nodes->n == nodes->capacity) {
            uint32_t *larger = fm_arena_grow(arena, nodes->items, &nodes->capacity, nodes->n + 1, sizeof *larger);
            if (!larger)
                return false;
            nodes->items = larger;
        }
        nodes->items[nodes->n++] = slice->nodes[i];
    }
    return true;
}

/* The slice of the root, those of the nodes whose children it does not have, and so on. */
static enum fm_status visit_tree(struct fm_slices *slices, size_t kind, fm_slice_visit visit, void *context,
                                 struct fm_error *error)
{
    enum fm_status status;
    struct fm_slice_tree *tree = find_tree(slices, kind, &status, error);
    struct fm_arena arena = {0};
    struct nodes nodes = {0};
    char name[64];
    snprintf(name, sizeof name, "tree/%s", tree_kinds[kind].name);
    for (size_t at = 0; tree && !status && at <= nodes.n; at++) {
        struct fm_arena scratch = {0};
        struct fm_column_slice slice;
        uint32_t below = at ? nodes.items[at - 1] : 0;
        if (at)
            snprintf(name, sizeof name, "tree/%s/%u", tree_kinds[kind].name, below);
        status = visit(context, name, error);
        if (!slices->tree_nodes)
            break;
        if (!status && (!fm_columns_select(&tree->columns, below, slices->tree_nodes, &scratch, &slice) ||
                        !add_cut(&slice, &nodes, &arena)))
            status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
        fm_arena_destroy(&scratch);
    }
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_slice_tree_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                   struct fm_error *error)
{
    enum fm_status status = FM_OK;
    if (!fm_report_sampled(slices->report))
        return FM_OK;
    for (size_t kind = 0; kind < TREES && !status; kind++)
        status = visit_tree(slices, kind, visit, context, error);
    return status;
}
