/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the measurement itself were reached: part of the data is less detailed than usual, or missing. */
#include "analyse/findings/rules.h"
#include "model/note.h"
#include "model/note_codes.h"

bool fm_note_is_limit(uint32_t code)
{
    static const uint32_t codes[] = {
        FM_NOTE_COARSE_TIMER_EVENTS, FM_NOTE_EVENTS_WITHOUT_SITE, FM_NOTE_EVENTS_WITHOUT_PEER,
        FM_NOTE_EVENTS_WITHOUT_SIZE, FM_NOTE_SMALLER_TABLE,       FM_NOTE_RECEIVES_WITHOUT_LENGTH,
        FM_NOTE_REFUSED_REGIONS,     FM_NOTE_REFUSED_TIMERS,      FM_NOTE_SUCCESSIONS_LEFT_OUT,
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

void fm_rule_incomplete(struct fm_finding_search *search)
{
    struct fm_finding *finding = NULL;
    const char *first = "";
    char name[FM_NOTE_NAME];
    for (size_t i = 0; i < search->profile->n_notes; i++) {
        const struct fm_note *note = &search->profile->notes[i];
        if (!fm_note_is_limit(note->code))
            continue;
        if (!finding) {
            finding = fm_finding_add(search, 0, true);
            first = fm_note_sentence(note, search->arena);
        }
        fm_finding_ranks(search, finding, &note->ranks);
        fm_finding_evidence(finding, fm_finding_text(search, "%s", fm_note_name(note->code, name)),
                            (double)note->amount);
    }
    if (finding)
        finding->text = fm_finding_text(search, "Limits of the measurement were reached: %s%s", first ? first : "?",
                                        finding->n_evidence > 1 ? ", and others" : "");
}
