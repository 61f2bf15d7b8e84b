/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/libraries.h"

#include <stddef.h>
#include <string.h>

#include "base/names.h"

const struct fm_mpi_library fm_mpi_libraries[FM_MPI_LIBRARIES] = {
    {
        .name = "MPICH",
        .kind = FM_MPI_MPICH,
        .symbols = "MPIR_Err_create_code\0MPIR_Dup_fn\0MPID_Init\0",
        .libraries = "libmpich.\0libmpi.so.12\0",
        .sonames = "libmpich.so.12\0libmpi.so.12\0",
        .bindings = "libmpich\0libmpicxx\0libpmpi\0",
        .fortran = "libmpichf\0libmpifort\0",
        .settings = "MPICH_\0MPIR_\0",
        .internal = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME\0",
        .yielding = "MPIR_CVAR_POLLS_BEFORE_YIELD=1",
    },
    {
        .name = "Intel MPI",
        .kind = FM_MPI_MPICH,
        .libraries = "libmpi.so.12\0",
        .sonames = "libmpi.so.12\0",
        .bindings = "libmpicxx\0",
        .fortran = "libmpifort\0",
        .settings = "I_MPI_\0",
    },
    {
        .name = "MVAPICH2",
        .kind = FM_MPI_MPICH,
        .libraries = "libmpi.so.12\0",
        .sonames = "libmpi.so.12\0",
        .bindings = "libmpicxx\0",
        .fortran = "libmpifort\0",
        .settings = "MV2_\0",
    },
    {
        .name = "Cray MPICH",
        .kind = FM_MPI_MPICH,
        .libraries = "libmpi_cray\0libmpich_\0",
        .fortran = "libmpifort_\0",
    },
    {
        .name = "Open MPI",
        .kind = FM_MPI_OPENMPI,
        .symbols = "ompi_mpi_comm_world\0",
        .libraries = "libmpi.so\0",
        .sonames = "libmpi.so.40\0",
        .bindings = "libmpi_\0libmpi-\0",
        .fortran = "libmpi_mpifh\0libmpi_usempi\0",
        .settings = "OMPI_MCA_\0PMIX_MCA_\0",
        .internal = "OMPI_MCA_orte_\0OMPI_MCA_ess\0OMPI_MCA_pmix\0OMPI_MCA_shmem_RUNTIME\0OMPI_MCA_initial_wdir\0"
                    "PMIX_MCA_mca_base_component_show\0",
        .yielding = "OMPI_MCA_mpi_yield_when_idle=1",
    },
};

const char fm_mpi_stack[] = "libmpi*\0libopen-*\0mca_*\0libpmix*\0libprrte*\0libevent*\0libuc[mpst]*\0libfabric*\0"
                            "libpsm*\0libhwloc*\0";

/* UCX, libfabric and HCOLL, which several MPIs use. */
static const char network_settings[] = "UCX_\0FI_\0HCOLL_\0";

const char *fm_mpi_kind_name(enum fm_mpi_kind kind)
{
    static const char names[][12] = {[FM_MPI_NONE] = "", [FM_MPI_OPENMPI] = "Open MPI", [FM_MPI_MPICH] = "MPICH"};
    return names[kind];
}

void fm_mpi_version(const char *text, char name[FM_MPI_VERSION_CHARS])
{
    char version[32] = "";
    size_t digit = strcspn(text, "0123456789"), n = digit;
    while (n > 0 && strchr(" \tv:", text[n - 1]))
        n--;
    const char *word = strstr(text, " Version");
    if (word && (size_t)(word - text) < n)
        n = (size_t)(word - text);
    memset(name, 0, FM_MPI_VERSION_CHARS);
    memcpy(name, text, n < FM_MPI_VERSION_CHARS - 34 ? n : FM_MPI_VERSION_CHARS - 34);
    memcpy(version, text + digit, strspn(text + digit, "0123456789.abcrx") % (sizeof version - 1));
    strcat(strcat(name, " "), version);
}

/* Backwards: Open MPI needs only one symbol lookup. */
enum fm_mpi_kind fm_mpi_kind_of(fm_symbol_finder *find, const void *library)
{
    for (size_t i = FM_MPI_LIBRARIES; i-- > 0;)
        for (const char *symbol = fm_mpi_libraries[i].symbols; *symbol; symbol = fm_name_after(symbol))
            if (find(library, symbol))
                return fm_mpi_libraries[i].kind;
    return FM_MPI_NONE;
}

enum fm_mpi_kind fm_mpi_kind_of_file(const char *file)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++)
        if (fm_names_begin(fm_mpi_libraries[i].libraries, file))
            return fm_mpi_libraries[i].kind;
    return FM_MPI_NONE;
}

bool fm_mpi_is_fortran_binding(const char *file)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++)
        if (fm_names_begin(fm_mpi_libraries[i].fortran, file))
            return true;
    return false;
}

bool fm_mpi_is_library(const char *file)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++)
        if (fm_names_begin(fm_mpi_libraries[i].bindings, file))
            return true;
    return fm_mpi_kind_of_file(file) != FM_MPI_NONE || fm_mpi_is_fortran_binding(file);
}

bool fm_mpi_is_named(const char *file)
{
    return fm_names_begin("libmpi\0libpmpi\0", file);
}

bool fm_mpi_is_setting(const char *variable)
{
    bool is_setting = fm_names_begin(network_settings, variable);
    for (size_t i = 0; i < FM_MPI_LIBRARIES && !is_setting; i++)
        is_setting = fm_names_begin(fm_mpi_libraries[i].settings, variable) &&
                     !fm_names_begin(fm_mpi_libraries[i].internal, variable);
    return is_setting;
}
