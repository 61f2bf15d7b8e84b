/* A comparison of runs with its tree in columns.
 *
 *   pages-slice_scale --write VIEW FOLDER   writes it and the document that it is made from, for same_numbers_test.py */
#include "pages/slice_scale.h"

#include <stdlib.h>
#include <string.h>

#include "report/sample_pop.h"
#include "tap.h"

typedef enum fm_status printer(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

static enum fm_status print(FILE *out, size_t n, const struct fm_scaling_options *options, printer *write,
                            struct fm_error *error)
{
    static const char *const files[] = {"a.fathom", "b.fathom", "c.fathom"};
    struct fm_profile *profiles[] = {pop_profile(4), pop_profile(16), pop_profile(64)};
    struct fm_symbols *symbols = pop_symbols();
    struct fm_scaling scaling;
    struct fm_scaling_run runs[3] = {0};
    for (size_t i = 0; i < n; i++)
        runs[i] = (struct fm_scaling_run){.file = files[i], .profile = profiles[i], .symbols = symbols};
    enum fm_status status = fm_scaling_open(&scaling, runs, n, options, error);
    if (!status)
        status = write(&scaling, out, error);
    fm_scaling_close(&scaling);
    fm_symbols_destroy(symbols);
    for (size_t i = 0; i < 3; i++)
        fm_profile_destroy(profiles[i]);
    return status;
}

/* In memory that the caller frees. */
static char *text_of(size_t n, const struct fm_scaling_options *options, printer *write)
{
    char *text = NULL;
    size_t size;
    struct fm_error error = {0};
    FILE *out = open_memstream(&text, &size);
    if (print(out, n, options, write, &error))
        fprintf(out, "error: %s", error.text);
    fclose(out);
    return text;
}

static void test_trend(void)
{
    const struct fm_scaling_options options = {.threshold = 0.8};
    char *two = text_of(2, &options, fm_slice_scale), *three = text_of(3, &options, fm_slice_scale);
    tap_ok(strstr(two, "\"trend\": null") != NULL, "two runs have no trend");
    tap_ok(strstr(three, "\"trend\": { \"forms\": [ \"constant\",") != NULL, "three have");
    tap_ok(strchr(three, '\n') == three + strlen(three) - 1, "and everything is in one line");
    free(two);
    free(three);
}

static void test_split(void)
{
    const struct fm_scaling_options options = {.threshold = 0.8, .view = FM_SCALING_SPLIT};
    char *slice = text_of(2, &options, fm_slice_scale), *document = text_of(2, &options, fm_scaling_json);
    tap_ok(strcmp(slice, document) == 0 && slice[0] == '{', "the view without a tree is as it is");
    free(slice);
    free(document);
}

static int write_both(const char *view, const char *folder)
{
    struct fm_scaling_options options = {.threshold = 0.8};
    while (strcmp(fm_scaling_views[options.view], view) != 0)
        options.view++;
    for (unsigned i = 0; i < 2; i++) {
        char path[4096];
        struct fm_error error;
        snprintf(path, sizeof path, "%s/%s.json", folder, i ? "slice" : "document");
        FILE *out = fopen(path, "w");
        if (!out || print(out, 3, &options, i ? fm_slice_scale : fm_scaling_json, &error) || fclose(out))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--write") == 0)
        return write_both(argv[2], argv[3]);
    test_trend();
    test_split();
    return tap_done();
}
