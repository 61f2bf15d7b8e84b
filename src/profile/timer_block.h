/* What the rich report says of one timer. */
#ifndef FM_PROFILE_TIMER_BLOCK_H
#define FM_PROFILE_TIMER_BLOCK_H

#include "base/writer.h"
#include "profile/timer_rich.h"
#include "profile/timer_tree.h"

void fm_write_timer_block(struct fm_writer *w, const struct fm_timer_node *node, const struct fm_timer_rich *layout);

/* "760.6 s ", aligned: nine columns. */
void fm_write_time(struct fm_writer *w, uint64_t ns);
/* sum / n, 0 for none. */
uint64_t fm_mean_of(uint64_t sum, uint64_t n);

#endif
