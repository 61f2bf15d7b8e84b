/* The record of a job: what is written is read, nothing is longer than the limit, and nothing wrong is accepted. */
#include "site/record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/record/lists.h"
#include "site/record/random_record.h"
#include "tap.h"

static void sections_stand_together(void)
{
    bool together = true;
    for (size_t i = 1; i < FM_RECORD_N_FIELDS; i++)
        for (size_t k = 0; k + 1 < i; k++)
            together = together && (strcmp(fm_record_fields[k].section, fm_record_fields[i].section) ||
                                    !strcmp(fm_record_fields[i - 1].section, fm_record_fields[i].section));
    tap_ok(together, "fields of a section stand together in the table");
}

static void records_come_back(void)
{
    unsigned equal = 0, left_out = 0;
    for (unsigned seed = 0; seed < 500; seed++) {
        struct fm_record record, again;
        char text[FM_RECORD_BYTES + 1];
        struct fm_error error;
        unsigned unknown = 0;
        fm_random_record(&record, seed, seed % 5);
        size_t length = fm_record_write(&record, text);
        if (fm_record_read(&again, text, length, &unknown, &error)) {
            printf("# %s\n# %s\n", error.text, text);
        } else {
            equal += strlen(text) == length && fm_records_equal(&record, &again);
            left_out += unknown;
            fm_record_destroy(&again);
        }
        fm_record_destroy(&record);
    }
    tap_ok(equal == 500, "read(write(r)) == r for %u of 500 random records", equal);
    tap_ok(left_out == 0, "all keys that are written are known");
}

static void an_empty_record_is_written(void)
{
    struct fm_record record;
    char text[FM_RECORD_BYTES + 1];
    fm_record_init(&record);
    fm_record_write(&record, text);
    tap_ok(!strcmp(text, "{\"fathom\":1}"), "what is unknown is not written");
}

static void what_is_too_much_is_left_out(void)
{
    bool within = true, ascii = true, readable = true, sums = true, first = true;
    for (unsigned seed = 0; seed < 100; seed++) {
        struct fm_record record, again;
        char text[FM_RECORD_BYTES + 1];
        fm_random_record(&record, seed, 1 + seed * 10);
        size_t length = fm_record_write(&record, text);
        within = within && length <= FM_RECORD_BYTES && strlen(text) == length;
        for (size_t i = 0; i < length; i++)
            ascii = ascii && text[i] >= ' ' && text[i] <= '~';
        if (fm_record_read(&again, text, length, NULL, NULL)) {
            readable = false;
        } else {
            double before = 0, after = 0;
            int64_t calls_before = 0, calls_after = 0;
            for (size_t i = 0; i < record.n_routines; i++) {
                before += isfinite(record.routines[i].time_s) ? record.routines[i].time_s : 0;
                calls_before += record.routines[i].calls > 0 ? record.routines[i].calls : 0;
            }
            for (size_t i = 0; i < again.n_routines; i++) {
                after += isfinite(again.routines[i].time_s) ? again.routines[i].time_s : 0;
                calls_after += again.routines[i].calls > 0 ? again.routines[i].calls : 0;
            }
            sums = sums && fabs(before - after) <= 1e-9 * before && calls_before == calls_after;
            first = first && (again.n_findings > 0) == (record.n_findings > 0);
            fm_record_destroy(&again);
        }
        fm_record_destroy(&record);
    }
    tap_ok(within, "no record is longer than 5,000 bytes");
    tap_ok(ascii, "records are printable ASCII");
    tap_ok(readable, "shortened records are records");
    tap_ok(sums, "routines that are left out are in the sums of \"other\"");
    tap_ok(first, "the first finding is kept");
}

