/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of call paths, those of the JSON document without its limit of depth. A tree is made in memory of its own,
 * which takes several times as much as its columns; only these are kept. */
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "pages/slice_kinds.h"
#include "pages/tree_ranks.h"
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
        struct fm_tree_ranks by_rank;
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

/* Calls fill_costs and fm_columns_name for all contexts in depth-first order, and lists them; or only counts them. */
static size_t walk(const struct fm_report *report, const struct fm_calltree *tree, double least_ns,
                   struct fm_columns *columns, const struct fm_context **contexts)
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
            contexts[id] = at;
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

/* arena: for what is kept; the report's own is for what is not. */
static enum fm_status make_columns(struct fm_report *report, const struct fm_calltree *calls,
                                   enum fm_calltree_kind which, struct fm_arena *arena, struct fm_slice_tree *tree,
                                   struct fm_error *error)
{
    struct fm_columns *columns = &tree->columns;
    const struct fm_report_options *options = &report->options;
    double least_ns = options->with_percent ? options->percent / 100 * fm_report_whole_ns(report) : 0;
    size_t n = walk(report, calls, least_ns, NULL, NULL);
    const struct fm_context **contexts = n > INT32_MAX ? NULL : fm_arena_alloc(&report->arena, n * sizeof *contexts);
    if (!contexts || !fm_columns_start(columns, arena, n))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    walk(report, calls, least_ns, columns, contexts);
    enum fm_root_ranks root = !report->helpers_ns          ? FM_ROOT_AS_OTHERS
                              : which == FM_CALLTREE_CALLS ? FM_ROOT_OF_CHILDREN
                                                           : FM_ROOT_UNKNOWN;
    if (!fm_tree_ranks_find(&tree->by_rank, calls, contexts, n, root, arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
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
        status = make_columns(&scratch, &made, which, &report->arena, tree, error);
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

/* Nodes of a tree, and what is written before their columns. */
struct tree_part {
    struct fm_slices *slices;
    size_t kind;
    struct fm_slice_tree *tree;
    struct fm_arena scratch;
    struct fm_json json;
};

static void begin(struct tree_part *part)
{
    fm_json_object(&part->json, NULL, FM_JSON_INLINE);
    fm_json_whole(&part->json, "fathom", FM_JSON_VERSION);
    fm_json_text(&part->json, "tree", tree_kinds[part->kind].name);
}

static bool write_nodes(struct tree_part *part, const struct fm_column_slice *nodes)
{
    bool written = fm_columns_write(&part->tree->columns, nodes, &part->json);
    fm_columns_write_ranks(&part->tree->columns, nodes, &part->json);
    fm_json_end(&part->json);
    return written;
}

static bool write_below(struct tree_part *part, uint32_t below)
{
    struct fm_column_slice nodes;
    if (!fm_columns_select(&part->tree->columns, below, part->slices->tree_nodes, &part->scratch, &nodes))
        return false;
    begin(part);
    fm_json_whole(&part->json, "below", below);
    fm_json_whole(&part->json, "nodes_in_tree", part->tree->columns.n);
    if (!below) {
        fm_json_calls_head(part->slices->report, &part->json);
        fm_json_seconds(&part->json, "left_out_s", part->tree->left_out_ns);
    }
    return write_nodes(part, &nodes);
}

static bool write_rows(struct tree_part *part, uint32_t first, size_t n)
{
    struct fm_column_slice nodes;
    if (part->slices->tree_nodes && n > part->slices->tree_nodes)
        n = part->slices->tree_nodes;
    if (!fm_columns_range(&part->tree->columns, first, n, &part->scratch, &nodes))
        return false;
    begin(part);
    fm_json_whole(&part->json, "nodes_in_tree", part->tree->columns.n);
    fm_json_whole(&part->json, "first", first);
    return write_nodes(part, &nodes);
}

static bool write_found(struct tree_part *part, const char *text)
{
    struct fm_column_hits hits;
    if (!fm_columns_find(&part->tree->columns, text, part->slices->tree_nodes, &part->scratch, &hits))
        return false;
    begin(part);
    fm_json_whole(&part->json, "nodes_in_tree", part->tree->columns.n);
    fm_json_text(&part->json, "text", text);
    fm_json_whole(&part->json, "hits", hits.n);
    fm_json_array(&part->json, "hit", FM_JSON_INLINE);
    for (size_t i = 0; i < hits.slice.n; i++)
        fm_json_whole(&part->json, NULL, hits.is_hit[i]);
    fm_json_end(&part->json);
    return write_nodes(part, &hits.slice);
}

static bool write_by_rank(struct tree_part *part)
{
    const struct fm_tree_ranks *by_rank = &part->tree->by_rank;
    struct fm_rankset ranks = {0};
    for (uint32_t i = 0; i < by_rank->ranks && by_rank->n; i++) {
        uint32_t rank = fm_report_rank(part->slices->report, i);
        if (!fm_rankset_add(&ranks, &part->scratch, rank, rank))
            return false;
    }
    begin(part);
    fm_json_ranks(part->slices->report, &part->json, &ranks);
    fm_json_array(&part->json, "id", FM_JSON_INLINE);
    for (size_t i = 0; i < by_rank->n; i++)
        fm_json_whole(&part->json, NULL, by_rank->items[i].node);
    fm_json_end(&part->json);
    fm_json_array(&part->json, "most_ns", FM_JSON_INLINE);
    for (size_t i = 0; i < by_rank->n; i++)
        fm_json_whole(&part->json, NULL, by_rank->items[i].most_ns);
    fm_json_end(&part->json);
    fm_json_array(&part->json, "thousandths", FM_JSON_INLINE);
    for (size_t i = 0; i < by_rank->n; i++) {
        fm_json_array(&part->json, NULL, FM_JSON_INLINE);
        for (uint32_t rank = 0; rank < by_rank->ranks; rank++)
            fm_json_signed(&part->json, NULL, by_rank->items[i].values[rank]);
        fm_json_end(&part->json);
    }
    fm_json_end(&part->json);
    fm_json_end(&part->json);
    return true;
}

/* What follows the name of a tree: "", "17", "rows/100/50", "find/6d61696e" or "ranks". */
struct tree_request {
    enum { BELOW, ROWS, FIND, RANKS } what;
    uint32_t numbers[2];
    char text[FM_FIND_BYTES + 1];
};

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Two hexadecimal digits for each byte: names of slices have no other characters. */
static bool read_text(const char *digits, char text[FM_FIND_BYTES + 1])
{
    size_t n = strlen(digits);
    if (!n || n % 2 || n / 2 > FM_FIND_BYTES)
        return false;
    for (size_t i = 0; i < n / 2; i++) {
        int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
        if (high < 0 || low < 0 || high + low == 0)
            return false;
        text[i] = (char)(high << 4 | low);
    }
    text[n / 2] = 0;
    return true;
}

static bool read_wanted(const char *rest, struct tree_request *wanted)
{
    static const char rows[] = "rows/", find[] = "find/";
    *wanted = (struct tree_request){.what = BELOW};
    if (!*rest)
        return true;
    if (strcmp(rest, "ranks") == 0) {
        wanted->what = RANKS;
        return true;
    }
    if (strncmp(rest, rows, sizeof rows - 1) == 0) {
        wanted->what = ROWS;
        return fm_slice_numbers(rest + sizeof rows - 1, wanted->numbers, 2) && wanted->numbers[1];
    }
    if (strncmp(rest, find, sizeof find - 1) == 0) {
        wanted->what = FIND;
        return read_text(rest + sizeof find - 1, wanted->text);
    }
    return fm_slice_numbers(rest, wanted->numbers, 1);
}

static bool write_part(struct tree_part *part, const struct tree_request *wanted)
{
    switch (wanted->what) {
    case ROWS:
        return write_rows(part, wanted->numbers[0], wanted->numbers[1]);
    case FIND:
        return write_found(part, wanted->text);
    case RANKS:
        return write_by_rank(part);
    default:
        return write_below(part, wanted->numbers[0]);
    }
}

enum fm_status fm_slice_tree(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error)
{
    size_t length = strcspn(rest, "/"), kind = 0;
    struct tree_request wanted;
    while (kind < TREES &&
           (strlen(tree_kinds[kind].name) != length || strncmp(tree_kinds[kind].name, rest, length) != 0))
        kind++;
    if (kind == TREES || (rest[length] && !rest[length + 1]) ||
        !read_wanted(rest + length + (rest[length] == '/'), &wanted) || !fm_report_sampled(slices->report))
        return fm_no_slice(error);
    enum fm_status status;
    struct fm_slice_tree *tree = find_tree(slices, kind, &status, error);
    if (!tree)
        return status;
    if (wanted.numbers[0] >= tree->columns.n)
        return fm_no_slice(error);
    struct tree_part part = {.slices = slices, .kind = kind, .tree = tree, .json = {.out = out}};
    bool written = write_part(&part, &wanted);
    fm_arena_destroy(&part.scratch);
    return written ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
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

/* The slice of the root, those of the nodes whose children it does not have, and so on; and that of ranks. Rows and
 * searches have nothing more. */
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
    snprintf(name, sizeof name, "tree/%s/ranks", tree_kinds[kind].name);
    return status ? status : visit(context, name, error);
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
