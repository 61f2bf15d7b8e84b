#define _GNU_SOURCE
#include "measure/mpi/leaders.h"

#include <string.h>
#include <time.h>

#include "measure/mpi/abi.h"
#include "measure/runtime.h"
#include "measure/segment_make.h"
#include "profile/encode.h"
#include "reduce/merge.h"

enum {
    CHUNK_BYTES = 3072, /* below every library's limit for sending at once */
    MAX_RESULT_BYTES = 1 << 30,
    TAG_SIZE = 1,
    TAG_ASK = 2,
    TAG_CHUNK = 3,
    TAG_WRITTEN = 4,
};
/* For each message, once its sender is known to be there. Waiting for a child to come at all has no limit: the real
 * MPI_Finalize would wait for it as well. */
static const uint64_t limit_ns = 30ull * 1000000000u;

static fm_word leaders;
static int my_place = -1, n_leaders;
static bool child_added[2];

/* ---- making the communicator ---- */

static bool agree_on_key(fm_word all)
{
    char key[sizeof fm_rt.segment->job_key];
    memcpy(key, fm_rt.segment->job_key, sizeof key);
    if (fm_abi.pmpi.Bcast(key, sizeof key, fm_abi.type_byte, 0, all) != 0)
        return false;
    key[sizeof key - 1] = 0;
    if (strcmp(key, fm_rt.segment->job_key) != 0)
        fm_segment_rekey(key);
    return true;
}

/* A job that was spawned has inherited what is said of its parents. */
static bool was_spawned(void)
{
    fm_word parent = 0;
    return fm_abi.pmpi.Comm_get_parent(&parent) != 0 || fm_handle(parent) != fm_abi.comm_null;
}

bool fm_leaders_make(bool measured)
{
    fm_word all = 0, host = 0;
    int local_rank = -1, local_size = 0;
    if (was_spawned() || fm_abi.pmpi.Comm_split(fm_abi.comm_world, measured ? 0 : fm_abi.undefined, 0, &all) != 0 ||
        !measured)
        return false;
    fm_abi.pmpi.Comm_set_errhandler(all, fm_abi.errors_return);
    bool fine = agree_on_key(all) &&
                fm_abi.pmpi.Comm_split_type(all, fm_abi.comm_type_shared, 0, fm_abi.info_null, &host) == 0 &&
                fm_abi.pmpi.Comm_rank(host, &local_rank) == 0 && fm_abi.pmpi.Comm_size(host, &local_size) == 0 &&
                fm_abi.pmpi.Comm_split(all, local_rank == 0 ? 0 : fm_abi.undefined, 0, &leaders) == 0;
    if (host)
        fm_abi.pmpi.Comm_free(&host);
    fm_abi.pmpi.Comm_free(&all);
    if (!fine)
        return false;
    fm_rt.segment->local_size = local_size;
    if (local_rank == 0) {
        fm_abi.pmpi.Comm_set_errhandler(leaders, fm_abi.errors_return);
        fm_abi.pmpi.Comm_rank(leaders, &my_place);
        fm_abi.pmpi.Comm_size(leaders, &n_leaders);
    }
    return true;
}

bool fm_leaders_am_one(void)
{
    return my_place >= 0;
}

void fm_leaders_progress(void)
{
    char status[FM_STATUS_BYTES];
    int flag = 0;
    fm_abi.pmpi.Iprobe(fm_abi.any_source, fm_abi.any_tag, leaders, &flag, status);
}

/* ---- messages ---- */

static void pause_between_tests(unsigned *times)
{
    /* short: what the program has left to deliver moves only when we test */
    unsigned us = *times < 5 ? 20u << *times : 500;
    ++*times;
    struct timespec pause = {0, (long)us * 1000};
    nanosleep(&pause, NULL);
}

/* Until the request is complete, or until the limit (0: none); then it is cancelled, so that nothing stays pending. */
static bool complete(fm_word *request, uint64_t limit)
{
    char status[FM_STATUS_BYTES];
    uint64_t start = fm_clock_ns(CLOCK_MONOTONIC);
    for (unsigned times = 0;; pause_between_tests(&times)) {
        int flag = 0;
        if (fm_abi.pmpi.Test(request, &flag, status) != 0)
            return false;
        if (flag)
            return true;
        if (limit && fm_clock_ns(CLOCK_MONOTONIC) - start > limit)
            break;
    }
    fm_abi.pmpi.Cancel(request);
    fm_abi.pmpi.Request_free(request);
    return false;
}

