/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sequence_style.h"

#include <string.h>

#include "base/crc.h"
#include "base/units.h"
#include "model/order.h"
#include "render/chart.h"

const char fm_no_sequence[] =
    "No sequence was recorded: sampling was off (--sample off), or the profile is from an older version of Fathom.";

/* ---- priority ---- */

/* Below 1 % of the time, a module may occur in one run and not in the next, unless the module file names it. */
static bool is_rare(const struct fm_module_sequence *s, uint32_t module)
{
    return !s->modules[module].named && fm_module_moments(s->modules[module].in) * 100 < fm_module_moments(s->in);
}

static bool precedes(const struct fm_module_sequence *s, uint32_t a, uint32_t b)
{
    if (is_rare(s, a) != is_rare(s, b))
        return is_rare(s, b);
    return fm_compare_text(s->modules[a].name, s->modules[b].name) < 0;
}

/* Lists the modules with most moments, at most `max`, by name and not by cost, so that they get the same style in two
 * runs of a program. Rare ones come last (from *first_rare on), so that they do not take the style of others. */
static size_t list_by_priority(const struct fm_module_sequence *s, size_t max, uint32_t *order, size_t *first_rare)
{
    size_t n = s->n_named < max ? s->n_named : max;
    *first_rare = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && precedes(s, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
        *first_rare += !is_rare(s, i);
    }
    return n;
}

/* ---- letters ---- */

static char capital(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool is_letter(char c)
{
    return c >= 'A' && c <= 'Z';
}

static char first_letter(const char *name)
{
    while (*name && !is_letter(capital(*name)))
        name++;
    return capital(*name);
}

/* The first letter of its name that is free, or the first free one of the alphabet. */
static char letter_for(const char *name, const char *letters, size_t n)
{
    for (; *name; name++)
        if (is_letter(capital(*name)) && !memchr(letters, capital(*name), n))
            return capital(*name);
    char letter = 'A';
    while (memchr(letters, letter, n))
        letter++;
    return letter;
}

static void assign_letters(const struct fm_module_sequence *s, const uint32_t *order, size_t n, char *letters)
{
    for (size_t i = 0; i < n; i++) {
        char first = first_letter(s->modules[order[i]].name);
        if (first && !memchr(letters, first, s->n_named))
            letters[order[i]] = first;
    }
    for (size_t i = 0; i < n; i++)
        if (letters[order[i]] == FM_SEQUENCE_OTHER)
            letters[order[i]] = letter_for(s->modules[order[i]].name, letters, s->n_named);
}

void fm_sequence_letters(const struct fm_module_sequence *sequence, char *letters)
{
    uint32_t order[FM_SEQUENCE_LETTERS];
    size_t first_rare, n = list_by_priority(sequence, FM_SEQUENCE_LETTERS, order, &first_rare);
    memset(letters, FM_SEQUENCE_OTHER, sequence->n_named);
    assign_letters(sequence, order, first_rare, letters);
    assign_letters(sequence, order + first_rare, n - first_rare, letters);
}

/* ---- colours ---- */

enum { OWN_COLOURS = FM_CHART_COLOURS - 1 };

static unsigned preferred_colour(const char *name)
{
    return (unsigned)(fm_crc64(name, strlen(name)) % OWN_COLOURS);
}

static void assign_colours(const struct fm_module_sequence *s, const uint32_t *order, size_t n, bool *taken,
                           unsigned *colours)
{
    for (size_t i = 0; i < n; i++) {
        unsigned preferred = preferred_colour(s->modules[order[i]].name);
        colours[order[i]] = taken[preferred] ? OWN_COLOURS : preferred;
        taken[preferred] = true;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned colour = preferred_colour(s->modules[order[i]].name);
        if (colours[order[i]] != OWN_COLOURS)
            continue;
        while (taken[colour])
            colour = (colour + 1) % OWN_COLOURS;
        taken[colour] = true;
        colours[order[i]] = colour;
    }
}

void fm_sequence_colours(const struct fm_module_sequence *sequence, unsigned *colours)
{
    uint32_t order[OWN_COLOURS];
    bool taken[OWN_COLOURS] = {false};
    size_t first_rare, n = list_by_priority(sequence, OWN_COLOURS, order, &first_rare);
    for (size_t i = 0; i < sequence->n_named; i++)
        colours[i] = OWN_COLOURS;
    assign_colours(sequence, order, first_rare, taken, colours);
    assign_colours(sequence, order + first_rare, n - first_rare, taken, colours);
}

char fm_sequence_sign(const char *letters, const struct fm_module_moment *moment)
{
    if (!moment->module)
        return ' ';
    char letter = letters[moment->module - 1];
    if (moment->state == FM_MODULE_TRANSFER)
        return FM_SEQUENCE_TRANSFER;
    if (moment->state == FM_MODULE_WORK)
        return letter;
    return letter == FM_SEQUENCE_OTHER ? (char)FM_SEQUENCE_OTHER_WAITS : (char)(letter - 'A' + 'a');
}

/* ---- headline ---- */

static double waiting_of(const struct fm_module_row *row)
{
    return fm_ratio((double)row->in[FM_MODULE_WAITING], (double)fm_module_moments(row->in));
}

static const char *ranks_part(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    char share[FM_UNIT_CHARS];
    const struct fm_module_row *max = sequence->rows;
    for (size_t i = 1; i < sequence->n_rows; i++)
        if (waiting_of(&sequence->rows[i]) > waiting_of(max))
            max = &sequence->rows[i];
    if (sequence->n_rows < 2 || !max->in[FM_MODULE_WAITING])
        return "";
    return fm_format(&report->arena, ", highest on rank %u (%s)", max->rank, fm_percent_whole(share, waiting_of(max)));
}

const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    const struct fm_module_sequence *s = sequence;
    const struct fm_sequence_module *works = s->modules, *waits = s->modules;
    double whole = (double)fm_module_moments(s->in);
    char share[FM_UNIT_CHARS];
    for (size_t i = 1; i < s->n_modules; i++) {
        works = s->modules[i].in[FM_MODULE_WORK] > works->in[FM_MODULE_WORK] ? &s->modules[i] : works;
        waits = s->modules[i].in[FM_MODULE_WAITING] > waits->in[FM_MODULE_WAITING] ? &s->modules[i] : waits;
    }
    const char *text = fm_format(&report->arena, "%s: no waiting", report->summary.name);
    if (s->in[FM_MODULE_WAITING])
        text = fm_format(&report->arena, "%s: waiting %s of the time%s, mostly in calls from %s", report->summary.name,
                         fm_percent_whole(share, fm_ratio((double)s->in[FM_MODULE_WAITING], whole)),
                         ranks_part(report, s), waits->name);
    if (s->in[FM_MODULE_TRANSFER])
        text = fm_format(&report->arena, "%s; transfer %s", text,
                         fm_percent_whole(share, fm_ratio((double)s->in[FM_MODULE_TRANSFER], whole)));
    if (s->in[FM_MODULE_WORK])
        text = fm_format(&report->arena, "%s; most work is in %s (%s)", text, works->name,
                         fm_percent_whole(share, fm_ratio((double)works->in[FM_MODULE_WORK], whole)));
    return fm_format(&report->arena, "%s.", text);
}
