/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/notes.h"

#include "merge/parts.h"

bool fm_profile_note(struct fm_profile *profile, enum fm_note_code code, const char *argument, uint64_t amount,
                     const struct fm_rankset *ranks)
{
    struct fm_note note = {.code = code, .argument = argument, .amount = amount, .ranks = *ranks, .text = ""};
    return fm_merge_notes(profile, &note, 1);
}

bool fm_profile_note_part(struct fm_profile *profile)
{
    struct fm_rankset ranks = {0};
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING &&
            !fm_rankset_add(&ranks, &profile->arena, profile->processes[i].rank, profile->processes[i].rank))
            return false;
    return fm_profile_note(profile, FM_NOTE_PART_OF_JOB, "", 0, &ranks);
}

void fm_profile_forget_part(struct fm_profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->n_notes; i++)
        if (profile->notes[i].code != FM_NOTE_PART_OF_JOB)
            profile->notes[kept++] = profile->notes[i];
    profile->n_notes = kept;
}

bool fm_profile_note_outside(struct fm_profile *profile, const struct fm_rankset *ranks)
{
    return fm_profile_note(profile, FM_NOTE_FROM_OUTSIDE, "", 0, ranks);
}

bool fm_profile_is_from_outside(const struct fm_profile *profile)
{
    for (size_t i = 0; i < profile->n_notes; i++)
        if (profile->notes[i].code == FM_NOTE_FROM_OUTSIDE)
            return true;
    return false;
}

bool fm_profile_limit_snapshots(struct fm_profile *profile)
{
    size_t first = 0;
    while (first < profile->n_snapshots && profile->snapshots[first].collective)
        first++;
    if (profile->n_snapshots - first <= FM_MAX_SNAPSHOTS)
        return true;
    size_t kept = first + FM_MAX_SNAPSHOTS, dropped = profile->n_snapshots - kept;
    struct fm_rankset ranks = {0};
    for (size_t i = kept; i < profile->n_snapshots; i++)
        if (!fm_rankset_add(&ranks, &profile->arena, profile->snapshots[i].rank, profile->snapshots[i].rank))
            return false;
    profile->n_snapshots = kept;
    return fm_profile_note(profile, FM_NOTE_SUBTOTALS_LEFT_OUT, "", dropped, &ranks);
}
