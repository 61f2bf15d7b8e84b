/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/state.h"

struct fm_sampling fm_sampling;
__thread struct fm_sampling_local fm_sampling_local __attribute__((tls_model("initial-exec")));
