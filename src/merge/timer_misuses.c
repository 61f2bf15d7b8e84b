/* Wrong uses of a timer: the same kind at the same place is the same. */
#include "base/saturate.h"
#include "merge/join.h"
#include "merge/parts.h"
#include "model/order.h"
#include "model/strings.h"

static int compare_misuses(const void *a, const void *b)
{
    return fm_misuse_compare(a, b);
}

static bool merge_misuse(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_misuse *misuse = mine;
    const struct fm_misuse *other = theirs;
    fm_add_saturating(&misuse->count, other->count);
    return fm_rankset_union(&misuse->ranks, &into->arena, &other->ranks);
}

static bool copy_misuse(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_misuse *misuse = slot;
    const struct fm_misuse *other = theirs;
    *misuse = *other;
    misuse->ranks = (struct fm_rankset){0};
    misuse->site.module = fm_profile_intern(into, other->site.module);
    misuse->site.build_id = fm_profile_intern(into, other->site.build_id);
    return misuse->site.module && misuse->site.build_id &&
           fm_rankset_union(&misuse->ranks, &into->arena, &other->ranks);
}

static const struct fm_join kind_of_join = {sizeof(struct fm_misuse), compare_misuses, merge_misuse, copy_misuse};

static bool join(struct fm_profile *into, struct fm_timer *timer, const struct fm_misuse *misuses, size_t n)
{
    return fm_join(&kind_of_join, into, &timer->misuses, &timer->n_misuses, &timer->misuses_capacity, misuses, n);
}

/* Takes one out and adds it to the one without a place. */
static bool fold(struct fm_profile *into, struct fm_timer *timer, size_t at)
{
    struct fm_misuse misuse = timer->misuses[at];
    timer->n_misuses--;
    for (size_t i = at; i < timer->n_misuses; i++)
        timer->misuses[i] = timer->misuses[i + 1];
    misuse.site = (struct fm_site){"", "", 0};
    return join(into, timer, &misuse, 1);
}

/* The first place of a kind that is one too many; n_misuses: none is. */
static size_t find_excess(const struct fm_timer *timer)
{
    size_t places = 0, i = 0;
    for (; i < timer->n_misuses; i++) {
        if (i && timer->misuses[i - 1].kind != timer->misuses[i].kind)
            places = 0;
        places += *timer->misuses[i].site.module != 0;
        if (places > FM_MISUSE_SITES)
            break;
    }
    return i;
}

bool fm_merge_misuses(struct fm_profile *into, struct fm_timer *timer, const struct fm_misuse *misuses, size_t n)
{
    if (!n)
        return true;
    bool done = join(into, timer, misuses, n);
    for (size_t at; done && (at = find_excess(timer)) < timer->n_misuses;)
        done = fold(into, timer, at);
    return done;
}
