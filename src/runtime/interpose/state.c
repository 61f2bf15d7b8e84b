/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/state.h"

struct fm_interpose fm_interpose = {.asking = FM_FOR_FIRST};
