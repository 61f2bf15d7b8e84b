/* The hook through which a report names call sites. A report works without it (NULL): sites are then
 * shown as load module + offset. Whoever fills the struct owns what its functions return. */
#ifndef FM_ANALYSE_SYMBOLS_H
#define FM_ANALYSE_SYMBOLS_H

#include <stdbool.h>

#include "profile/profile.h"

struct fm_place {
    const char *function; /* never NULL */
    const char *file;     /* "" when unknown */
    unsigned line;        /* 0 when unknown */
};

struct fm_symbols {
    void *context;
    /* false: nothing is known of this site, and *place is as it was */
    bool (*resolve)(void *context, const struct fm_site *site, struct fm_place *place);
};

#endif
