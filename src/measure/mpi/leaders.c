#define _GNU_SOURCE
#include "measure/mpi/leaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* ---- making the communicator ---- */

/* All ranks of a host that have Fathom have made their segments by the end of the real MPI_Init. */
static bool whole_host_is_measured(void)
{
    const struct fm_segment_header *h = fm_rt.segment;
    struct fm_node_list list = {0};
    if (h->local_size <= 0 || !fm_rt.path[0])
        return true;
    bool whole = fm_node_scan(fm_rt.directory, h->job_key, NULL, &list, NULL) == FM_OK &&
                 list.n >= (size_t)h->local_size;
    fm_node_list_destroy(&list);
    return whole;
}

/* A collective call of which one rank knows nothing never ends, and no rank can ask another: so it must be certain
 * that all make it, and all must judge alike.
 *
 * Open MPI's mpirun gives other hosts only the variables it was told to pass on: LD_PRELOAD alone, or a script under
 * `fathom run`, measures the ranks of its own host and no others. With -x it cannot be told. And an MPMD job may have
 * Fathom in some of its programs. Other launchers pass every variable on; but where `fathom run` was not around them,
 * a wrapper script may have started only some of the ranks with Fathom. */
static bool all_ranks_are_measured(void)
{
    const char *programs = getenv("OMPI_NUM_APP_CTX"), *passed = getenv("OMPI_MCA_mca_base_env_list");
    const char *run = fm_rt.segment->run_id;
    if (programs)
        return atoi(programs) <= 1 && passed && strstr(passed, "LD_PRELOAD");
    return (*run && strncmp(run, "ranks-", 6) != 0) || whole_host_is_measured();
}

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

bool fm_leaders_make(void)
{
    fm_word all = 0, host = 0;
    int local_rank = -1, local_size = 0;
    if (!all_ranks_are_measured() || fm_abi.pmpi.Comm_dup(fm_abi.comm_world, &all) != 0)
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

static const uint64_t nothing = UINT64_MAX; /* as a size: this subtree gave up; as an offset: enough */

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

static bool add_child(struct fm_profile *profile, int child)
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
                 fm_profile_decode(bytes, size, "a message of another host", &part, NULL) == FM_OK &&
                 fm_profile_merge(profile, part, NULL) == FM_OK;
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

bool fm_leaders_reduce(struct fm_profile *profile)
{
    bool whole = profile != NULL;
    for (int child = 2 * my_place + 1; child <= 2 * my_place + 2 && child < n_leaders; child++)
        whole &= add_child(profile, child);
    if (my_place == 0)
        return whole;
    pass_up(whole ? profile : NULL, (my_place - 1) / 2);
    return false;
}

bool fm_leaders_agree(bool written)
{
    uint64_t word = written;
    if (my_place > 0 && !receive(&word, sizeof word, (my_place - 1) / 2, TAG_WRITTEN, limit_ns * 4))
        word = 0;
    for (int child = 2 * my_place + 1; child <= 2 * my_place + 2 && child < n_leaders; child++)
        send_small(&word, sizeof word, child, TAG_WRITTEN);
    return word != 0;
}
