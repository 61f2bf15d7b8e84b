/* Notes in files of an older and of a newer Fathom.
 *   section_notes_test --newer PROFILE FILE    writes the profile with two notes of a newer Fathom */
#include <string.h>

#include "format/encode.h"
#include "format/sections.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "model/note_codes.h"
#include "tap.h"

static const uint32_t later = 70000; /* a code that there is not */

static bool add(struct fm_profile *p, uint32_t code, const char *argument, uint64_t amount, const char *text)
{
    struct fm_range range = {0, 1};
    struct fm_note note = {code, argument, amount, {&range, 1, 1}, text};
    return fm_merge_notes(p, &note, 1);
}

static struct fm_profile *passed_on(const struct fm_profile *p)
{
    struct fm_arena arena = {0};
    struct fm_profile *again = NULL;
    const void *bytes;
    size_t size;
    if (!fm_profile_encode(p, &arena, &bytes, &size, NULL))
        fm_profile_decode(bytes, size, "it", &again, NULL);
    fm_arena_destroy(&arena);
    return again;
}

/* Sentences that 0.1.0 wrote, in the order of a file, and others that look like them. */
static void test_old_texts(void)
{
    static const struct {
        const char *text;
        uint32_t code;
        const char *argument;
    } cases[] = {
        {"FATHOM_MEMORY needs 4M", FM_NOTE_TEXT, ""},
        {"FATHOM_MEMORY needs a size such as 4M or 512K, not '': 4': 4M is used", FM_NOTE_INVALID_SETTING,
         "FATHOM_MEMORY=': 4"},
        {"FATHOM_MEMORY needs a size, not ': 4M is used", FM_NOTE_TEXT, ""},
        {"FATHOM_OUPUT is not a setting of Fathom; did you mean FATHOM_OUTPUT?", FM_NOTE_UNKNOWN_SETTING,
         "FATHOM_OUPUT"},
        {"FATHOM_OUPUT is nothing", FM_NOTE_TEXT, ""},
        {"measured in TMPDIR because the usual directory could not be made or had no room", FM_NOTE_IN_TMPDIR, ""},
        {"something else", FM_NOTE_TEXT, ""},
        {"started by MPI_Comm_spawn", FM_NOTE_SPAWNED, ""},
        {"wrong uses of timers (fathom report --view timers says where)", FM_NOTE_TIMER_MISUSES, ""},
    };
    enum { N = sizeof cases / sizeof *cases };
    struct fm_profile *p = fm_profile_create();
    for (size_t i = 0; i < N; i++)
        add(p, FM_NOTE_TEXT, "", i + 1, cases[i].text);
    struct fm_profile *again = passed_on(p);
    bool all = again && again->n_notes == N;
    for (size_t i = 0; all && i < N; i++) {
        const struct fm_note *note = &again->notes[i];
        const size_t from = note->amount - 1;
        bool good = note->code == cases[from].code && !strcmp(note->argument, cases[from].argument) &&
                    !strcmp(note->text, note->code == FM_NOTE_TEXT ? cases[from].text : "");
        tap_ok(good, "%s: code %u, '%s'", cases[from].text, note->code, note->argument);
    }
    tap_ok(all && again->left_out.values == 0, "all texts are there");
    fm_profile_destroy(again);
    fm_profile_destroy(p);
}

static struct fm_profile *of_a_newer_one(void)
{
    struct fm_profile *p = fm_profile_create();
    add(p, later, "libx.so", 12, "");
    add(p, later + 1, "", 3, "a sentence of a newer Fathom");
    add(p, FM_NOTE_SPAWNED, "", 0, "");
    add(p, FM_NOTE_OTHER_TOOL, "", 0, "");
    return p;
}

static void test_newer(void)
{
    struct fm_profile *p = of_a_newer_one(), *one = passed_on(p), *other = passed_on(p);
    tap_ok(one && one->left_out.values == 2, "codes of a newer Fathom are counted");
    fm_profile_merge(one, other, NULL);
    struct fm_profile *all = passed_on(one);
    const struct fm_note *a = all && all->n_notes == 4 ? &all->notes[2] : NULL, *b = a ? &all->notes[3] : NULL;
    tap_ok(a && a->code == later && a->amount == 24 && !strcmp(a->argument, "libx.so") && !*a->text &&
               a->ranks.n == 1 && a->ranks.ranges[0].last == 1,
           "they are read, merged and written");
    tap_ok(b && b->code == later + 1 && b->amount == 6 && !strcmp(b->text, "a sentence of a newer Fathom"),
           "with the sentence that the file has");
    fm_profile_destroy(p);
    fm_profile_destroy(one);
    fm_profile_destroy(other);
    fm_profile_destroy(all);
}

/* A reader that knows only the first two columns. */
static void test_older_reader(void)
{
    struct fm_profile *p = of_a_newer_one();
    const struct fm_fields first = {fm_note_fields.list, 2};
    struct fm_note notes[4] = {{0}};
    struct fm_column_writer w = {.profile = p, .collecting = true};
    struct fm_column_reader r = {.profile = fm_profile_create(), .version = 2};
    struct fm_packer strings;
    fm_put_notes(&w);
    w.collecting = false;
    fm_pack_begin(&w.pack, &w.scratch);
    fm_put_strings(&w);
    fm_pack_end(&w.pack);
    strings = w.pack;
    fm_pack_begin(&w.pack, &w.scratch);
    fm_put_notes(&w);
    fm_pack_end(&w.pack);
    r.section_bytes = strings.n;
    fm_unpack_begin(&r.unpack, strings.bytes, strings.n);
    fm_get_strings(&r);
    r.section_bytes = w.pack.n;
    fm_unpack_begin(&r.unpack, w.pack.bytes, w.pack.n);
    size_t n = fm_get_count(&r, 2);
    fm_get_fields(&r, &first, notes, n == 4 ? n : 0, sizeof *notes);
    bool good = n == 4 && !fm_column_reader_stopped(&r) && !strcmp(notes[1].text, "started by MPI_Comm_spawn") &&
                !strcmp(notes[3].text, "a sentence of a newer Fathom") && notes[3].amount == 3;
    tap_ok(good && r.profile->left_out.columns == 2, "who knows no codes has sentences");
    fm_profile_destroy(r.profile);
    fm_profile_destroy(p);
    fm_arena_destroy(&r.scratch);
    fm_arena_destroy(&w.scratch);
}

static int write_newer(const char *from, const char *to)
{
    struct fm_profile *p = NULL;
    struct fm_error error;
    int status = fm_profile_read(from, &p, &error) || !add(p, later, "libx.so", 12, "") ||
                 !add(p, later + 1, "", 3, "a sentence of a newer Fathom") || fm_profile_write(p, to, &error);
    fm_profile_destroy(p);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--newer") == 0)
        return write_newer(argv[2], argv[3]);
    test_old_texts();
    test_newer();
    test_older_reader();
    return tap_done();
}
