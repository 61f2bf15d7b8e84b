/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/limits.h"

#define X(name, value, rule, meaning) .name = (value),
const struct fm_finding_limits fm_finding_limits = {FM_FINDING_LIMITS(X)};
#undef X
