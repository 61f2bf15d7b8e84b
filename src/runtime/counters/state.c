/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/counters/state.h"

struct fm_counting fm_counting;
__thread struct fm_counted_thread *fm_counted __attribute__((tls_model("initial-exec")));
