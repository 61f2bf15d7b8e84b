/* The modules of a model: what each of them costs, with the waiting in brackets, and who calls whom. */
#include "analyse/modules.h"
#include "base/units.h"
#include "present/json_parts.h"
#include "present/tree_text.h"

enum { USUAL_MODULES = 20, HEADLINE = 3, BAR_COLUMNS = 20 };

static enum fm_status find_modules(struct fm_report *report, struct fm_calltree *calls, struct fm_modules *modules,
                                   struct fm_error *error)
{
    struct fm_modules_map map;
    const char *file = report->options.modules;
    enum fm_status status = file ? fm_modules_map_read(&map, file, &report->arena, error)
                                 : fm_modules_map_usual(&map, &report->arena, error);
    if (!status)
        status = fm_report_tree(report, FM_TREE_CALLS, calls, error);
    return status ? status : fm_modules_make(calls, &map, &report->arena, modules, error);
}

/* ---- for people ---- */

static const char *bracketed(struct fm_report *report, double waiting, double whole)
{
    char share[FM_UNIT_CHARS];
    return waiting > 0 ? fm_format(&report->arena, "[%s]", fm_percent_text(share, fm_ratio(waiting, whole))) : "";
}

/* "ocean 41 %, atmosphere 33 %, coupler 9 %; 12 % of the time is waiting, most of it for ocean." */
static void print_headline(struct fm_report *report, const struct fm_modules *modules, FILE *out)
{
    char share[FM_UNIT_CHARS];
    double whole = (double)fm_module_total(&modules->whole);
    const struct fm_modules_item *cause = NULL;
    const char *text = fm_format(&report->arena, "%s:", report->summary.name);
    for (size_t i = 0; i < modules->n_items; i++) {
        const struct fm_modules_item *item = &modules->items[i];
        if (i < HEADLINE)
            text = fm_format(&report->arena, "%s%s %s %s", text, i ? "," : "", item->name,
                             fm_percent_whole(share, fm_ratio((double)fm_module_total(&item->own), whole)));
        if (!cause || item->causes_ns > cause->causes_ns)
            cause = item;
    }
    text = fm_format(&report->arena, "%s; %s of the time is waiting", text,
                     fm_percent_whole(share, fm_ratio((double)modules->whole.waiting_ns, whole)));
    if (cause && cause->causes_ns)
        text = fm_format(&report->arena, "%s, %s of that called by %s", text,
                         fm_percent_whole(share, fm_ratio((double)cause->causes_ns, (double)modules->whole.waiting_ns)),
                         cause->name);
    fm_print_folded(out, fm_format(&report->arena, "%s.", text), 2);
}

static const struct fm_column list_columns[] = {
    {"module", "module", FM_COLUMN_TEXT},
    {NULL, "group", FM_COLUMN_TEXT},
    {"work", "work_s", FM_COLUMN_TIME},
    {"% work", "work_fraction", FM_COLUMN_PERCENT},
    {"waiting", "waiting_s", FM_COLUMN_TIME},
    {NULL, "waiting_estimated_s", FM_COLUMN_TIME},
    {"with all it calls", "inclusive_work_s", FM_COLUMN_TIME},
    {"[waiting]", "inclusive_waiting_s", FM_COLUMN_TIME},
    {"% of waiting", "waiting_share", FM_COLUMN_PERCENT},
    {"", NULL, FM_COLUMN_BAR},
};

static void list_row(struct fm_report *report, struct fm_table *table, const struct fm_modules *modules,
                     const char *name, const char *group, const struct fm_modules_item *item)
{
    double whole = (double)fm_module_total(&modules->whole), waiting = (double)modules->whole.waiting_ns;
    fm_cell_text(table, name);
    fm_cell_text(table, group ? group : "");
    fm_cell_whole(table, item->own.work_ns);
    fm_cell_number(table, fm_ratio((double)item->own.work_ns, whole));
    fm_cell_whole(table, item->own.waiting_ns);
    fm_cell_whole(table, item->own.estimated_ns);
    fm_cell_whole(table, item->all.work_ns);
    fm_cell_whole(table, item->all.waiting_ns);
    fm_cell_number(table, fm_ratio((double)item->causes_ns, waiting));
    fm_cell_text(table, fm_bar(report, (double)fm_module_total(&item->own), whole, BAR_COLUMNS));
}

