#define _GNU_SOURCE
#include "measure/mpi/abi.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "measure/runtime.h"

struct fm_abi fm_abi;

/* ---- the library ---- */

/* Loaded by the linker it is found by name; loaded privately by dlopen (as Python does) it is searched for among
 * the loaded modules. Our own PMPI_Init is never the answer: RTLD_NEXT looks behind us. */
struct search {
    unsigned number; /* of the candidate that is asked for */
    char path[FM_PATH_BYTES];
};

static int pick_candidate(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    const char *name = strrchr(info->dlpi_name, '/');
    name = name ? name + 1 : info->dlpi_name;
    if ((strncmp(name, "libmpi", 6) != 0 && strncmp(name, "libpmpi", 7) != 0) || search->number-- > 0)
        return 0;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

/* A module that defines the symbol itself. Opened when dl_iterate_phdr is over: inside, the loader's locks would be
 * taken in the wrong order, and a thread that is loading a library could wait for us while we wait for it. */
static void *search_modules(const char *symbol)
{
    for (unsigned i = 0;; i++) {
        struct search search = {.number = i};
        if (!dl_iterate_phdr(pick_candidate, &search))
            return NULL;
        void *handle = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
        void *found = handle ? dlsym(handle, symbol) : NULL;
        Dl_info where;
        if (found && dladdr(found, &where) && strcmp(where.dli_fname, search.path) == 0)
            return handle;
        if (handle)
            dlclose(handle);
    }
}

static void *library_handle(void)
{
    static void *handle;
    if (handle)
        return handle;
    void *symbol = dlsym(RTLD_NEXT, "PMPI_Init");
    Dl_info where;
    if (symbol && dladdr(symbol, &where) && where.dli_fname)
        handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return handle ? handle : (handle = search_modules("PMPI_Init"));
}

/* ---- next definitions ---- */

static fm_word answer_no(fm_word flag)
{
    if (flag)
        *(int *)flag = 0;
    return 0;
}

static fm_word answer_error(void)
{
    return (fm_word)(fm_abi.err_other ? fm_abi.err_other : 16);
}

static double answer_time(void)
{
    return (double)fm_clock_ns(CLOCK_MONOTONIC) / 1e9;
}

/* A program without MPI may hold weak references that we have made non-null: it is told that MPI is not there. */
static fm_function *absent(unsigned routine)
{
    if (routine == FM_R_MPI_Initialized || routine == FM_R_MPI_Finalized)
        return (fm_function *)answer_no;
    if (routine == FM_R_MPI_Wtime)
        return (fm_function *)answer_time;
    return (fm_function *)answer_error;
}

fm_function *fm_next_find(unsigned slot)
{
    char name[80] = "P";
    const char *routine = fm_routine_names[slot / 2];
    strncpy(name + 1, routine, sizeof name - 2);
    const char *wanted = slot % 2 ? name : name + 1;
    struct fm_shelter shelter = fm_shelter_enter();
    void *found = dlsym(RTLD_NEXT, wanted);
    if (!found && library_handle())
        found = dlsym(library_handle(), wanted);
    fm_shelter_leave(shelter);
    if (!found)
        return absent(slot / 2); /* not kept: the library may be loaded later */
    __atomic_store_n(&fm_next_table[slot], (fm_function *)found, __ATOMIC_RELEASE);
    return (fm_function *)found;
}

fm_function *fm_next_fortran(fm_function **known, const char *symbol)
{
    fm_function *next = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    if (next)
        return next;
    struct fm_shelter shelter = fm_shelter_enter();
    void *found = dlsym(RTLD_NEXT, symbol), *library;
    if (!found && (library = search_modules(symbol)))
        found = dlsym(library, symbol);
    fm_shelter_leave(shelter);
    if (!found)
        return (fm_function *)answer_error;
    __atomic_store_n(known, (fm_function *)found, __ATOMIC_RELEASE);
    return (fm_function *)found;
}

/* ---- all of it ---- */

bool fm_abi_find(void)
{
    static struct fm_mutex lock;
    static bool known;
    if (__atomic_load_n(&known, __ATOMIC_ACQUIRE))
        return true;
    struct fm_abi abi = {0};
    struct fm_shelter shelter = fm_shelter_enter();
    fm_lock(&lock);
    if (!known && library_handle() && fm_abi_describe(&abi, library_handle())) {
        fm_abi = abi;
        __atomic_store_n(&known, true, __ATOMIC_RELEASE);
    }
    fm_unlock(&lock);
    fm_shelter_leave(shelter);
    return known;
}
