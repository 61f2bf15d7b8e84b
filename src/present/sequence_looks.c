#include "present/sequence_looks.h"

#include <string.h>

#include "base/units.h"

const char fm_no_sequence[] = "Nothing is known of what ranks did over time: no call paths were sampled (fathom run "
                              "--sample 97 does), or an older Fathom has written the profile.";

/* ---- signs ---- */

static char capital(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool is_free(const char *letters, size_t n, char letter)
{
    return letter >= 'A' && letter <= 'Z' && !memchr(letters, letter, n);
}

/* The first letter of its name that no module before it has, else the first of the alphabet. */
static char letter_for(const char *name, const char *letters, size_t n)
{
    for (; *name; name++)
        if (is_free(letters, n, capital(*name)))
            return capital(*name);
    char letter = 'A';
    while (!is_free(letters, n, letter))
        letter++;
    return letter;
}

void fm_sequence_letters(const struct fm_module_sequence *sequence, char *letters)
{
    for (size_t i = 0; i < sequence->n_modules; i++)
        letters[i] = i < FM_SEQUENCE_LETTERS ? letter_for(sequence->modules[i].name, letters, i) : FM_SEQUENCE_OTHER;
}

char fm_sequence_sign(const char *letters, const struct fm_module_moment *moment)
{
    if (!moment->module)
        return ' ';
    char letter = letters[moment->module - 1];
    if (!moment->waits)
        return letter;
    return letter == FM_SEQUENCE_OTHER ? (char)FM_SEQUENCE_OTHER_WAITS : (char)(letter - 'A' + 'a');
}

/* ---- the first sentence ---- */

static double waiting_of(const struct fm_module_row *row)
{
    return fm_ratio((double)row->waiting, (double)(row->work + row->waiting));
}

static const char *ranks_part(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    char share[FM_UNIT_CHARS];
    const struct fm_module_row *most = sequence->rows;
    for (size_t i = 1; i < sequence->n_rows; i++)
        if (waiting_of(&sequence->rows[i]) > waiting_of(most))
            most = &sequence->rows[i];
    if (sequence->n_rows < 2 || !most->waiting)
        return "";
    return fm_format(&report->arena, ", most on rank %u (%s)", most->rank, fm_percent_whole(share, waiting_of(most)));
}

const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    const struct fm_module_sequence *s = sequence;
    const struct fm_sequence_module *works = s->modules, *waits = s->modules;
    double whole = (double)(s->work + s->waiting);
    char share[FM_UNIT_CHARS];
    for (size_t i = 1; i < s->n_modules; i++) {
        works = s->modules[i].work > works->work ? &s->modules[i] : works;
        waits = s->modules[i].waiting > waits->waiting ? &s->modules[i] : waits;
    }
    const char *text = fm_format(&report->arena, "%s: no time is waiting", report->summary.name);
    if (s->waiting)
        text = fm_format(&report->arena, "%s: %s of the time is waiting%s, most of it called by %s",
                         report->summary.name, fm_percent_whole(share, fm_ratio((double)s->waiting, whole)),
                         ranks_part(report, s), waits->name);
    if (s->work)
        text = fm_format(&report->arena, "%s; most work is in %s (%s)", text, works->name,
                         fm_percent_whole(share, fm_ratio((double)works->work, whole)));
    return fm_format(&report->arena, "%s.", text);
}
