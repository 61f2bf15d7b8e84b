#include "reduce/notes.h"

#include "base/saturate.h"
#include "profile/order.h"
#include "profile/strings.h"
#include "reduce/parts.h"

bool fm_profile_note(struct fm_profile *profile, const char *text, uint64_t amount, const struct fm_rankset *ranks)
{
    struct fm_note note = {.text = text, .amount = amount, .ranks = *ranks};
    return fm_merge_notes(profile, &note, 1);
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
