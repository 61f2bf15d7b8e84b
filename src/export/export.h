/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles in the formats of other tools. Each format is one file with one function; the table fm_exports lists them.
 * Costs of call paths are sums over ranks, in ns; the time of an MPI routine includes waiting. */
#ifndef FM_EXPORT_EXPORT_H
#define FM_EXPORT_EXPORT_H

#include "report/report_calls.h"

struct fm_export {
    const char *name, *description;
    unsigned shows; /* enum fm_report_shows */
    enum fm_status (*write)(struct fm_report *report, FILE *out, struct fm_error *error);
};

extern const struct fm_export fm_exports[]; /* ends with name NULL */
/* Fails if the profile has nothing to show in this format. */
enum fm_status fm_export_write(const struct fm_export *format, struct fm_report *report, FILE *out,
                               struct fm_error *error);

enum fm_status fm_export_collapsed(struct fm_report *report, FILE *out, struct fm_error *error);
enum fm_status fm_export_hatchet(struct fm_report *report, FILE *out, struct fm_error *error);
enum fm_status fm_export_ipm_xml(struct fm_report *report, FILE *out, struct fm_error *error);
enum fm_status fm_export_pprof(struct fm_report *report, FILE *out, struct fm_error *error);
enum fm_status fm_export_speedscope(struct fm_report *report, FILE *out, struct fm_error *error);

/* ---- shared by the formats ---- */

/* Stores the contexts from below the root to this one in `path`, which has room for FM_EXPORT_DEPTH; the outer part of
 * a longer path is left out. Returns their number. */
enum { FM_EXPORT_DEPTH = 4096 };
size_t fm_export_call_path(const struct fm_context *context, const struct fm_context **path);

#endif
