/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges misuses of a timer: those of the same kind at the same site are combined. */
#include "base/saturate.h"
#include "merge/join.h"
#include "merge/parts.h"
#include "model/order.h"

static int compare_misuses(const void *a, const void *b)
{
    return fm_misuse_compare(a, b);
}

static const struct fm_join kind_of_join = {.item_size = sizeof(struct fm_misuse),
                                            .compare = compare_misuses,
                                            .fields = &fm_misuse_fields,
                                            .compounds = &fm_misuse_compounds};

static bool join(struct fm_profile *into, struct fm_timer *timer, const struct fm_misuse *misuses, size_t n)
{
    return fm_join(&kind_of_join, into, &timer->misuses, &timer->n_misuses, &timer->misuses_capacity, misuses, n);
}

/* Removes one and adds it to the one without a site. */
static bool fold(struct fm_profile *into, struct fm_timer *timer, size_t at)
{
    struct fm_misuse misuse = timer->misuses[at];
    timer->n_misuses--;
    for (size_t i = at; i < timer->n_misuses; i++)
        timer->misuses[i] = timer->misuses[i + 1];
    misuse.site = (struct fm_site){"", "", 0};
    return join(into, timer, &misuse, 1);
}

/* The first site of a kind that exceeds the limit; n_misuses if there is none. */
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
