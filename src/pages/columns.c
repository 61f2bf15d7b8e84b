/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/columns.h"

#include <string.h>

#include "base/basename.h"
#include "report/report_calls.h"

/* ---- construction ---- */

bool fm_columns_start(struct fm_columns *columns, struct fm_arena *arena, size_t n)
{
    *columns = (struct fm_columns){.arena = arena, .n = n};
    columns->nodes = fm_arena_alloc(arena, n * sizeof *columns->nodes);
    columns->opened = fm_arena_alloc(arena, n * sizeof *columns->opened);
    columns->failed = !columns->nodes || !columns->opened;
    return !columns->failed;
}

static int32_t string_number(struct fm_columns *columns, const char *text)
{
    if (!text[0])
        return FM_NO_STRING;
    struct fm_intern_slot *slot = fm_intern_put(&columns->texts, columns->arena, text, true);
    if (slot && slot->number)
        return (int32_t)slot->number - 1;
    if (slot && columns->n_strings == columns->strings_capacity) {
        const char **larger = fm_arena_grow(columns->arena, columns->strings, &columns->strings_capacity,
                                            columns->n_strings + 1, sizeof *larger);
        columns->strings = larger ? larger : columns->strings;
        columns->failed |= !larger;
    }
    if (!slot || columns->n_strings >= columns->strings_capacity || columns->n_strings >= INT32_MAX) {
        columns->failed = true;
        return FM_NO_STRING;
    }
    columns->strings[columns->n_strings++] = slot->text;
    slot->number = (uint32_t)columns->n_strings;
    return (int32_t)columns->n_strings - 1;
}

void fm_columns_name(struct fm_columns *columns, struct fm_column_node *node, const struct fm_context *context,
                     bool of_callers)
{
    const struct fm_context_id *id = &context->id;
    bool function = id->kind == FM_CONTEXT_FRAME || (of_callers && id->kind == FM_CONTEXT_CALL_SITE);
    node->kind = (uint8_t)id->kind;
    node->name = string_number(columns, id->kind == FM_CONTEXT_ROOT ? "all" : id->name);
    node->file = string_number(columns, fm_basename(id->path));
    node->path = string_number(columns, id->path);
    node->module = string_number(columns, fm_basename(id->module));
    node->defined = string_number(columns, function ? id->defined : "");
    node->line = id->line;
    node->flags |= context->facts.approximate ? FM_FLAG_APPROXIMATE_LINE : 0;
    if (!function)
        return;
    node->flags |= id->inlined ? FM_FLAG_INLINED : 0;
    node->flags |= id->body ? FM_FLAG_PARALLEL_BODY : 0;
    node->flags |= context->facts.inferred ? FM_FLAG_INFERRED : 0;
    node->flags |= context->facts.callers_missing ? FM_FLAG_CALLERS_MISSING : 0;
}

enum fm_status fm_columns_end(struct fm_columns *columns, struct fm_error *error)
{
    columns->in_slice = columns->failed ? NULL : fm_arena_alloc(columns->arena, columns->n_strings * sizeof(int32_t));
    if (!columns->in_slice)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    for (size_t i = 0; i < columns->n_strings; i++)
        columns->in_slice[i] = FM_NO_STRING;
    for (size_t i = columns->n; i-- > 1;) {
        struct fm_column_node *parent = &columns->nodes[columns->nodes[i].parent];
        parent->children++;
        parent->descendants += columns->nodes[i].descendants + 1;
    }
    return FM_OK;
}

int32_t fm_columns_string(const struct fm_columns *columns, const char *text)
{
    const struct fm_intern_slot *slot = fm_intern_find(&columns->texts, text);
    return slot ? (int32_t)slot->number - 1 : FM_NO_STRING;
}

/* ---- selection ---- */

/* Nodes with children, as a heap: the heaviest first, of equal ones that with the lowest number. */
struct heap {
    uint32_t *nodes;
    size_t n, capacity;
};

static bool is_heavier(const struct fm_columns *columns, uint32_t a, uint32_t b)
{
    uint64_t a_ns = columns->nodes[a].all_ns, b_ns = columns->nodes[b].all_ns;
    return a_ns != b_ns ? a_ns > b_ns : a < b;
}

