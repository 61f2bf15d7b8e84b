/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/mpi/leaders.h"

#include <string.h>

#include "format/encode.h"
#include "merge/merge.h"
#include "mpi/rank_tree.h"
#include "runtime/mpi/abi.h"
#include "runtime/runtime.h"
#include "runtime/segment_make.h"

/* ---- creating the communicator ---- */

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

/* A spawned job has inherited the environment of its parents, which describes the parents' job. */
static bool was_spawned(void)
{
    fm_word parent = 0;
    return fm_abi.pmpi.Comm_get_parent(&parent) != 0 || fm_handle(parent) != fm_abi.comm_null;
}

bool fm_leaders_make(bool measured)
{
    fm_word all = 0, host = 0, comm = 0;
    int local_rank = -1, local_size = 0;
    if (was_spawned() || fm_abi.pmpi.Comm_split(fm_abi.comm_world, measured ? 0 : fm_abi.undefined, 0, &all) != 0 ||
        !measured)
        return false;
    fm_abi.pmpi.Comm_set_errhandler(all, fm_abi.errors_return);
    bool ok = agree_on_key(all) &&
              fm_abi.pmpi.Comm_split_type(all, fm_abi.comm_type_shared, 0, fm_abi.info_null, &host) == 0 &&
              fm_abi.pmpi.Comm_rank(host, &local_rank) == 0 && fm_abi.pmpi.Comm_size(host, &local_size) == 0 &&
              fm_abi.pmpi.Comm_split(all, local_rank == 0 ? 0 : fm_abi.undefined, 0, &comm) == 0;
    if (host)
        fm_abi.pmpi.Comm_free(&host);
    fm_abi.pmpi.Comm_free(&all);
    if (!ok)
        return false;
    fm_rt.segment->local_size = local_size;
    if (local_rank == 0)
        fm_rank_tree_make(&fm_rt.mpi.leaders, &fm_abi, comm);
    fm_rt.mpi.is_leader = local_rank == 0;
    return true;
}

bool fm_leaders_am_one(void)
{
    return fm_rt.mpi.is_leader;
}

void fm_leaders_never_sleep(void)
{
    fm_rt.mpi.leaders.never_sleeps = true;
}

void fm_leaders_progress(void)
{
    fm_rank_tree_progress(&fm_rt.mpi.leaders);
}

/* ---- the tree ---- */

/* Sets *incomplete if only a part of the child's data was merged into `profile`. The wait for a child has no timeout:
 * the real MPI_Finalize would wait for it as well. */
static bool add_child(struct fm_profile *profile, int child, bool *incomplete)
{
    struct fm_arena arena = {0};
    struct fm_profile *part = NULL;
    void *bytes;
    size_t size;
    bool added = fm_rank_tree_fetch(&fm_rt.mpi.leaders, child, profile, 0, &arena, &bytes, &size) &&
                 fm_profile_decode(bytes, size, "a message from another host", &part, NULL) == FM_OK;
    if (added && fm_profile_merge(profile, part, NULL) != FM_OK)
        *incomplete = true;
    fm_profile_destroy(part);
    fm_arena_destroy(&arena);
    return added;
}

static void pass_up(const struct fm_profile *profile)
{
    struct fm_arena arena = {0};
    const void *bytes = NULL;
    size_t size = 0;
    if (profile && fm_profile_encode_exact(profile, &arena, &bytes, &size, NULL) != FM_OK)
        bytes = NULL;
    fm_rank_tree_send_up(&fm_rt.mpi.leaders, bytes, size);
    fm_arena_destroy(&arena);
}

/* A leader that has no profile, being out of memory, has nothing to merge its children's parts into. */
bool fm_leaders_reduce(struct fm_profile *profile)
{
    bool incomplete = false;
    for (int i = 0; i < FM_RANK_TREE_CHILDREN && fm_rank_tree_child(&fm_rt.mpi.leaders, i) >= 0; i++)
        fm_rt.mpi.child_added[i] = add_child(incomplete ? NULL : profile, fm_rank_tree_child(&fm_rt.mpi.leaders, i),
                                             &incomplete);
    if (fm_rt.mpi.leaders.place == 0)
        return profile && !incomplete;
    pass_up(incomplete ? NULL : profile);
    return false;
}

bool fm_leaders_agree(bool written)
{
    uint64_t word = written;
    if (fm_rt.mpi.leaders.place > 0 && !fm_rank_tree_receive_word(&fm_rt.mpi.leaders, &word))
        word = 0;
    for (int i = 0; i < FM_RANK_TREE_CHILDREN && fm_rank_tree_child(&fm_rt.mpi.leaders, i) >= 0; i++)
        fm_rank_tree_send_word(&fm_rt.mpi.leaders, fm_rank_tree_child(&fm_rt.mpi.leaders, i),
                               word && fm_rt.mpi.child_added[i]);
    return word != 0;
}
