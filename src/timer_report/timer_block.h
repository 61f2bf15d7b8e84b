/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the rich report about one timer. */
#ifndef FM_TIMER_REPORT_TIMER_BLOCK_H
#define FM_TIMER_REPORT_TIMER_BLOCK_H

#include "base/writer.h"
#include "model/timer_tree.h"
#include "timer_report/timer_rich.h"

void fm_write_timer_block(struct fm_writer *w, const struct fm_timer_node *node, const struct fm_timer_rich *layout);

/* "760.6 s ", aligned, nine columns wide. */
void fm_write_time(struct fm_writer *w, uint64_t ns);
/* sum / n, or 0 if n is 0. */
uint64_t fm_mean_of(uint64_t sum, uint64_t n);

#endif