static void print_list(struct fm_report *report, const struct fm_modules *modules, FILE *out)
{
    struct fm_table table;
    size_t shown = fm_report_rows(report, modules->n_items, USUAL_MODULES);
    fm_table_start(&table, &report->arena, list_columns, sizeof list_columns / sizeof *list_columns);
    for (size_t i = 0; i < shown; i++)
        list_row(report, &table, modules, modules->items[i].name, NULL, &modules->items[i]);
    struct fm_modules_item all = {.own = modules->whole, .all = modules->whole, .causes_ns = modules->whole.waiting_ns};
    list_row(report, &table, modules, "all", NULL, &all);
    fm_table_print(&table, out);
    fm_print_more(out, shown, modules->n_items, "module");
}

/* Sums over the modules of each group. */
static void print_groups(struct fm_report *report, const struct fm_modules *modules, FILE *out)
{
    const struct fm_column columns[] = {{"group", NULL, FM_COLUMN_TEXT},
                                        {"work", NULL, FM_COLUMN_TIME},
                                        {"waiting", NULL, FM_COLUMN_TIME},
                                        {"% time", NULL, FM_COLUMN_PERCENT}};
    struct fm_table table;
    size_t n = 0;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < modules->n_items; i++) {
        const char *group = modules->items[i].group;
        struct fm_module_cost sum = {0};
        bool first = group != NULL;
        for (size_t k = 0; k < modules->n_items && first; k++) {
            if (modules->items[k].group != group)
                continue;
            first = k >= i;
            sum.work_ns += modules->items[k].own.work_ns;
            sum.waiting_ns += modules->items[k].own.waiting_ns;
        }
        if (!first)
            continue;
        fm_cell_text(&table, group);
        fm_cell_whole(&table, sum.work_ns);
        fm_cell_whole(&table, sum.waiting_ns);
        fm_cell_number(&table, fm_ratio((double)fm_module_total(&sum), (double)fm_module_total(&modules->whole)));
        n++;
    }
    if (n) {
        fputc('\n', out);
        fm_table_print(&table, out);
    }
}

/* The tree of modules as one of contexts, so that it is drawn as all trees are; marks are numbers of nodes. */
static enum fm_status as_contexts(struct fm_report *report, const struct fm_modules *modules, struct fm_calltree *tree,
                                  struct fm_error *error)
{
    struct fm_context **made = fm_arena_alloc(&report->arena, modules->n * sizeof *made);
    if (!fm_calltree_start(tree, &report->arena, 1) || !made)
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for the modules");
    made[0] = tree->root;
    for (uint32_t i = 0; i < modules->n; i++) {
        const struct fm_modules_node *node = &modules->nodes[i];
        const struct fm_context_id id = {
            .kind = FM_CONTEXT_FRAME, .name = node->name, .module = "", .path = "", .defined = ""};
        if (i)
            made[i] = fm_context_below(tree, made[node->parent], &id);
        made[i]->mark = i;
        made[i]->own.of.sum_ns = fm_module_total(&node->own);
        made[i]->all.of.sum_ns = fm_module_total(&node->all);
    }
    return fm_calltree_sort(tree, FM_BY_INCLUSIVE, error);
}

static enum fm_status print_tree(struct fm_report *report, const struct fm_modules *modules, FILE *out,
                                 struct fm_error *error)
{
    const struct fm_column columns[] = {{"% work", NULL, FM_COLUMN_PERCENT},
                                        {"[waiting]", NULL, FM_COLUMN_BAR},
                                        {"", NULL, FM_COLUMN_BAR},
                                        {"calls from module to module", NULL, FM_COLUMN_TEXT}};
    struct fm_calltree tree;
    struct fm_tree_rows rows;
    struct fm_table table;
    enum fm_status status = as_contexts(report, modules, &tree, error);
    if (!status)
        status = fm_tree_rows(report, &tree, false, true, &rows, error);
    if (status)
        return status;
    double whole = (double)fm_module_total(&modules->whole);
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < rows.n; i++) {
        const struct fm_modules_node *node = &modules->nodes[rows.items[i].context->mark];
        fm_cell_number(&table, fm_ratio((double)node->all.work_ns, whole));
        fm_cell_text(&table, bracketed(report, (double)node->all.waiting_ns, whole));
        fm_cell_text(&table, fm_bar(report, (double)fm_module_total(&node->all), whole, BAR_COLUMNS));
        fm_cell_text(&table, fm_format(&report->arena, "%s%s", rows.items[i].drawing, node->name));
    }
    fputc('\n', out);
    fm_table_print(&table, out);
    return FM_OK;
}

