#include "report/listing.h"

#include <stdlib.h>
#include <string.h>

#include "report/sample.h"
#include "tap.h"

static char *text_of(struct fm_listing *listing, void (*print)(struct fm_listing *, size_t, FILE *), size_t rows)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print(listing, rows, out);
    fclose(out);
    return text;
}

static void add(struct fm_listing *listing, const char *file, struct fm_profile *profile)
{
    struct fm_error error;
    tap_ok(fm_listing_add(listing, file, profile, &error) == FM_OK, "add %s", file);
    fm_profile_destroy(profile);
}

static void test_findings(void)
{
    struct fm_listing listing = {0};
    struct fm_error error;
    struct fm_profile *profile = sample_profile(4), *none = sample_profile(4);
    none->n_processes = none->job.ranks = 1;
    tap_ok(!fm_listing_add(&listing, "a.fathom", profile, &error) &&
               !fm_listing_add(&listing, "b.fathom", none, &error) && !listing.items[0].rule,
           "findings are not looked for by themselves");
    char *text = text_of(&listing, fm_listing_text, 0);
    tap_ok(!strstr(text, "finding"), "nor is there a column for them");
    free(text);
    tap_ok(!fm_listing_find(&listing, &listing.items[0], profile, NULL, &error) &&
               !fm_listing_find(&listing, &listing.items[1], none, NULL, &error),
           "find");
    fm_profile_destroy(profile);
    fm_profile_destroy(none);
    text = text_of(&listing, fm_listing_text, 0);
    tap_ok(strstr(text, "first finding") && strstr(text, "  imbalance 20 %  "), "the costliest, with its share");
    free(text);
    text = text_of(&listing, fm_listing_csv, 0);
    tap_ok(strstr(text, ",finding,finding_fraction,finding_text,") && strstr(text, ",imbalance,0.19") &&
               strstr(text, ",Rank 0 computes longer than the rest"),
           "in CSV");
    free(text);
    text = text_of(&listing, fm_listing_json, 0);
    tap_ok(strstr(text, "\"finding\": \"imbalance\", \"finding_fraction\": 0.19") &&
               strstr(text, "\"finding\": null, \"finding_fraction\": null, \"finding_text\": null"),
           "in JSON");
    free(text);
    fm_listing_close(&listing);
}

static bool is_first(struct fm_listing *listing, enum fm_listing_order order, const char *file)
{
    return fm_listing_sort(listing, order) && strcmp(listing->items[0].file, file) == 0;
}

int main(void)
{
    struct fm_listing listing = {0};
    struct fm_profile *late = sample_profile(16), *without = sample_profile(2);
    late->job.started_real_ns += 5 * SECOND;
    late->job.ended_real_ns += 60 * SECOND;
    late->job.user = "bob";
    without->n_routines = 0;
    without->job.exe = "/bin/\x1b[31mred";
    add(&listing, "b.fathom", sample_incomplete(8));
    add(&listing, "a.fathom", late);
    add(&listing, "c.fathom", without);
    fm_listing_add_unreadable(&listing, "d.fathom", "d.fathom is not a Fathom profile");
    tap_ok(
        is_first(&listing, FM_LISTING_BY_TIME, "a.fathom") && is_first(&listing, FM_LISTING_BY_WALL, "a.fathom") &&
            is_first(&listing, FM_LISTING_BY_FILE, "a.fathom") && is_first(&listing, FM_LISTING_BY_RANKS, "c.fathom") &&
            is_first(&listing, FM_LISTING_BY_USER, "b.fathom") && is_first(&listing, FM_LISTING_BY_PROGRAM, "c.fathom"),
        "orders");
    fm_listing_sort(&listing, FM_LISTING_BY_EFFICIENCY);
    tap_ok(!listing.items[2].factors.known && strcmp(listing.items[2].file, "c.fathom") == 0,
           "what has no efficiency comes last");
    char *text = text_of(&listing, fm_listing_text, 0);
    tap_ok(strstr(text, "rank 2 killed by signal 9 (SIGKILL), ...") && strstr(text, "complete") &&
               !strchr(text, 0x1b) && strstr(text, "miniocean"),
           "one line each, with how it ended");
    free(text);
    text = text_of(&listing, fm_listing_text, 1);
    tap_ok(strstr(text, "+ 2 more"), "as many as were asked for");
    free(text);
    text = text_of(&listing, fm_listing_csv, 0);
    tap_ok(strncmp(text, "program,ranks,started,wall_s,parallel,", 38) == 0 && strstr(text, ",ada,"), "CSV");
    free(text);
    text = text_of(&listing, fm_listing_json, 0);
    tap_ok(strstr(text, "\"parallel\": null") && strstr(text, "\"why\": \"d.fathom is not a Fathom profile\""), "JSON");
    free(text);
    fm_listing_close(&listing);
    listing = (struct fm_listing){0};
    text = text_of(&listing, fm_listing_text, 0);
    tap_ok(strcmp(text, "No profiles.\n") == 0, "none");
    free(text);
    test_findings();
    return tap_done();
}
