/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/figures.h"

#include "base/usage.h"
#include "model/profile.h"

/* What the kernel knows must be asked for: a figure of this kind has a line in base/usage.h. */
#define USAGE_HEADER(member) FM_USAGE_HAS_##member
#define NONZERO_HEADER(member) FM_USAGE_HAS_##member
#define ALWAYS_HEADER(member) 0
#define USAGE_MADE(member) 0
#define ALWAYS_MADE(member) 0
#define X(column, since, member, unit, known, source, key, heading)  \
    _Static_assert(known##_##source(member) >= 0, "it is measured"); \
    _Static_assert(sizeof(key) <= FM_FIGURE_CHARS && sizeof(heading) <= FM_FIGURE_CHARS, "key or heading too long");
FM_PROCESS_FIGURES(X)
#undef X

#define X(column, since, member, unit, known, source, key, heading) \
    [FM_FIGURE_##                                                   \
        member] = {key, heading, offsetof(struct fm_process, member), FM_UNIT_##unit, FM_KNOWN_##known, (since) > 1},
const struct fm_figure_meaning fm_figures[FM_FIGURES] = {FM_PROCESS_FIGURES(X)};
#undef X

bool fm_figure_get(const struct fm_process *process, enum fm_figure figure, uint64_t *value)
{
    const struct fm_figure_meaning *meaning = &fm_figures[figure];
    *value = *(const uint64_t *)(const void *)((const char *)process + meaning->offset);
    return process->end != FM_END_MISSING && *value != FM_UNKNOWN &&
           (meaning->known == FM_KNOWN_ALWAYS || (meaning->known == FM_KNOWN_NONZERO && *value) ||
            fm_process_has_usage(process));
}

struct fm_host fm_host_of(const char *name)
{
#define X(member, ...) .member = FM_UNKNOWN,
    return (struct fm_host){FM_HOST_FIGURES(X).name = name, .cpu = ""};
#undef X
}

struct fm_process fm_process_of(uint32_t rank, enum fm_end end)
{
#define X(column, since, member, ...) .member = (since) > 1 ? FM_UNKNOWN : 0,
    return (struct fm_process){FM_PROCESS_FIGURES(X).rank = rank, .end = end, .inside = ""};
#undef X
}