enum fm_status fm_view_modules_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree calls;
    struct fm_modules modules;
    char share[FM_UNIT_CHARS];
    fm_print_incomplete(report, out);
    if (!fm_report_sampled(report)) {
        fputs("No call paths were sampled, so nothing is known of modules: 'fathom run --sample 1000' does.\n", out);
        return FM_OK;
    }
    enum fm_status status = find_modules(report, &calls, &modules, error);
    if (status)
        return status;
    print_headline(report, &modules, out);
    fputc('\n', out);
    print_list(report, &modules, out);
    print_groups(report, &modules, out);
    status = print_tree(report, &modules, out, error);
    if (status)
        return status;
    fputs("% work: without waiting; [waiting]: in it and in what it calls, % of the time, too;\n"
          "% of waiting: what the module, or MPI for it, has waited for.\n",
          out);
    if (modules.whole.estimated_ns)
        fprintf(
            out, "Of the waiting %s is estimated: what ranks spend in a collective above the fastest of them.\n",
            fm_percent_whole(share, fm_ratio((double)modules.whole.estimated_ns, (double)modules.whole.waiting_ns)));
    if (!report->options.modules)
        fputs("Modules are source files; 'fathom modules init PROGRAM' drafts a file with names for --modules.\n", out);
    return FM_OK;
}

/* ---- for machines ---- */

enum fm_status fm_view_modules_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree calls;
    struct fm_modules modules = {0};
    struct fm_table table;
    enum fm_status status = fm_report_sampled(report) ? find_modules(report, &calls, &modules, error) : FM_OK;
    if (status)
        return status;
    fm_table_start(&table, &report->arena, list_columns, sizeof list_columns / sizeof *list_columns);
    for (size_t i = 0; i < modules.n_items; i++)
        list_row(report, &table, &modules, modules.items[i].name, modules.items[i].group, &modules.items[i]);
    fm_table_csv(&table, out);
    return FM_OK;
}

static void write_cost(struct fm_json *json, const struct fm_module_cost *cost)
{
    fm_json_seconds(json, "work_s", cost->work_ns);
    fm_json_seconds(json, "waiting_s", cost->waiting_ns);
    fm_json_seconds(json, "waiting_estimated_s", cost->estimated_ns);
}

static void write_list(struct fm_json *json, const struct fm_modules *modules)
{
    fm_json_array(json, "list", FM_JSON_LINES);
    for (size_t i = 0; i < modules->n_items; i++) {
        const struct fm_modules_item *item = &modules->items[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", item->name);
        fm_json_text_or_null(json, "group", item->group ? item->group : "");
        write_cost(json, &item->own);
        fm_json_seconds(json, "causes_waiting_s", item->causes_ns);
        fm_json_object(json, "inclusive", FM_JSON_INLINE);
        write_cost(json, &item->all);
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void open_node(struct fm_json *json, const char *key, const struct fm_modules_node *node)
{
    fm_json_object(json, key, FM_JSON_LINES);
    fm_json_text(json, "name", node->parent || node->name[0] ? node->name : "all");
    write_cost(json, &node->all);
    fm_json_array(json, "children", FM_JSON_LINES);
}

/* Modules that call one another in turn nest as deep as calls do: no recursion, and a limit. */
static void write_tree(struct fm_json *json, const struct fm_modules *modules)
{
    enum { DEPTH = 120 };
    const struct fm_modules_node *nodes = modules->nodes;
    uint32_t at = 0;
    size_t depth = 0;
    open_node(json, "tree", nodes);
    for (;;) {
        uint32_t next = depth < DEPTH ? nodes[at].first : 0;
        if (next) {
            depth++;
        } else {
            fm_json_end(json);
            fm_json_end(json);
            for (; at && !nodes[at].next; depth--) {
                at = nodes[at].parent;
                fm_json_end(json);
                fm_json_end(json);
            }
            if (!at)
                return;
            next = nodes[at].next;
        }
        at = next;
        open_node(json, NULL, &nodes[at]);
    }
}

enum fm_status fm_json_modules(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_calltree calls;
    struct fm_modules modules;
    if (!fm_report_sampled(report)) {
        fm_json_null(json, "modules");
        return FM_OK;
    }
    enum fm_status status = find_modules(report, &calls, &modules, error);
    if (status)
        return status;
    fm_json_object(json, "modules", FM_JSON_LINES);
    write_list(json, &modules);
    write_tree(json, &modules);
    fm_json_end(json);
    return FM_OK;
}
