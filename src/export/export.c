/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/export.h"

const struct fm_export fm_exports[] = {
    {"collapsed", "folded stacks, one line per path, for flamegraph.pl, inferno and others", fm_export_collapsed},
    {"speedscope", "JSON for speedscope.app", fm_export_speedscope},
    {"pprof", "for go tool pprof and compatible tools", fm_export_pprof},
    {"hatchet", "for Hatchet's GraphFrame.from_literal, in Python", fm_export_hatchet},
    {0},
};

enum fm_status fm_export_write(const struct fm_export *format, struct fm_report *report, FILE *out,
                               struct fm_error *error)
{
    if (!fm_report_sampled(report))
        return fm_fail(error, FM_ERR_INPUT, "the profile has no call paths; run again without --sample off");
    return format->write(report, out, error);
}
