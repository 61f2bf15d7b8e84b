/* SPDX-License-Identifier: BSD-3-Clause */
/* The events that `fathom run` asks the runtime to count: names, which libpfm4 resolves for this processor, become the
 * numbers in FATHOM_EVENTS. */
#ifndef FM_CLI_RUN_COUNTERS_H
#define FM_CLI_RUN_COUNTERS_H

#include "base/error.h"
#include "base/perf_names.h"

/* names: separated by commas; "off", "on" or NULL, the default. text gets the value of FATHOM_EVENTS, or "" if the runtime
 * needs none. A name that is unknown gives FM_ERR_INPUT and a sentence. */
enum fm_status fm_run_counters(const char *names, char text[FM_EVENTS_TEXT], struct fm_error *error);

#endif
