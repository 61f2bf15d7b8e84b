/* SPDX-License-Identifier: BSD-3-Clause */
/* Two lock-free lists between the sampler, which captures threads, and the consumer, which unwinds them and returns the
 * items for reuse. Neither side ever waits for the other. */
#ifndef FM_ATTACH_CAPTURE_QUEUE_H
#define FM_ATTACH_CAPTURE_QUEUE_H

#include "attach/capture.h"

struct fm_capture_item {
    struct fm_capture_item *next;
    uint32_t moment, process; /* number of the period; index of the target */
    pid_t tid;
    bool first;   /* of the main thread of its process */
    bool unseen;  /* the thread runs and must not be stopped: the capture is empty */
    bool matters; /* set by the consumer: the thread does something for the program */
    struct fm_capture capture;
};

struct fm_capture_queue {
    struct fm_capture_item *spare;
    size_t n;                                          /* total number of items */
    _Atomic(struct fm_capture_item *) taken, returned; /* newest first */
};

/* ---- producer: the sampler ---- */

struct fm_capture_item *fm_capture_queue_new(
    struct fm_capture_queue *queue); /* NULL: out of memory, or too many are in use */
void fm_capture_queue_put(struct fm_capture_queue *queue, struct fm_capture_item *item);
void fm_capture_queue_recycle(struct fm_capture_queue *queue, struct fm_capture_item *item);
/* All items that the consumer has returned; each must be recycled. */
struct fm_capture_item *fm_capture_queue_returned(struct fm_capture_queue *queue);
void fm_capture_queue_free(struct fm_capture_queue *queue); /* called by the last user */

/* ---- consumer ---- */

/* All that have arrived, oldest first, or NULL. Each must be returned. */
struct fm_capture_item *fm_capture_queue_take(struct fm_capture_queue *queue);
void fm_capture_queue_return(struct fm_capture_queue *queue, struct fm_capture_item *item);

#endif