static bool receive(void *to, size_t bytes, int from, int tag, uint64_t limit)
{
    fm_word request = 0;
    return fm_abi.pmpi.Irecv(to, (int)bytes, fm_abi.type_byte, from, tag, leaders, &request) == 0 &&
           complete(&request, limit);
}

static bool send_small(const void *what, size_t bytes, int to, int tag)
{
    fm_word request = 0;
    return fm_abi.pmpi.Isend(what, (int)bytes, fm_abi.type_byte, to, tag, leaders, &request) == 0 &&
           complete(&request, limit_ns);
}

/* ---- the tree ---- */

static const uint64_t nothing = UINT64_MAX; /* as a size: this host has no part; as an offset: enough */

/* Asks for a child's result piece by piece. */
static bool fetch(int child, char *to, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += CHUNK_BYTES) {
        uint64_t bytes = size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES;
        if (!send_small(&at, sizeof at, child, TAG_ASK) || !receive(to + at, bytes, child, TAG_CHUNK, limit_ns))
            return false;
    }
    return send_small(&nothing, sizeof nothing, child, TAG_ASK);
}

/* *spoilt: the child's part is in `profile`, but not all of it. */
static bool add_child(struct fm_profile *profile, int child, bool *spoilt)
{
    uint64_t size = nothing;
    if (!receive(&size, sizeof size, child, TAG_SIZE, 0) || size == nothing)
        return false;
    struct fm_arena arena = {0};
    struct fm_profile *part = NULL;
    char *bytes = profile && size <= MAX_RESULT_BYTES ? fm_arena_alloc(&arena, size) : NULL;
    if (!bytes)
        send_small(&nothing, sizeof nothing, child, TAG_ASK);
    bool added = bytes && fetch(child, bytes, size) &&
                 fm_profile_decode(bytes, size, "a message of another host", &part, NULL) == FM_OK;
    if (added && fm_profile_merge(profile, part, NULL) != FM_OK)
        *spoilt = true;
    fm_profile_destroy(part);
    fm_arena_destroy(&arena);
    return added;
}

static void pass_up(const struct fm_profile *profile, int parent)
{
    struct fm_arena arena = {0};
    const void *bytes = NULL;
    size_t size = 0;
    uint64_t told = nothing, at;
    if (profile && fm_profile_encode_exact(profile, &arena, &bytes, &size, NULL) == FM_OK)
        told = size;
    if (send_small(&told, sizeof told, parent, TAG_SIZE) && told != nothing) {
        while (receive(&at, sizeof at, parent, TAG_ASK, limit_ns) && at < size) {
            uint64_t left = size - at;
            if (!send_small((const char *)bytes + at, left < CHUNK_BYTES ? left : CHUNK_BYTES, parent, TAG_CHUNK))
                break;
        }
    }
    fm_arena_destroy(&arena);
}

/* Without memory for a profile of its own a leader has nothing to add its children's parts to. */
bool fm_leaders_reduce(struct fm_profile *profile)
{
    bool spoilt = false;
    for (int i = 0, child = 2 * my_place + 1; i < 2 && child < n_leaders; i++, child++)
        child_added[i] = add_child(spoilt ? NULL : profile, child, &spoilt);
    if (my_place == 0)
        return profile && !spoilt;
    pass_up(spoilt ? NULL : profile, (my_place - 1) / 2);
    return false;
}

bool fm_leaders_agree(bool written)
{
    uint64_t word = written;
    if (my_place > 0 && !receive(&word, sizeof word, (my_place - 1) / 2, TAG_WRITTEN, limit_ns * 4))
        word = 0;
    for (int i = 0, child = 2 * my_place + 1; i < 2 && child < n_leaders; i++, child++) {
        uint64_t told = word && child_added[i];
        send_small(&told, sizeof told, child, TAG_WRITTEN);
    }
    return word != 0;
}
