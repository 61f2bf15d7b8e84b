/* The schema is sound, and doc/FORMAT.md has its table as it is.
 *
 *   schema_test --print     the table: replace the one of the document by it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/lists.h"
#include "tap.h"

static const struct {
    const char *name;
    const struct fm_fields *fields;
} tables[] = {
    {"job", &fm_job_fields},
    {"grid", &fm_grid_fields},
    {"host", &fm_host_fields},
    {"process", &fm_process_fields},
    {"program", &fm_program_fields},
    {"counter", &fm_counter_fields},
    {"succession", &fm_succession_fields},
    {"file", &fm_file_fields},
    {"class of files", &fm_class_of_files_fields},
    {"class of files, composite", &fm_class_of_files_compounds},
    {"span", &fm_span_fields},
    {"stats", &fm_stats_fields},
    {"spread", &fm_spread_fields},
    {"routine", &fm_routine_fields},
    {"routine, composite", &fm_routine_compounds},
    {"value of a rank", &fm_rank_value_fields},
    {"event", &fm_event_fields},
    {"event, composite", &fm_event_compounds},
    {"region", &fm_region_fields},
    {"region, composite", &fm_region_compounds},
    {"snapshot", &fm_snapshot_fields},
    {"routine of a snapshot", &fm_snapshot_routine_fields},
    {"timer", &fm_timer_fields},
    {"group of a timer", &fm_timer_group_fields},
    {"bin of a timer", &fm_timer_bin_fields},
    {"wrong use of a timer", &fm_misuse_fields},
    {"share of a call path", &fm_path_share_fields},
    {"sequence", &fm_sequence_fields},
    {"row of the sequence", &fm_sequence_row_fields},
    {"note", &fm_note_fields},
};
enum { TABLES = sizeof tables / sizeof *tables };

static void print_table(FILE *out)
{
    static const char *const kinds[] = {
        [FM_FIELD_U64] = "64 bits",   [FM_FIELD_U32] = "32 bits",      [FM_FIELD_I32] = "signed",
        [FM_FIELD_TEXT] = "text",     [FM_FIELD_MAYBE] = "or unknown", [FM_FIELD_RETIRED] = "retired",
        [FM_FIELD_SPREAD] = "spread", [FM_FIELD_STATS] = "stats",      [FM_FIELD_RANKS] = "rank set",
    };
    static const char *const units[] = {"", "ns", "bytes", "count"};
    static const char *const merges[] = {
        [FM_MERGE_KEY] = "key",
        [FM_MERGE_SUM] = "sum",
        [FM_MERGE_MAX] = "largest",
        [FM_MERGE_MIN] = "smallest",
        [FM_MERGE_FIRST] = "lowest rank's",
        [FM_MERGE_TYPE] = "as its type",
        [FM_MERGE_OWN] = "see section",
    };
    fputs("| record | column | field | type | unit | merged | JSON key |\n|---|---|---|---|---|---|---|\n", out);
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t].fields->n; i++) {
            const struct fm_field *field = &tables[t].fields->list[i];
            if (field->kind == FM_FIELD_RETIRED)
                fprintf(out, "| %s | %zu | | retired | | | |\n", tables[t].name, i + 1);
            else
                fprintf(out, "| %s | %zu%s | %s | %s | %s | %s | %s |\n", tables[t].name, i + 1,
                        field->later ? " (later)" : "", field->name, kinds[field->kind], units[field->unit],
                        merges[field->merge], field->key);
        }
}

static void test_document(void)
{
    char path[4096], *table = NULL, *text = NULL;
    size_t size = 0;
    const char *source = getenv("FATHOM_SOURCE");
    FILE *out = open_memstream(&table, &size);
    print_table(out);
    fclose(out);
    snprintf(path, sizeof path, "%s/doc/FORMAT.md", source ? source : ".");
    FILE *in = fopen(path, "r");
    size_t n = 0;
    ssize_t length = in ? getdelim(&text, &n, 0, in) : -1;
    tap_ok(length > 0 && strstr(text, table), "doc/FORMAT.md has the table of the schema (%s --print)",
           "build/tests/format-schema");
    if (in)
        fclose(in);
    free(text);
    free(table);
}

static void test_tables(void)
{
    bool named = true, fits = true, keyed = true, known = true;
    for (size_t t = 0; t < TABLES; t++) {
        bool later = false;
        for (size_t i = 0; i < tables[t].fields->n; i++) {
            const struct fm_field *field = &tables[t].fields->list[i];
            named &= field->kind == FM_FIELD_RETIRED || *field->name;
            fits &= !later || field->later; /* no field of format 1 behind one that it does not have */
            later |= field->later;
            known &= field->kind != FM_FIELD_MAYBE || field->merge != FM_MERGE_SUM;
            keyed &= field->merge != FM_MERGE_KEY || field->kind <= FM_FIELD_RETIRED;
        }
    }
    tap_ok(named, "every column is a field: no number was left out");
    tap_ok(fits, "fields of format 1 come first");
    tap_ok(keyed, "no key is a composite");
    tap_ok(known, "what may be unknown is not added up: a sum would be unknown too");
}

static void test_figures(void)
{
    bool placed = true;
    for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++) {
        size_t found = 0;
        for (size_t i = 0; i < fm_process_fields.n; i++)
            found += fm_process_fields.list[i].offset == fm_figures[figure].offset && *fm_process_fields.list[i].name;
        placed &= found == 1 && *fm_figures[figure].key;
    }
    tap_ok(placed, "every figure of a process has a column and a key");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--print")) {
        print_table(stdout);
        return 0;
    }
    test_document();
    test_tables();
    test_figures();
    return tap_done();
}
