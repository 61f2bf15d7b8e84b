#include "merge/notes.h"

#include <string.h>

#include "base/saturate.h"
#include "merge/parts.h"
#include "model/order.h"
#include "model/strings.h"

bool fm_profile_note(struct fm_profile *profile, const char *text, uint64_t amount, const struct fm_rankset *ranks)
{
    struct fm_note note = {.text = text, .amount = amount, .ranks = *ranks};
    return fm_merge_notes(profile, &note, 1);
}

static const char part_text[] =
    "each host has added its part by itself: ranks without data were not measured, or their "
    "hosts have a profile of their own, in a directory that is not shared";

bool fm_profile_note_part(struct fm_profile *profile)
{
    struct fm_rankset ranks = {0};
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING &&
            !fm_rankset_add(&ranks, &profile->arena, profile->processes[i].rank, profile->processes[i].rank))
            return false;
    return fm_profile_note(profile, part_text, 0, &ranks);
}

void fm_profile_forget_part(struct fm_profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->n_notes; i++)
        if (strcmp(profile->notes[i].text, part_text) != 0)
            profile->notes[kept++] = profile->notes[i];
    profile->n_notes = kept;
}

static const char outside_text[] = "sampled from outside (fathom attach): MPI calls are not counted";

bool fm_profile_note_outside(struct fm_profile *profile, const struct fm_rankset *ranks)
{
    return fm_profile_note(profile, outside_text, 0, ranks);
}

bool fm_profile_is_from_outside(const struct fm_profile *profile)
{
    for (size_t i = 0; i < profile->n_notes; i++)
        if (strcmp(profile->notes[i].text, outside_text) == 0)
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
    return fm_profile_note(profile, "subtotals of single processes left out: there were more than 1000", dropped,
                           &ranks);
}