static bool push(const struct fm_columns *columns, struct heap *heap, struct fm_arena *scratch, uint32_t node)
{
    if (heap->n == heap->capacity) {
        uint32_t *larger = fm_arena_grow(scratch, heap->nodes, &heap->capacity, heap->n + 1, sizeof *larger);
        if (!larger)
            return false;
        heap->nodes = larger;
    }
    size_t at = heap->n++;
    for (; at && is_heavier(columns, node, heap->nodes[(at - 1) / 2]); at = (at - 1) / 2)
        heap->nodes[at] = heap->nodes[(at - 1) / 2];
    heap->nodes[at] = node;
    return true;
}

static uint32_t pop(const struct fm_columns *columns, struct heap *heap)
{
    uint32_t top = heap->nodes[0], last = heap->nodes[--heap->n];
    size_t at = 0, child;
    for (; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n && is_heavier(columns, heap->nodes[child + 1], heap->nodes[child]))
            child++;
        if (!is_heavier(columns, heap->nodes[child], last))
            break;
        heap->nodes[at] = heap->nodes[child];
    }
    heap->nodes[at] = last;
    return top;
}

/* Marks the nodes whose children are in the slice. */
static bool open_nodes(struct fm_columns *columns, uint32_t below, size_t limit, struct fm_arena *scratch, size_t *n)
{
    const struct fm_column_node *nodes = columns->nodes;
    struct heap heap = {0};
    *n = 1;
    if (!limit) {
        *n += nodes[below].descendants;
        return true;
    }
    for (uint32_t at = below; nodes[at].children; at = pop(columns, &heap)) {
        columns->opened[at] = true;
        *n += nodes[at].children;
        uint32_t child = at + 1;
        for (uint32_t i = 0; i < nodes[at].children; i++, child += 1 + nodes[child].descendants)
            if (nodes[child].children && !push(columns, &heap, scratch, child))
                return false;
        if (*n >= limit || !heap.n)
            break;
    }
    return true;
}

bool fm_columns_select(struct fm_columns *columns, uint32_t below, size_t limit, struct fm_arena *scratch,
                       struct fm_column_slice *slice)
{
    const struct fm_column_node *nodes = columns->nodes;
    size_t n;
    if (!open_nodes(columns, below, limit, scratch, &n))
        return false;
    slice->nodes = fm_arena_alloc(scratch, n * sizeof *slice->nodes);
    slice->cut = fm_arena_alloc(scratch, n * sizeof *slice->cut);
    if (!slice->nodes || !slice->cut)
        return false;
    slice->nodes[0] = below;
    slice->n = 1;
    for (size_t i = 0; i < slice->n; i++) {
        uint32_t at = slice->nodes[i], child = at + 1;
        slice->cut[i] = limit && nodes[at].children && !columns->opened[at];
        columns->opened[at] = false;
        for (uint32_t k = slice->cut[i] ? nodes[at].children : 0; k < nodes[at].children; k++) {
            slice->nodes[slice->n++] = child;
            child += 1 + nodes[child].descendants;
        }
    }
    return true;
}

/* ---- writing ---- */

/* What a column is made from, by its place in the node. */
struct column {
    const char *key;
    size_t offset;
    enum { WHOLE_U8, WHOLE_U32, WHOLE_U64, SIGNED, STRING } type;
};

#define COLUMN(key, member, type)                          \
    {                                                      \
        key, offsetof(struct fm_column_node, member), type \
    }

static const struct column of_all[] = {
    COLUMN("children", children, WHOLE_U32),
    COLUMN("descendants", descendants, WHOLE_U32),
    COLUMN("kind", kind, WHOLE_U8),
    COLUMN("name", name, STRING),
    COLUMN("file", file, STRING),
    COLUMN("path", path, STRING),
    COLUMN("line", line, WHOLE_U32),
    COLUMN("module", module, STRING),
    COLUMN("defined", defined, STRING),
    COLUMN("flags", flags, WHOLE_U8),
    COLUMN("inclusive_ns", all_ns, WHOLE_U64),
    COLUMN("exclusive_ns", own_ns, WHOLE_U64),
};

