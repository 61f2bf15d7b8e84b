/* The modules of a model: what each of them costs, with the waiting in brackets, and who calls whom. */
#include "base/units.h"
#include "present/module_trees.h"
#include "present/tree_text.h"

enum { USUAL_MODULES = 20, HEADLINE = 3, BAR_COLUMNS = 20 };

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
    enum fm_status status = fm_modules_contexts(report, modules, &tree, error);
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
    enum fm_status status = fm_report_modules(report, &calls, &modules, error);
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
    enum fm_status status = fm_report_sampled(report) ? fm_report_modules(report, &calls, &modules, error) : FM_OK;
    if (status)
        return status;
    fm_table_start(&table, &report->arena, list_columns, sizeof list_columns / sizeof *list_columns);
    for (size_t i = 0; i < modules.n_items; i++)
        list_row(report, &table, &modules, modules.items[i].name, modules.items[i].group, &modules.items[i]);
    fm_table_csv(&table, out);
    return FM_OK;
}
