#include "measure/signal/tree.h"

#include <string.h>

enum { LARGEST = 1 << 20, SPINS = 4096 };

static struct {
    struct fm_segment_path *paths;
    uint32_t *index;
    uint32_t capacity, index_mask;
    uint32_t epoch;     /* changes when nodes have moved */
    uint32_t next_free; /* below it no place is free */
    atomic_uint lock;
    uint32_t *has_children; /* a bit for each place */
} tree;

/* ---- the lock: of handlers, so nobody sleeps in it ---- */

static bool enter(void)
{
    for (int i = 0; i < SPINS; i++) {
        unsigned expected = 0;
        if (atomic_compare_exchange_weak_explicit(&tree.lock, &expected, 1, memory_order_acquire, memory_order_relaxed))
            return true;
    }
    return false;
}

static void leave(void)
{
    atomic_store_explicit(&tree.lock, 0, memory_order_release);
}
