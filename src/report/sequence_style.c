/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sequence_style.h"

#include "base/units.h"

const char fm_no_sequence[] =
    "No sequence was recorded: sampling was off (--sample off), or the profile is from an older version of Fathom.";

/* ---- letters and colours ---- */

/* Below 1 % of the time, a module may occur in one run and not in the next. */
static bool is_rare(const struct fm_module_sequence *s, const struct fm_sequence_module *module)
{
    return fm_module_moments(module->in) * 100 < fm_module_moments(s->in);
}

/* Returns NULL if out of memory. */
static struct fm_styled_module *styled_modules(const struct fm_module_sequence *s, struct fm_arena *arena)
{
    struct fm_styled_module *styled = fm_arena_alloc(arena, s->n_named * sizeof *styled);
    for (size_t i = 0; styled && i < s->n_named; i++)
        styled[i] = (struct fm_styled_module){s->modules[i].name, s->modules[i].place, is_rare(s, &s->modules[i])};
    return styled;
}

bool fm_sequence_letters(const struct fm_module_sequence *sequence, struct fm_arena *arena, char *letters)
{
    struct fm_styled_module *styled = styled_modules(sequence, arena);
    if (styled)
        fm_module_letters(styled, sequence->n_named, letters);
    return styled;
}

bool fm_sequence_colours(const struct fm_module_sequence *sequence, struct fm_arena *arena, unsigned *colours)
{
    struct fm_styled_module *styled = styled_modules(sequence, arena);
    if (styled)
        fm_module_colours(styled, sequence->n_named, colours);
    return styled;
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
    return letter == FM_MODULE_OTHER ? (char)FM_SEQUENCE_OTHER_WAITS : (char)(letter - 'A' + 'a');
}

/* ---- headline ---- */

static double waiting_of(const struct fm_module_row *row)
{
    return fm_ratio((double)row->in[FM_MODULE_WAITING], (double)fm_module_moments(row->in));
}

static const char *ranks_part(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    const struct fm_module_row *max = sequence->rows;
    for (size_t i = 1; i < sequence->n_rows; i++)
        if (waiting_of(&sequence->rows[i]) > waiting_of(max))
            max = &sequence->rows[i];
    if (sequence->n_rows < 2 || !max->in[FM_MODULE_WAITING])
        return "";
    return fm_format(&report->arena, ", most on rank %u", max->rank);
}

const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence)
{
    const struct fm_module_sequence *s = sequence;
    const struct fm_sequence_module *works = s->modules, *waits = s->modules;
    double whole = (double)fm_sequence_ns(s->ns);
    char share[FM_UNIT_CHARS];
    for (size_t i = 1; i < s->n_modules; i++) {
        works = s->modules[i].ns[FM_MODULE_WORK] > works->ns[FM_MODULE_WORK] ? &s->modules[i] : works;
        waits = s->modules[i].ns[FM_MODULE_WAITING] > waits->ns[FM_MODULE_WAITING] ? &s->modules[i] : waits;
    }
    const char *text = fm_format(&report->arena, "%s: no waiting", report->summary.name);
    if (s->ns[FM_MODULE_WAITING])
        text = fm_format(&report->arena, "%s: waiting %s of the time%s, mostly in calls from %s", report->summary.name,
                         fm_percent_whole(share, fm_ratio((double)s->ns[FM_MODULE_WAITING], whole)),
                         ranks_part(report, s), waits->name);
    if (s->ns[FM_MODULE_TRANSFER])
        text = fm_format(&report->arena, "%s; transfer %s", text,
                         fm_percent_whole(share, fm_ratio((double)s->ns[FM_MODULE_TRANSFER], whole)));
    if (s->ns[FM_MODULE_WORK])
        text = fm_format(&report->arena, "%s; most work is in %s (%s)", text, works->name,
                         fm_percent_whole(share, fm_ratio((double)works->ns[FM_MODULE_WORK], whole)));
    return fm_format(&report->arena, "%s.", text);
}
