/* Numbers, strings, tables, CSV and JSON: how they are written. */
#include "render/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/csv.h"
#include "render/json.h"
#include "tap.h"

static char *written;
static size_t written_size;
static FILE *out;

static void start(void)
{
    free(written);
    out = open_memstream(&written, &written_size);
}

/* What was written since start() is exactly this. */
static void is(const char *expected, const char *name)
{
    fclose(out);
    if (!tap_ok(strcmp(written, expected) == 0, "%s", name))
        printf("# wanted: %s\n# got:    %s\n", expected, written);
}

#define NUMBER(function, value, expected)                                                       \
    do {                                                                                        \
        char buffer[FM_UNIT_CHARS];                                                             \
        tap_ok(strcmp(function(buffer, value), expected) == 0, "%s, not %s", expected, buffer); \
    } while (0)

static void test_numbers(void)
{
    NUMBER(fm_time_text, 0, "0 ns");
    NUMBER(fm_time_text, 41.4, "41 ns");
    NUMBER(fm_time_text, 999.96, "1.0 us");
    NUMBER(fm_time_text, 4.5e6, "4.5 ms");
    NUMBER(fm_time_text, 12.3e9, "12.3 s");
    NUMBER(fm_time_text, 999.96e9, "1,000 s");
    NUMBER(fm_time_text, 1234.5678e9, "1,235 s");
    NUMBER(fm_time_text, 1e14, "27.8 h");
    NUMBER(fm_bytes_text, 0, "0 B");
    NUMBER(fm_bytes_text, 8, "8 B");
    NUMBER(fm_bytes_text, 8.25, "8.2 B");
    NUMBER(fm_bytes_text, 1023.99, "1.0 KiB");
    NUMBER(fm_bytes_text, 1.2 * (1 << 20), "1.2 MiB");
    NUMBER(fm_bytes_text, 1.8446744073709552e19, "16.0 EiB");
    NUMBER(fm_rate_text, 2048, "2.0 KiB/s");
    NUMBER(fm_count_text, 0, "0");
    NUMBER(fm_count_text, 999, "999");
    NUMBER(fm_count_text, 1234567, "1,234,567");
    NUMBER(fm_count_text, 12345678, "12.3 M");
    NUMBER(fm_count_text, UINT64_MAX, "18.4 E");
    NUMBER(fm_mean_text, 128, "128");
    NUMBER(fm_mean_text, 1127.5, "1,127.5");
    NUMBER(fm_mean_text, 1e300, "18.4 E");
    NUMBER(fm_percent_text, 0.3412, "34.1");
    NUMBER(fm_percent_text, 0.0001, "<0.1");
    NUMBER(fm_percent_text, 0, "0.0");
    NUMBER(fm_percent_text, -0.0672, "-6.7");
    NUMBER(fm_percent_text, -0.0001, "0.0");
    NUMBER(fm_percent_text, 0.9994, "99.9");
    NUMBER(fm_percent_text, 0.9999, ">99.9");
    NUMBER(fm_percent_text, 1, "100.0");
    NUMBER(fm_percent_whole, 0.996, ">99 %");
    NUMBER(fm_percent_whole, 1, "100 %");
    NUMBER(fm_percent_whole, 0.3412, "34 %");
    NUMBER(fm_percent_whole, 0.001, "<1 %");
    NUMBER(fm_percent_fine, 0.00345, "0.34 %");
    NUMBER(fm_percent_fine, 0.9949, "99 %");
    NUMBER(fm_percent_fine, 12.3, "1230 %");
    NUMBER(fm_percent_fine, 0.000001, "<0.001 %");
    NUMBER(fm_date_iso, 1794708000ull * 1000000000, "2026-11-15T02:00:00Z");
    NUMBER(fm_date_text, 0, "");
    start();
    fm_print_seconds(out, 12300000001);
    is("12.300000001", "seconds with nine digits");
}

