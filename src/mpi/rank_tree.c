/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "mpi/rank_tree.h"

#include <time.h>

#include "base/clock.h"

enum {
    CHUNK_BYTES = 3072, /* below the eager limit of every library */
    MAX_RESULT_BYTES = 1 << 30,
    TAG_SIZE = 1,
    TAG_ASK = 2,
    TAG_CHUNK = 3,
    TAG_WORD = 4,
};
/* Per message, once its sender is known to have arrived. */
static const uint64_t timeout_ns = 30ull * 1000000000u;
static const uint64_t nothing = UINT64_MAX; /* as a size: no result; as an offset: done */

void fm_rank_tree_make(struct fm_rank_tree *tree, const struct fm_abi *abi, fm_word comm)
{
    *tree = (struct fm_rank_tree){.abi = abi, .comm = comm, .place = -1};
    abi->pmpi.Comm_set_errhandler(comm, abi->errors_return);
    abi->pmpi.Comm_rank(comm, &tree->place);
    abi->pmpi.Comm_size(comm, &tree->n);
}

int fm_rank_tree_child(const struct fm_rank_tree *tree, int i)
{
    int child = 2 * tree->place + 1 + i;
    return child < tree->n ? child : -1;
}

static int parent_of(const struct fm_rank_tree *tree)
{
    return (tree->place - 1) / 2;
}

bool fm_rank_tree_progress(const struct fm_rank_tree *tree)
{
    char status[FM_STATUS_BYTES];
    int flag = 0;
    tree->abi->pmpi.Iprobe(tree->abi->any_source, tree->abi->any_tag, tree->comm, &flag, status);
    return flag;
}

/* ---- messages ---- */

static void pause_between_tests(const struct fm_rank_tree *tree, unsigned *times)
{
    if (tree->never_sleeps)
        return;
    /* short: messages that the program has left pending progress only when we test */
    unsigned us = *times < 5 ? 20u << *times : 500;
    ++*times;
    struct timespec pause = {0, (long)us * 1000};
    nanosleep(&pause, NULL);
}

/* Waits until the request is complete, or for at most `timeout` (0: forever); it is then cancelled, so that nothing
 * stays pending. */
static bool complete(const struct fm_rank_tree *tree, fm_word *request, uint64_t timeout)
{
    char status[FM_STATUS_BYTES];
    uint64_t start = fm_clock_ns(CLOCK_MONOTONIC);
    for (unsigned times = 0;; pause_between_tests(tree, &times)) {
        int flag = 0;
        if (tree->abi->pmpi.Test(request, &flag, status) != 0)
            return false;
        if (flag)
            return true;
        if (timeout && fm_clock_ns(CLOCK_MONOTONIC) - start > timeout)
            break;
    }
    tree->abi->pmpi.Cancel(request);
    tree->abi->pmpi.Request_free(request);
    return false;
}

static bool receive(const struct fm_rank_tree *tree, void *to, size_t bytes, int from, int tag, uint64_t timeout)
{
    const struct fm_abi *abi = tree->abi;
    fm_word request = 0;
    return abi->pmpi.Irecv(to, (int)bytes, abi->type_byte, from, tag, tree->comm, &request) == 0 &&
           complete(tree, &request, timeout);
}

static bool send_small(const struct fm_rank_tree *tree, const void *what, size_t bytes, int to, int tag)
{
    const struct fm_abi *abi = tree->abi;
    fm_word request = 0;
    return abi->pmpi.Isend(what, (int)bytes, abi->type_byte, to, tag, tree->comm, &request) == 0 &&
           complete(tree, &request, timeout_ns);
}

/* ---- results ---- */

static bool fetch_chunks(const struct fm_rank_tree *tree, int child, char *to, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += CHUNK_BYTES) {
        uint64_t bytes = size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES;
        if (!send_small(tree, &at, sizeof at, child, TAG_ASK) ||
            !receive(tree, to + at, bytes, child, TAG_CHUNK, timeout_ns))
            return false;
    }
    return send_small(tree, &nothing, sizeof nothing, child, TAG_ASK);
}

bool fm_rank_tree_fetch(const struct fm_rank_tree *tree, int child, bool wanted, uint64_t timeout,
                        struct fm_arena *arena, void **bytes, size_t *size)
{
    uint64_t announced = nothing;
    if (!receive(tree, &announced, sizeof announced, child, TAG_SIZE, timeout) || announced == nothing)
        return false;
    char *buffer = wanted && announced <= MAX_RESULT_BYTES ? fm_arena_alloc(arena, announced) : NULL;
    if (!buffer) {
        send_small(tree, &nothing, sizeof nothing, child, TAG_ASK);
        return false;
    }
    *bytes = buffer;
    *size = announced;
    return fetch_chunks(tree, child, buffer, announced);
}

bool fm_rank_tree_send_up(const struct fm_rank_tree *tree, const void *bytes, size_t size)
{
    uint64_t announced = bytes ? size : nothing, at = 0;
    int parent = parent_of(tree);
    if (!send_small(tree, &announced, sizeof announced, parent, TAG_SIZE))
        return false;
    while (bytes && receive(tree, &at, sizeof at, parent, TAG_ASK, timeout_ns)) {
        uint64_t left = at < size ? size - at : 0;
        if (!left)
            return true;
        if (!send_small(tree, (const char *)bytes + at, left < CHUNK_BYTES ? left : CHUNK_BYTES, parent, TAG_CHUNK))
            return false;
    }
    return !bytes;
}

/* ---- words ---- */

bool fm_rank_tree_send_word(const struct fm_rank_tree *tree, int child, uint64_t word)
{
    return send_small(tree, &word, sizeof word, child, TAG_WORD);
}

bool fm_rank_tree_receive_word(const struct fm_rank_tree *tree, uint64_t *word)
{
    return receive(tree, word, sizeof *word, parent_of(tree), TAG_WORD, timeout_ns * 4);
}