static const struct column of_ranks[] = {
    COLUMN("min_ns", min_ns, SIGNED),     COLUMN("min_rank", min_rank, SIGNED),
    COLUMN("max_ns", max_ns, SIGNED),     COLUMN("max_rank", max_rank, SIGNED),
    COLUMN("avg_ns", mean_ns, WHOLE_U64), COLUMN("deviation_ns", deviation_ns, WHOLE_U64),
};

static void write_value(const struct fm_columns *columns, const struct column *column, uint32_t node,
                        struct fm_json *json)
{
    const void *at = (const char *)&columns->nodes[node] + column->offset;
    if (column->type == WHOLE_U8)
        fm_json_whole(json, NULL, *(const uint8_t *)at);
    else if (column->type == WHOLE_U32)
        fm_json_whole(json, NULL, *(const uint32_t *)at);
    else if (column->type == WHOLE_U64)
        fm_json_whole(json, NULL, *(const uint64_t *)at);
    else if (column->type == SIGNED)
        fm_json_signed(json, NULL, *(const int64_t *)at);
    else
        fm_json_signed(json, NULL,
                       *(const int32_t *)at == FM_NO_STRING ? FM_NO_STRING : columns->in_slice[*(const int32_t *)at]);
}

static void write_columns(const struct fm_columns *columns, const struct fm_column_slice *slice,
                          const struct column *list, size_t n, struct fm_json *json)
{
    for (size_t i = 0; i < n; i++) {
        fm_json_array(json, list[i].key, FM_JSON_INLINE);
        for (size_t k = 0; k < slice->n; k++)
            write_value(columns, &list[i], slice->nodes[k], json);
        fm_json_end(json);
    }
}

/* Numbers the strings of a slice in the order of their first use, and writes them. */
static size_t write_strings(struct fm_columns *columns, const struct fm_column_slice *slice, int32_t *used,
                            struct fm_json *json)
{
    size_t n = 0;
    fm_json_array(json, "strings", FM_JSON_INLINE);
    for (size_t i = 0; i < slice->n; i++) {
        const struct fm_column_node *node = &columns->nodes[slice->nodes[i]];
        const int32_t strings[] = {node->name, node->file, node->path, node->module, node->defined};
        for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
            if (strings[k] != FM_NO_STRING && columns->in_slice[strings[k]] == FM_NO_STRING) {
                columns->in_slice[strings[k]] = (int32_t)n;
                used[n++] = strings[k];
                fm_json_text(json, NULL, columns->strings[strings[k]]);
            }
    }
    fm_json_end(json);
    return n;
}

bool fm_columns_write(struct fm_columns *columns, const struct fm_column_slice *slice, struct fm_json *json)
{
    struct fm_arena scratch = {0};
    int32_t *used = fm_arena_alloc(&scratch, columns->n_strings * sizeof *used);
    if (!used)
        return false;
    fm_json_array(json, "kinds", FM_JSON_INLINE);
    for (enum fm_context_kind kind = 0; kind < FM_CONTEXT_KINDS; kind++)
        fm_json_text(json, NULL, fm_context_kind_text(kind));
    fm_json_end(json);
    size_t n = write_strings(columns, slice, used, json);
    fm_json_array(json, "id", FM_JSON_INLINE);
    for (size_t i = 0; i < slice->n; i++)
        fm_json_whole(json, NULL, slice->nodes[i]);
    fm_json_end(json);
    fm_json_array(json, "parent", FM_JSON_INLINE);
    for (size_t i = 0; i < slice->n; i++)
        fm_json_signed(json, NULL, slice->nodes[i] ? (int64_t)columns->nodes[slice->nodes[i]].parent : -1);
    fm_json_end(json);
    write_columns(columns, slice, of_all, sizeof of_all / sizeof *of_all, json);
    for (size_t i = 0; i < n; i++)
        columns->in_slice[used[i]] = FM_NO_STRING;
    fm_arena_destroy(&scratch);
    return true;
}

void fm_columns_write_ranks(const struct fm_columns *columns, const struct fm_column_slice *slice, struct fm_json *json)
{
    write_columns(columns, slice, of_ranks, sizeof of_ranks / sizeof *of_ranks, json);
}