static void long_texts_fit(void)
{
    static const char *const units[] = {"\xc3\xa4", "\"", "\xf0\x9f\x8c\x8a", "\x1b", "\xff", "a"};
    bool fits = true;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        struct fm_record record, again;
        char text[FM_RECORD_BYTES + 1], longest[4096] = "";
        while (strlen(longest) < 4000)
            strcat(longest, units[u]);
        fm_random_record(&record, 1, 3);
        for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++)
            if (fm_record_fields[i].kind == FM_RECORD_KIND_TEXT && i != FM_RECORD_FIELD_key)
                *(const char **)((char *)&record + fm_record_fields[i].offset) = longest;
        size_t length = fm_record_write(&record, text);
        bool read = length <= FM_RECORD_BYTES && !fm_record_read(&again, text, length, NULL, NULL);
        fits = fits && read && strlen(again.user) >= 10 && strlen(again.user) <= FM_RECORD_TEXT;
        if (read)
            fm_record_destroy(&again);
        fm_record_destroy(&record);
    }
    tap_ok(fits, "texts are cut where all of them would not fit");
}

#define DOCUMENT(rest) \
    "{\"fathom\":1,\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\",\"started\":\"2026-11-15T02:00:00Z\"" rest

static enum fm_status status_of(const char *text, struct fm_record *record, unsigned *left_out)
{
    struct fm_error error = {0};
    enum fm_status status = fm_record_read(record, text, strlen(text), left_out, &error);
    if (status && !*error.text)
        return FM_ERR_SYSTEM; /* every refusal has a sentence */
    return status;
}

static void wrong_documents_are_refused(void)
{
    static const struct {
        const char *what, *text;
    } wrong[] = {
        {"nothing", ""},
        {"no JSON", "hello"},
        {"a list", "[]"},
        {"a cut document", DOCUMENT("}")},
        {"more after the end", DOCUMENT("}}x")},
        {"no version", "{\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\"}}"},
        {"version 0", "{\"fathom\":0,\"job\":{}}"},
        {"a version that is a text", "{\"fathom\":\"1\",\"job\":{}}"},
        {"no job", "{\"fathom\":1}"},
        {"no key", "{\"fathom\":1,\"job\":{\"started\":\"2026-11-15T02:00:00Z\"}}"},
        {"a key that is none",
         "{\"fathom\":1,\"job\":{\"key\":\"../../etc/passwd\",\"started\":\"2026-11-15T02:00:00Z\"}}"},
        {"no start", "{\"fathom\":1,\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\"}}"},
        {"February 30",
         "{\"fathom\":1,\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\",\"started\":\"2026-02-30T02:00:00Z\"}}"},
        {"a start before 1970",
         "{\"fathom\":1,\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\",\"started\":\"1969-02-20T02:00:00Z\"}}"},
        {"a start of letters",
         "{\"fathom\":1,\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\",\"started\":\"yyyy-mm-ddThh:mm:ssZ\"}}"},
        {"the same key twice", DOCUMENT(",\"ranks\":1,\"ranks\":2}}")},
        {"negative ranks", DOCUMENT(",\"ranks\":-1}}")},
        {"half a rank", DOCUMENT(",\"ranks\":1.5}}")},
        {"too many ranks", DOCUMENT(",\"ranks\":1000000000000000001}}")},
        {"a number that is no 64-bit one", DOCUMENT(",\"ranks\":99999999999999999999}}")},
        {"a number as text", DOCUMENT(",\"ranks\":\"4\"}}")},
        {"negative time", DOCUMENT(",\"wall_s\":-1e-9}}")},
        {"infinite time", DOCUMENT(",\"wall_s\":1e999}}")},
        {"too much time", DOCUMENT(",\"wall_s\":1e14}}")},
        {"no number", DOCUMENT(",\"wall_s\":NaN}}")},
        {"a text as number", DOCUMENT(",\"user\":4}}")},
        {"a NUL in a text", DOCUMENT(",\"user\":\"a\\u0000b\"}}")},
        {"half a surrogate pair", DOCUMENT(",\"user\":\"\\ud800\"}}")},
        {"invalid UTF-8", DOCUMENT(",\"user\":\"\xff\"}}")},
        {"a flag as number", DOCUMENT(",\"complete\":1}}")},
        {"a weight below 1", DOCUMENT(",\"weight\":0.5}}")},
        {"a huge weight", DOCUMENT(",\"weight\":100000}}")},
        {"a section that is a list", DOCUMENT("},\"mpi\":[]}")},
        {"a list that is an object", DOCUMENT("},\"findings\":{}}")},
        {"an item that is a number", DOCUMENT("},\"findings\":[1]}")},
        {"a routine without a name", DOCUMENT("},\"mpi\":{\"routines\":[{\"calls\":1}]}}")},
        {"an empty name of a routine", DOCUMENT("},\"mpi\":{\"routines\":[{\"name\":\"\"}]}}")},
        {"null as name of a routine", DOCUMENT("},\"mpi\":{\"routines\":[{\"name\":null}]}}")},
        {"a setting that is a number", DOCUMENT(",\"environment\":{\"A\":1}}}")},
    };
    struct fm_record record;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        tap_ok(status_of(wrong[i].text, &record, NULL) == FM_ERR_INPUT, "refused: %s", wrong[i].what);
}

