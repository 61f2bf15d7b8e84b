/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/measure/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "base/process.h"
#include "mpi/launchers.h"

static void *find(const void *library, const char *name)
{
    return dlsym((void *)library, name);
}

/* The MPI whose launcher has started this process; FM_MPI_NONE if it starts those of any. */
static enum fm_mpi_kind launched_by(void)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        if (*fm_launchers[i].rank && getenv(fm_launchers[i].rank))
            return fm_launchers[i].mpi;
    return FM_MPI_NONE;
}

/* MPI's plug-ins refer to its symbols without naming it. */
static void *open_library(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

static void *open_usual(enum fm_mpi_kind kind)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++)
        for (const char *name = fm_mpi_libraries[i].sonames; *name; name = fm_name_after(name)) {
            void *library = kind == FM_MPI_NONE || fm_mpi_libraries[i].kind == kind ? open_library(name) : NULL;
            if (library)
                return library;
        }
    return NULL;
}

/* Whether this host has more ranks than cores, as far as the launcher tells. A rank that is bound to a core of its own may
 * use just that one. */
static bool is_oversubscribed(void)
{
    struct fm_placement placement;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (fm_process_placement(&placement) && placement.cpus > 1)
        cores = placement.cpus;
    for (size_t i = 0; i < FM_LAUNCHERS; i++) {
        const char *local = *fm_launchers[i].local_size ? getenv(fm_launchers[i].local_size) : NULL;
        if (local && strtol(local, NULL, 10) > cores)
            return true;
    }
    return false;
}

/* Where more ranks than cores wait for each other, one that spins keeps the one it waits for from running. Set before the
 * library reads its settings; a user's own value stays. */
static void let_ranks_yield(void)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++) {
        char name[sizeof fm_mpi_libraries->yielding];
        snprintf(name, sizeof name, "%s", fm_mpi_libraries[i].yielding);
        char *value = strchr(name, '=');
        if (!value)
            continue;
        *value = 0;
        setenv(name, value + 1, 0);
    }
}

enum fm_status fm_measure_library(struct fm_measure_mpi *mpi, const char *path, struct fm_error *error)
{
    enum fm_mpi_kind kind = launched_by();
    if (is_oversubscribed())
        let_ranks_yield();
    void *library = path ? open_library(path) : open_usual(kind);
    *mpi = (struct fm_measure_mpi){0};
    if (!library && path)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open the MPI library: %s", dlerror());
    if (!library)
        return fm_fail(error, FM_ERR_SYSTEM, "found no library of %s; give it with --library",
                       kind == FM_MPI_NONE ? "MPI" : fm_mpi_kind_name(kind));
    if (!fm_abi_describe(&mpi->abi, find, library))
        return fm_fail(error, FM_ERR_INPUT, "%s is not an MPI library that Fathom knows", path ? path : "it");
#define X(name, arguments)                                      \
    if (!(*(void **)&mpi->name = find(library, "PMPI_" #name))) \
        return fm_fail(error, FM_ERR_INPUT, "the MPI library has no function PMPI_" #name);
    FM_MEASURE_FUNCTIONS(X)
#undef X
    return FM_OK;
}
