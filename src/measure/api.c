/* What an application may call: include/fathom.h. */
#include "fathom.h"

#include "measure/region.h"

#define FM_EXPORT __attribute__((visibility("default")))

FM_EXPORT void fathom_region_begin(const char *name)
{
    fm_region_begin(name);
}

FM_EXPORT void fathom_region_end(const char *name)
{
    fm_region_end(name);
}

FM_EXPORT void fathom_snapshot(const char *label, int collective)
{
    fm_snapshot(label, collective != 0);
}