/* `n` times `unit` between two texts. */
static char *repeated(const char *before, const char *unit, size_t n, const char *after)
{
    char *text = malloc(strlen(before) + n * strlen(unit) + strlen(after) + 1), *at = stpcpy(text, before);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, unit);
    strcpy(at, after);
    return text;
}

static void large_documents_are_refused(void)
{
    struct fm_record record;
    char *deep = repeated("", "[", 60000, ""),
         *items = repeated(DOCUMENT("},\"timers\":[{\"name\":\"a\"}"), ",{\"name\":\"a\"}", 1024, "]}"),
         *large = repeated(DOCUMENT(",\"user\":\""), "a", FM_RECORD_READ_BYTES, "\"}}");
    tap_ok(status_of(deep, &record, NULL) == FM_ERR_INPUT, "refused: 60,000 brackets");
    tap_ok(status_of(items, &record, NULL) == FM_ERR_INPUT, "refused: a list of 1,025 items");
    tap_ok(status_of(large, &record, NULL) == FM_ERR_INPUT, "refused: more than 65,536 bytes");
    free(deep);
    free(items);
    free(large);
}

static void newer_documents_are_read(void)
{
    struct fm_record record;
    unsigned left_out = 0;
    const char *newer = "{\"fathom\":7,\"new\":{\"a\":[1]},\"job\":{\"key\":\"0123456789abcdef0123456789abcdef\","
                        "\"started\":\"2026-11-15T02:00:00Z\",\"colour\":\"red\",\"ranks\":4},"
                        "\"mpi\":{\"routines\":[{\"name\":\"MPI_Send\",\"calls\":3,\"novel\":1}]}}";
    bool read = tap_ok(!status_of(newer, &record, &left_out), "a newer document is read");
    tap_ok(read && left_out == 3, "its unknown keys are counted");
    tap_ok(read && record.ranks == 4 && record.n_routines == 1 && record.routines[0].calls == 3 &&
               record.routines[0].bytes == -1 && isnan(record.wall_s) && record.started == 1794708000,
           "known keys are read, the others are unknown");
    if (read)
        fm_record_destroy(&record);
}

static void texts_are_made_safe(void)
{
    struct fm_record record;
    char *text = repeated(DOCUMENT(",\"program\":\"a\\u001b[31mb\\u202ec\",\"user\":\""), "\xc3\xa4", 200, "\"}}");
    bool read = tap_ok(!status_of(text, &record, NULL), "control characters are no reason to refuse a record");
    tap_ok(read && !strcmp(record.program, "a?[31mb?c"), "they are replaced");
    tap_ok(read && strlen(record.user) == 254, "long texts are cut between characters");
    if (read)
        fm_record_destroy(&record);
    free(text);
}

int main(void)
{
    sections_stand_together();
    records_come_back();
    an_empty_record_is_written();
    what_is_too_much_is_left_out();
    long_texts_fit();
    wrong_documents_are_refused();
    large_documents_are_refused();
    newer_documents_are_read();
    texts_are_made_safe();
    return tap_done();
}
