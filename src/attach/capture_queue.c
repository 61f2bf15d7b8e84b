/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/capture_queue.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_ITEMS = 4096 };

static void push(_Atomic(struct fm_capture_item *) *list, struct fm_capture_item *item)
{
    item->next = atomic_load(list);
    while (!atomic_compare_exchange_weak(list, &item->next, item))
        ;
}

struct fm_capture_item *fm_capture_queue_new(struct fm_capture_queue *queue)
{
    struct fm_capture_item *item = queue->spare;
    if (item) {
        queue->spare = item->next;
    } else if (queue->n < MAX_ITEMS) {
        item = malloc(sizeof *item);
        queue->n += item != NULL;
    }
    return item;
}

void fm_capture_queue_put(struct fm_capture_queue *queue, struct fm_capture_item *item)
{
    push(&queue->taken, item);
}

void fm_capture_queue_recycle(struct fm_capture_queue *queue, struct fm_capture_item *item)
{
    item->next = queue->spare;
    queue->spare = item;
}

struct fm_capture_item *fm_capture_queue_returned(struct fm_capture_queue *queue)
{
    return atomic_exchange(&queue->returned, NULL);
}

static void free_all(struct fm_capture_item *item)
{
    for (struct fm_capture_item *next; item; item = next) {
        next = item->next;
        free(item);
    }
}

void fm_capture_queue_free(struct fm_capture_queue *queue)
{
    free_all(queue->taken);
    free_all(queue->returned);
    free_all(queue->spare);
}

struct fm_capture_item *fm_capture_queue_take(struct fm_capture_queue *queue)
{
    struct fm_capture_item *oldest = NULL;
    for (struct fm_capture_item *at = atomic_exchange(&queue->taken, NULL), *next; at; at = next) {
        next = at->next;
        at->next = oldest;
        oldest = at;
    }
    return oldest;
}

void fm_capture_queue_return(struct fm_capture_queue *queue, struct fm_capture_item *item)
{
    push(&queue->returned, item);
}
