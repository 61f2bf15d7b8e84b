/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/export.h"

#include "report/programs.h"

enum { CALL_PATHS = FM_SHOWS_PATHS | FM_SHOWS_THREADS, MPI = FM_SHOWS_CALLS | FM_SHOWS_REGIONS | FM_SHOWS_ROUTINES };

const struct fm_export fm_exports[] = {
    {"collapsed", "folded stacks, one line per path, for flamegraph.pl, inferno and others", CALL_PATHS,
     fm_export_collapsed},
    {"speedscope", "JSON for speedscope.app", CALL_PATHS, fm_export_speedscope},
    {"pprof", "for go tool pprof and compatible tools", CALL_PATHS, fm_export_pprof},
    {"hatchet", "for Hatchet's GraphFrame.from_literal, in Python", CALL_PATHS, fm_export_hatchet},
    {"ipm-xml", "the XML log of IPM: MPI by rank, routine, region and message size", MPI, fm_export_ipm_xml},
    {0},
};

enum fm_status fm_export_write(const struct fm_export *format, struct fm_report *report, FILE *out,
                               struct fm_error *error)
{
    if (format->shows & FM_SHOWS_PATHS && !fm_report_sampled(report))
        return fm_fail(error, FM_ERR_INPUT, "the profile has no call paths; run again without --sample off");
    if (format->shows & FM_SHOWS_CALLS && !report->profile->n_routines)
        return fm_fail(error, FM_ERR_INPUT, "the profile has no MPI calls");
    return format->write(report, out, error);
}