static void test_strings(void)
{
    tap_ok(fm_text_width("abc") == 3 && fm_text_width("\xc3\xa4\xe2\x82\xac") == 2, "width in code points");
    tap_ok(fm_text_width("\xe6\xb5\xb7") == 2 && fm_text_width("e\xcc\x81") == 1, "wide and combining ones");
    start();
    fm_print_text(out, "a\033[31mb\xff\xc3(\xc2\x9b\xed\xa0\x80 \xc3\xa4");
    is("a?[31mb?"
       "?(???? \xc3\xa4",
       "control characters and damaged UTF-8 are not printed");
    start();
    fm_print_cut(out, "abcdefghij", 6);
    is("ab..ij", "cut in the middle");
    start();
    fm_print_cut(out, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 5);
    is("\xc3\xa4..\xc3\xb6\xc3\xbc", "cut between code points");
    start();
    char words[400];
    memset(words, 'x', sizeof words);
    for (size_t i = 9; i < sizeof words; i += 10)
        words[i] = ' ';
    words[399] = 0;
    fm_print_folded(out, words, 2);
    fflush(out);
    size_t longest = 0;
    for (char *line = strtok(written, "\n"); line; line = strtok(NULL, "\n"))
        longest = strlen(line) > longest ? strlen(line) : longest;
    tap_ok(longest <= FM_TEXT_COLUMNS && longest > 80, "folded at %d columns", FM_TEXT_COLUMNS);
    fclose(out);
}

static const struct fm_column columns[] = {
    {"name", "name", FM_COLUMN_TEXT}, {"calls", "calls", FM_COLUMN_COUNT}, {"time", "time_s", FM_COLUMN_TIME},
    {NULL, "rank", FM_COLUMN_RANK},   {"share", NULL, FM_COLUMN_PERCENT},
};

static void fill(struct fm_table *table, struct fm_arena *arena, const char *name)
{
    fm_table_start(table, arena, columns, 5);
    fm_cell_text(table, name);
    fm_cell_whole(table, 1234567);
    fm_cell_whole(table, 4500000);
    fm_cell_whole(table, 123456);
    fm_cell_number(table, 0.5);
    fm_cell_text(table, "say \"hi\", you");
    fm_cell_none(table);
    fm_cell_whole(table, 12300000000);
    fm_cell_whole(table, 0);
    fm_cell_none(table);
    fm_cell_line(table, "-- a line --");
}

static void test_tables(void)
{
    struct fm_arena arena = {0};
    struct fm_table table;
    fill(&table, &arena, "\xc3\xa4");
    start();
    fm_table_print(&table, out);
    is("name               calls     time  share\n"
       "\xc3\xa4              1,234,567   4.5 ms   50.0\n"
       "say \"hi\", you             12.3 s\n"
       "-- a line --\n",
       "numbers and units aligned, no blanks at the end of a line");
    start();
    fm_table_csv(&table, out);
    is("name,calls,time_s,rank\r\n"
       "\xc3\xa4,1234567,0.004500000,123456\r\n"
       "\"say \"\"hi\"\", you\",,12.300000000,0\r\n",
       "CSV as RFC 4180 has it");
    char long_name[300];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    fill(&table, &arena, long_name);
    start();
    fm_table_print(&table, out);
    fflush(out);
    tap_ok(strcspn(written, "\n") <= FM_TEXT_LIMIT, "a text that is too long is cut");
    fclose(out);
    fm_arena_destroy(&arena);
}

static void test_json(void)
{
    start();
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_text(&json, "a\"b", "\\ \n \x01 \xff \xc3\xa4 \xf0\x9f\x8c\x8a \xed\xa0\x80");
    fm_json_array(&json, "l", FM_JSON_LINES);
    fm_json_whole(&json, NULL, UINT64_MAX);
    fm_json_number(&json, NULL, 0.0 / 0.0);
    fm_json_bool(&json, NULL, true);
    fm_json_seconds(&json, NULL, 1);
    fm_json_end(&json);
    fm_json_object(&json, "e", FM_JSON_LINES);
    fm_json_end(&json);
    fm_json_end(&json);
    is("{ \"a\\\"b\": \"\\\\ \\u000a \\u0001 \xef\xbf\xbd \xc3\xa4 \xf0\x9f\x8c\x8a \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
       " \"l\": [ 18446744073709551615, null, true, 0.000000001 ], \"e\": {} }\n",
       "JSON, escaped and always UTF-8");
}

int main(void)
{
    test_numbers();
    test_strings();
    test_tables();
    test_json();
    free(written);
    return tap_done();
}
