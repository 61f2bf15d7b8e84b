/* SPDX-License-Identifier: BSD-3-Clause */
/* For a job that runs under Fathom: reads what it has measured so far from its segments. Nothing is stopped or
 * removed. */
#ifndef FM_CLI_ATTACH_SEGMENTS_H
#define FM_CLI_ATTACH_SEGMENTS_H

#include "attach/targets.h"
#include "model/profile.h"

/* *profile stays NULL if there are no segments of these processes. */
enum fm_status fm_attach_segments(const struct fm_targets *targets, struct fm_profile **profile,
                                  struct fm_error *error);

#endif
