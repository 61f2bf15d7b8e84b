/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/routine_sites.h"

#include <string.h>

struct fm_below fm_below_routine(char names[FM_MPI_FUNCTION_NAMES], const char *routine)
{
    fm_mpi_function_names(names, routine);
    return (struct fm_below){.names = names};
}

void fm_routine_sites_resolve(struct fm_symbols *symbols, const struct fm_event *events, size_t n)
{
    char names[FM_MPI_FUNCTION_NAMES];
    struct fm_below below = {0};
    for (size_t i = 0; i < n; i++)
        fm_symbols_want(symbols, &events[i].key.site, FM_RETURN_ADDRESS);
    fm_symbols_resolve(symbols);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(events[i].key.routine, events[i - 1].key.routine) != 0)
            below = fm_below_routine(names, events[i].key.routine);
        fm_symbols_want_between(symbols, &events[i].key.site, below);
    }
    fm_symbols_resolve(symbols);
}

struct fm_site_frames fm_routine_frames(struct fm_symbols *symbols, const struct fm_site *site, const char *routine)
{
    char names[FM_MPI_FUNCTION_NAMES];
    struct fm_tail_frames between = {0};
    if (routine)
        between = fm_symbols_between(symbols, site, fm_below_routine(names, routine));
    if (between.n)
        return (struct fm_site_frames){between.items[between.n - 1], true, between.unknown};
    return (struct fm_site_frames){fm_symbols_find(symbols, site, FM_RETURN_ADDRESS), false, between.unknown};
}

const struct fm_symbol *fm_routine_place(struct fm_symbols *symbols, const struct fm_site *site, const char *routine)
{
    struct fm_frames frames = fm_routine_frames(symbols, site, routine).frames;
    return frames.known ? &frames.items[frames.n - 1] : NULL;
}
