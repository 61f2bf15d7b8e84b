/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/segment_routines.h"

#include <string.h>

#include "base/sort.h"
#include "generated/routines.h"
#include "merge/segment_reader.h"
#include "model/strings.h"

enum { MAX_ADDED = UINT16_MAX - FM_ROUTINES_FIXED };

static size_t count_added(const char *list, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += !list[i];
    return n < MAX_ADDED ? n : MAX_ADDED;
}

/* A class of a newer Fathom counts as other. */
static unsigned class_of(char letter)
{
    unsigned class = (unsigned char)letter - 'a';
    return class <= FM_CLASS_SENDRECV ? class : FM_CLASS_OTHER;
}

bool fm_read_routine_names(struct fm_segment_reader *r)
{
    struct fm_arena *scratch = &r->view.scratch;
    size_t bytes = fm_segment_items(&r->view, FM_SECTION_ROUTINES);
    const char *list = fm_arena_strndup(scratch, r->view.bytes + r->view.header.sections[FM_SECTION_ROUTINES].offset,
                                        bytes);
    size_t n = list ? count_added(list, bytes) : 0;
    struct fm_routine_added *added = fm_arena_alloc(scratch, n * sizeof *added);
    if (!list || !added)
        return false;
    for (size_t i = 0; i < n; i++, list += strlen(list) + 1) {
        const char *name = fm_clean_text(scratch, *list && list[1] ? list + 1 : "?", SIZE_MAX, false);
        added[i] = (struct fm_routine_added){name ? fm_profile_intern(r->profile, name) : NULL, class_of(*list)};
        if (!added[i].name)
            return false;
    }
    r->routines = (struct fm_routines){FM_ROUTINES_FIXED + (uint32_t)n, added};
    return true;
}

const char *fm_routine_name_in(const struct fm_routines *routines, uint32_t number)
{
    return number < FM_ROUTINES_FIXED ? fm_routine_name(number) : routines->added[number - FM_ROUTINES_FIXED].name;
}

unsigned fm_routine_class_in(const struct fm_routines *routines, uint32_t number)
{
    return number < FM_ROUTINES_FIXED ? fm_routine_classes[number] : routines->added[number - FM_ROUTINES_FIXED].class;
}

struct named_routine {
    const char *name;
    uint32_t number;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named_routine *)a)->name, ((const struct named_routine *)b)->name);
}

bool fm_order_routines(struct fm_segment_reader *r, uint16_t *orders)
{
    struct fm_arena *scratch = &r->view.scratch;
    size_t n = 0;
    for (uint32_t i = 0; i < r->routines.n; i++)
        n += orders[i] != 0;
    struct named_routine *used = fm_arena_alloc(scratch, n * sizeof *used);
    if (!used)
        return false;
    n = 0;
    for (uint32_t i = 0; i < r->routines.n; i++)
        if (orders[i])
            used[n++] = (struct named_routine){fm_routine_name_in(&r->routines, i), i};
    if (!fm_sort(used, n, sizeof *used, by_name, scratch))
        return false;
    uint16_t order = 1;
    for (size_t i = 0; i < n; i++) {
        order = (uint16_t)(order + (i && by_name(&used[i - 1], &used[i])));
        orders[used[i].number] = order;
    }
    return true;
}
