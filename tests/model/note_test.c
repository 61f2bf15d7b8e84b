/* Notes as sentences and names. */
#include "model/note.h"

#include <string.h>

#include "model/note_codes.h"
#include "tap.h"

static const uint32_t later = 70000; /* a code that there is not */

static void test_table(void)
{
    static const struct {
        uint32_t code;
        const char *name, *argument, *sentence;
    } table[] = {
#define ROW(number, code, name, amount, argument, sentence) {number, name, argument, sentence},
        FM_NOTES(ROW)
#undef ROW
    };
    char buffer[FM_NOTE_NAME];
    bool numbered = true, distinct = true, fits = true;
    for (uint32_t i = 0; i < sizeof table / sizeof *table; i++) {
        numbered &= table[i].code == i + 1 && fm_note_known(table[i].code);
        fits &= (*table[i].argument != 0) == (strstr(table[i].sentence, "%s") != NULL);
        for (uint32_t k = 0; k < i; k++)
            distinct &= strcmp(table[i].name, fm_note_name(table[k].code, buffer)) != 0;
    }
    tap_ok(numbered, "no number is left out or used twice");
    tap_ok(distinct && !strcmp(fm_note_name(FM_NOTE_TEXT, buffer), "text") &&
               !strcmp(fm_note_name(later, buffer), "unknown-70000"),
           "each has a name of its own");
    tap_ok(fits && !fm_note_known(FM_NOTE_TEXT) && !fm_note_known(later), "what has an argument shows it");
}

static void says(struct fm_note note, const char *expected)
{
    struct fm_arena arena = {0};
    const char *sentence = fm_note_sentence(&note, &arena);
    tap_ok(sentence && !strcmp(sentence, expected), "%s: '%s'", expected, sentence ? sentence : "(none)");
    fm_arena_destroy(&arena);
}

static void test_sentences(void)
{
    says((struct fm_note){FM_NOTE_SPAWNED, "", 0, {0}, ""}, "started by MPI_Comm_spawn");
    says((struct fm_note){FM_NOTE_INVALID_SETTING, "FATHOM_MEMORY=lots", 0, {0}, ""},
         "FATHOM_MEMORY must be a size such as 4M or 512K, not 'lots'; using 4M");
    says((struct fm_note){FM_NOTE_INVALID_SETTING, "FATHOM_MEMORY=4M", 0, {0}, ""}, "invalid setting FATHOM_MEMORY=4M");
    says((struct fm_note){FM_NOTE_UNKNOWN_SETTING, "FATHOM_OUPUT", 0, {0}, ""},
         "unknown setting FATHOM_OUPUT; did you mean FATHOM_OUTPUT?");
    says((struct fm_note){FM_NOTE_UNKNOWN_SETTING, "%s", 0, {0}, ""}, "unknown setting %s");
    says((struct fm_note){FM_NOTE_TEXT, "", 0, {0}, "as it was"}, "as it was");
    says((struct fm_note){later, "", 12, {0}, ""}, "note 70000 of a newer version of Fathom");
    says((struct fm_note){later, "libx.so", 12, {0}, ""}, "note 70000 of a newer version of Fathom (libx.so)");
    says((struct fm_note){later, "libx.so", 12, {0}, "libx.so was slow"}, "libx.so was slow");
}

int main(void)
{
    test_table();
    test_sentences();
    return tap_done();
}
