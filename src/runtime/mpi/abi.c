/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/abi.h"

#include <stddef.h>
#include <string.h>

#include "base/basename.h"
#include "mpi/libraries.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/weak.h"
#include "runtime/runtime.h"

struct fm_abi fm_abi;
fm_function *fm_next_table[2 * FM_ROUTINE_COUNT], *fm_call_table[2 * FM_ROUTINE_COUNT];

/* ---- the library ---- */

static bool may_be_mpi(const char *path)
{
    return fm_mpi_is_named(fm_basename(path));
}

/* If the MPI library was loaded with the program, it comes next. If it was loaded privately by dlopen (as Python does),
 * all loaded objects are searched. */
static bool find_next(struct fm_definition *sought)
{
    fm_next_find(sought, 1);
    return sought->address || fm_next_find_loaded(sought, may_be_mpi);
}

bool fm_is_mpi_name(const char *symbol)
{
    symbol += *symbol == 'P';
    return symbol[0] == 'M' && symbol[1] == 'P' && symbol[2] == 'I';
}

static void *find_in_library(const void *library, const char *name)
{
    void *copied = fm_program_find(name);
    return copied ? copied : fm_object_find(library, name, fm_symbol_hash(name));
}

/* ---- next definitions ---- */

static fm_word report_false(fm_word flag)
{
    if (flag)
        *(int *)flag = 0;
    return 0;
}

static fm_word return_error(void)
{
    return (fm_word)(fm_abi.err_other ? fm_abi.err_other : 16);
}

/* What a routine does in a process without MPI, in which a program may have found our wrapper by dlsym. */
static fm_function *fallback_of(unsigned routine)
{
    if (routine == FM_R_MPI_Initialized || routine == FM_R_MPI_Finalized)
        return (fm_function *)report_false;
    return (fm_function *)return_error;
}

static fm_function *resolve(fm_function **known, const char *symbol, fm_function *fallback)
{
    struct fm_definition next = {.name = symbol};
    struct fm_caller_state saved = fm_caller_state_save();
    bool found = find_next(&next);
    if (!fm_syscalls_forbidden() && !fm_process_is_bare_child())
        fm_weak_of_loaded(fm_is_mpi_name);
    fm_caller_state_restore(saved);
    if (!found)
        return fallback; /* not cached: the library may be loaded later */
    __atomic_store_n(known, (fm_function *)next.address, __ATOMIC_RELEASE);
    return (fm_function *)next.address;
}

fm_function *fm_next_mpi(unsigned slot)
{
    char name[80] = "P";
    strncpy(name + 1, fm_routine_name(slot / 2), sizeof name - 2);
    return resolve(&fm_next_table[slot], slot % 2 ? name : name + 1, fallback_of(slot / 2));
}

fm_function *fm_next_fortran(fm_function **known, const char *symbol)
{
    fm_function *next = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    return next ? next : resolve(known, symbol, (fm_function *)return_error);
}

/* ---- the ABI ---- */

/* Takes no lock: a child created by _Fork might find it held. Threads that race here write the same values. */
bool fm_abi_find(void)
{
    if (__atomic_load_n(&fm_rt.mpi.known, __ATOMIC_ACQUIRE))
        return true;
    struct fm_abi abi = {0};
    struct fm_object library;
    struct fm_definition init = {.name = "PMPI_Init"};
    struct fm_caller_state saved = fm_caller_state_save();
    if (find_next(&init) && fm_object_read(&library, init.base, init.dynamic) &&
        fm_abi_describe(&abi, find_in_library, &library)) {
        fm_abi = abi;
        __atomic_store_n(&fm_rt.mpi.known, true, __ATOMIC_RELEASE);
    }
    fm_caller_state_restore(saved);
    return fm_rt.mpi.known;
}
