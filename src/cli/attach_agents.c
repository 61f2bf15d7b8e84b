/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_agents.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/names.h"
#include "cli/cli.h"
#include "mpi/launchers.h"

/* For the result of another host. */
static const uint64_t child_timeout_ns = 120ull * 1000000000u;
/* For MPI_Finalize, which some MPI libraries do not return from if the hosts have pid namespaces of their own. */
enum { LEAVE_SECONDS = 10 };

/* ---- join and leave ---- */

/* Global, because plug-ins of MPI look up its symbols. */
static void *open_named(const char *name)
{
    return name && *name ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : NULL;
}

static void *open_kind(enum fm_mpi_kind kind)
{
    void *library = NULL;
    for (size_t i = 0; i < FM_MPI_LIBRARIES && !library; i++)
        for (const char *name = fm_mpi_libraries[i].sonames; *name && !library; name = fm_name_after(name))
            library = fm_mpi_libraries[i].kind == kind ? open_named(name) : NULL;
    return library;
}

static void *open_library(const struct fm_attach_request *request, const struct fm_targets *targets)
{
    bool ours = targets->n && fm_proc_is_ours(targets->items[0].pid);
    void *library = ours ? open_named(targets->items[0].mpi_library) : NULL;
    if (!library)
        library = open_named(request->library);
    if (!library && getenv(fm_launchers[FM_LAUNCHER_OPENMPI].size))
        library = open_kind(FM_MPI_OPENMPI);
    return library ? library : open_kind(FM_MPI_MPICH);
}

/* If a host were listed under two names, its ranks would be counted twice. */
static bool am_first_here(const struct fm_agents *agents, fm_word comm)
{
    const struct fm_abi *abi = &agents->abi;
    fm_word here = 0;
    int place = 0;
    if (abi->pmpi.Comm_split_type(comm, abi->comm_type_shared, 0, abi->info_null, &here) != 0)
        return true;
    abi->pmpi.Comm_rank(here, &place);
    abi->pmpi.Comm_free(&here);
    return place == 0;
}

static void *find_in_library(const void *library, const char *name)
{
    return dlsym((void *)library, name);
}

enum fm_status fm_agents_join(struct fm_agents *agents, const struct fm_attach_request *request,
                              const struct fm_targets *targets, struct fm_error *error)
{
    int (*init)(int *, char ***);
    fm_word comm = 0;
    agents->library = open_library(request, targets);
    if (!agents->library)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open the MPI library of the job: %s", dlerror());
    *(void **)&init = dlsym(agents->library, "PMPI_Init");
    if (!init || !fm_abi_describe(&agents->abi, find_in_library, agents->library))
        return fm_fail(error, FM_ERR_SYSTEM, "the MPI library of the job is not supported");
    if (init(NULL, NULL) != 0 || agents->abi.pmpi.Comm_split(agents->abi.comm_world, 0, 0, &comm) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "MPI_Init failed");
    fm_rank_tree_make(&agents->tree, &agents->abi, comm);
    if (request->agents && (size_t)agents->tree.n != request->agents)
        return fm_fail(error, FM_ERR_SYSTEM, "only %d of %zu agents connected: their launcher belongs to another MPI",
                       agents->tree.n, request->agents);
    agents->first_here = am_first_here(agents, comm);
    return FM_OK;
}

static void exit_at_once(int number)
{
    (void)number;
    _exit(FM_EXIT_OK);
}

void fm_agents_leave(struct fm_agents *agents)
{
    int (*finalize)(void);
    fflush(NULL);
    signal(SIGALRM, exit_at_once);
    alarm(LEAVE_SECONDS);
    *(void **)&finalize = dlsym(agents->library, "PMPI_Finalize");
    agents->abi.pmpi.Comm_free(&agents->tree.comm);
    if (finalize)
        finalize();
}

/* ---- exchange ---- */

bool fm_agents_tell(const struct fm_agents *agents, enum fm_agents_word word)
{
    bool sent = true;
    for (int i = 0; i < FM_RANK_TREE_CHILDREN && fm_rank_tree_child(&agents->tree, i) >= 0; i++)
        sent &= fm_rank_tree_send_word(&agents->tree, fm_rank_tree_child(&agents->tree, i), word);
    return sent;
}

static enum fm_status add_child(const struct fm_agents *agents, int child, struct fm_attach_result *result,
                                struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_attach_result part;
    void *bytes;
    size_t size;
    enum fm_status status = fm_rank_tree_fetch(&agents->tree, child, true, child_timeout_ns, &arena, &bytes, &size)
                                ? fm_attach_result_decode(bytes, size, &part, error)
                                : fm_fail(error, FM_ERR_SYSTEM, "an agent on another host does not respond");
    if (!status)
        status = fm_attach_result_merge(result, &part, error);
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_agents_collect(const struct fm_agents *agents, struct fm_attach_result *result,
                                 struct fm_error *error)
{
    struct fm_arena arena = {0};
    enum fm_status status = FM_OK;
    const void *bytes;
    size_t size;
    for (int i = 0; i < FM_RANK_TREE_CHILDREN && fm_rank_tree_child(&agents->tree, i) >= 0 && !status; i++)
        status = add_child(agents, fm_rank_tree_child(&agents->tree, i), result, error);
    if (!status && agents->tree.place > 0) {
        status = fm_attach_result_encode(result, &arena, &bytes, &size, error);
        if (!status && !fm_rank_tree_send_up(&agents->tree, bytes, size))
            status = fm_fail(error, FM_ERR_SYSTEM, "an agent on another host does not accept messages");
    }
    fm_arena_destroy(&arena);
    return status;
}
