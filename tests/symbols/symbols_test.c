/* Symbols as a table: what is told, what is unknown, source lines. With arguments it is a tool for symbols_test.py:
 *   analyse-symbols MODULE BUILD_ID DEBUG_PATH CACHE THREADS
 * reads lines "pc 0x1234" or "ra 0x1234" and prints the frames of each, innermost first as addr2line does:
 *   function<TAB>path:line<TAB>defined:line<TAB>inlined, then an empty line */
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static void say(void *context, const char *sentence)
{
    (void)context;
    fprintf(stderr, "%s\n", sentence);
}

enum { MAX_ASKED = 1 << 20 };

static int answer(char **argv)
{
    static struct {
        struct fm_site site;
        enum fm_address kind;
    } asked[MAX_ASKED];
    struct fm_symbols_options options = {
        .debug_path = argv[3], .cache = argv[4], .threads = (unsigned)atoi(argv[5]), .say = say};
    struct fm_symbols *symbols = fm_symbols_create(&options);
    char kind[3];
    size_t n = 0;
    uint64_t offset;
    while (n < MAX_ASKED && scanf("%2s %" SCNx64, kind, &offset) == 2) {
        asked[n].site = (struct fm_site){argv[1], argv[2], offset};
        asked[n].kind = strcmp(kind, "ra") == 0 ? FM_RETURN_ADDRESS : FM_SAMPLED_ADDRESS;
        fm_symbols_want(symbols, &asked[n].site, asked[n].kind);
        n++;
    }
    fm_symbols_resolve(symbols);
    for (size_t i = 0; i < n; i++) {
        struct fm_frames frames = fm_symbols_find(symbols, &asked[i].site, asked[i].kind);
        for (size_t f = frames.n; f-- > 0;) {
            const struct fm_symbol *frame = &frames.items[f];
            printf("%s\t%s:%u\t%s:%u\t%d\n", frame->function, frame->path, frame->line, frame->defined,
                   frame->defined_line, frame->inlined);
        }
        putchar('\n');
    }
    fm_symbols_destroy(symbols);
    return 0;
}

static void test_table(void)
{
    static const struct fm_symbol two[] = {
        {.function = "main", .path = "/src/main.c", .line = 12, .defined = "/src/main.c", .defined_line = 3},
        {.function = "dot", .path = "/src/dot.h", .line = 7, .defined = "/src/dot.h", .inlined = true},
    };
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.threads = 2});
    char path[] = "/nowhere/pop";
    struct fm_site site = {path, "ab12", 0x4a3c}, nowhere = {"", "", 0}, other = {"/nowhere/pop", "ab13", 0x4a3c};
    fm_symbols_know(symbols, &site, FM_RETURN_ADDRESS, two, 2);
    memset(path, 'x', 4);
    site.module = "/nowhere/pop";
    fm_symbols_want(symbols, &other, FM_RETURN_ADDRESS);
    fm_symbols_want(symbols, &nowhere, FM_RETURN_ADDRESS);
    fm_symbols_resolve(symbols);
    struct fm_frames frames = fm_symbols_find(symbols, &site, FM_RETURN_ADDRESS);
    tap_ok(frames.known && frames.n == 2 && strcmp(frames.items[1].file, "dot.h") == 0 && frames.items[1].inlined &&
               frames.items[0].line == 12,
           "frames are found as they were told, outermost first");
    tap_ok(frames.items[0].path == frames.items[0].defined, "equal texts are equal pointers");
    struct fm_site before = site;
    before.offset--;
    tap_ok(fm_symbols_find(symbols, &before, FM_SAMPLED_ADDRESS).items == frames.items,
           "a return address is the byte before it");
    frames = fm_symbols_find(symbols, &other, FM_RETURN_ADDRESS);
    tap_ok(!frames.known && frames.n == 1 && strcmp(frames.items[0].function, "pop+0x4a3c") == 0,
           "another build id is another module, and what is unknown is module + offset");
    tap_ok(fm_symbols_find(symbols, &other, FM_RETURN_ADDRESS).items == frames.items, "the same frame each time");
    frames = fm_symbols_find(symbols, &nowhere, FM_RETURN_ADDRESS);
    tap_ok(!frames.known && frames.n == 1 && strcmp(frames.items[0].function, "(unknown)") == 0, "no module at all");
    for (uint64_t i = 0; i < 100000; i++)
        fm_symbols_know(symbols, &(struct fm_site){"/a", "", i * 7 + 1}, FM_SAMPLED_ADDRESS, two, 1 + i % 2);
    size_t right = 0;
    for (uint64_t i = 0; i < 100000; i++)
        right += fm_symbols_find(symbols, &(struct fm_site){"/a", "", i * 7 + 1}, FM_SAMPLED_ADDRESS).n == 1 + i % 2;
    tap_ok(right == 100000, "of 100000 addresses %zu are found", right);
    fm_symbols_destroy(symbols);
}

static void count_said(void *context, const char *sentence)
{
    char *last = context;
    last[0]++;
    strncpy(last + 1, sentence, 100);
}

static void test_many_missing(void)
{
    char said[102] = {0}, paths[9][16];
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.say = count_said, .context = said});
    for (int i = 0; i < 9; i++) {
        snprintf(paths[i], sizeof paths[i], "/nowhere/%d", i);
        fm_symbols_want(symbols, &(struct fm_site){paths[i], "", 16}, FM_RETURN_ADDRESS);
    }
    fm_symbols_resolve(symbols);
    tap_ok(said[0] == 6 && strcmp(said + 1, "4 more files of the job are missing or changed") == 0,
           "of 9 missing files 5 are named: %s", said + 1);
    fm_symbols_resolve(symbols);
    tap_ok(said[0] == 6, "once");
    fm_symbols_destroy(symbols);
}

static void test_source(void)
{
    char name[] = "/tmp/fathom-source-XXXXXX";
    int fd = mkstemp(name);
    static const char text[] = "  one\n\n\tthree \r\nlast";
    bool written = write(fd, text, sizeof text - 1) == sizeof text - 1;
    close(fd);
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.directory = "/tmp"});
    const char *expected[] = {"one", "", "three", "last"};
    bool right = written;
    for (unsigned i = 0; i < 4; i++)
        right &= strcmp(fm_symbols_source(symbols, name, i + 1), expected[i]) == 0;
    tap_ok(right, "source lines, without indentation and ends");
    tap_ok(!fm_symbols_source(symbols, name, 0) && !fm_symbols_source(symbols, name, 5), "lines that are not there");
    tap_ok(!fm_symbols_source(symbols, "/nowhere.c", 1) && !fm_symbols_source(symbols, "", 1) &&
               !fm_symbols_source(symbols, "/tmp", 1),
           "files that are not there");
    tap_ok(fm_symbols_source(symbols, strrchr(name, '/') + 1, 1) != NULL, "relative to the job's directory");
    unlink(name);
    tap_ok(fm_symbols_source(symbols, name, 1) != NULL, "a file is read once");
    fm_symbols_destroy(symbols);
}

int main(int argc, char **argv)
{
    if (argc == 6)
        return answer(argv);
    test_table();
    test_many_missing();
    test_source();
    return tap_done();
}
