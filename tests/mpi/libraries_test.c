/* What is known of MPI libraries by their names, by what they define, and by variables. */
#include "mpi/libraries.h"

#include <string.h>

#include "base/names.h"
#include "tap.h"

/* The whole field is the list: its last two bytes end a name and the list. */
#define IS_LIST(field) (!(field)[sizeof(field) - 1] && !(field)[sizeof(field) - 2])

static void rows_are_whole(void)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++) {
        const struct fm_mpi_library *row = &fm_mpi_libraries[i];
        tap_ok(*row->name && row->kind != FM_MPI_NONE && *row->libraries, "%s: its ABI and its library", row->name);
        tap_ok(IS_LIST(row->symbols) && IS_LIST(row->libraries) && IS_LIST(row->sonames) && IS_LIST(row->bindings) &&
                   IS_LIST(row->fortran) && IS_LIST(row->settings) && IS_LIST(row->internal),
               "%s: all lists end", row->name);
        for (const char *name = row->sonames; *name; name = fm_name_after(name))
            tap_ok(fm_mpi_kind_of_file(name) == row->kind && fm_mpi_is_library(name) && fm_mpi_is_named(name),
                   "%s is one of %s", name, row->name);
        for (const char *name = row->fortran; *name; name = fm_name_after(name))
            tap_ok(fm_mpi_is_library(name) && fm_mpi_is_named(name), "%s is one of %s", name, row->name);
        for (const char *name = row->internal; *name; name = fm_name_after(name))
            tap_ok(fm_names_begin(row->settings, name) && !fm_mpi_is_setting(name), "%s is no setting of a user", name);
    }
}

static void file(const char *name, enum fm_mpi_kind kind, bool library, bool fortran, bool named)
{
    tap_ok(fm_mpi_kind_of_file(name) == kind && fm_mpi_is_library(name) == library &&
               fm_mpi_is_fortran_binding(name) == fortran && fm_mpi_is_named(name) == named,
           "%s", name);
}

static void files(void)
{
    file("libmpi.so.40.30.4", FM_MPI_OPENMPI, true, false, true);
    file("libmpi.so", FM_MPI_OPENMPI, true, false, true);
    file("libmpi_mpifh.so.40", FM_MPI_NONE, true, true, true);
    file("libmpi_usempif08.so.40", FM_MPI_NONE, true, true, true);
    file("libmpi_cxx.so.40", FM_MPI_NONE, true, false, true);
    file("libmpi.so.12", FM_MPI_MPICH, true, false, true);
    file("libmpich.so.12.1.8", FM_MPI_MPICH, true, false, true);
    file("libmpichfort.so.12", FM_MPI_NONE, true, true, true);
    file("libmpichcxx.so.12", FM_MPI_NONE, true, false, true);
    file("libmpifort.so.12", FM_MPI_NONE, true, true, true);
    file("libmpicxx.so.12", FM_MPI_NONE, true, false, true);
    file("libpmpi.so.12", FM_MPI_NONE, true, false, true);
    file("libmpi_cray.so.12", FM_MPI_MPICH, true, false, true);
    file("libmpiP.so", FM_MPI_NONE, false, false, true); /* a tool */
    file("libm.so.6", FM_MPI_NONE, false, false, false);
    file("libopen-pal.so.40", FM_MPI_NONE, false, false, false);
    file("", FM_MPI_NONE, false, false, false);
}

static void *defines(const void *library, const char *name)
{
    return fm_names_have(library, name) ? (void *)name : NULL;
}

static void symbols(void)
{
    tap_ok(fm_mpi_kind_of(defines, "MPI_Init\0ompi_mpi_comm_world\0") == FM_MPI_OPENMPI, "Open MPI by its symbols");
    tap_ok(fm_mpi_kind_of(defines, "MPI_Init\0MPIR_Dup_fn\0") == FM_MPI_MPICH, "the ABI of MPICH by its symbols");
    tap_ok(fm_mpi_kind_of(defines, "MPI_Init\0") == FM_MPI_NONE, "an unknown MPI");
    tap_ok(strcmp(fm_mpi_kind_name(FM_MPI_MPICH), "MPICH") == 0 && !*fm_mpi_kind_name(FM_MPI_NONE), "kinds have names");
}

static void settings(void)
{
    static const char kept[] =
        "OMPI_MCA_btl=tcp\0PMIX_MCA_gds=hash\0MPICH_ASYNC_PROGRESS=1\0MPIR_CVAR_CH4=a\0I_MPI_PIN=1\0"
        "MV2_SHOW=1\0UCX_TLS=tcp\0FI_PROVIDER=tcp\0HCOLL_MAIN_IB=a\0";
    static const char others[] =
        "OMPI_COMM_WORLD_RANK=0\0OMPI_MCA_orte_precondition_transports=a\0PMIX_RANK=0\0HOME=/\0"
        "OMPI_MCA_ess_base_jobid=1\0=\0";
    for (const char *one = kept; *one; one = fm_name_after(one))
        tap_ok(fm_mpi_is_setting(one), "%s is a setting", one);
    for (const char *one = others; *one; one = fm_name_after(one))
        tap_ok(!fm_mpi_is_setting(one), "%s is none", one);
}

static void stack(void)
{
    static const char below[] =
        "libmpi.so.40\0libmpichfort.so.12\0libopen-rte.so.40\0libopen-pal.so.40\0libpmix.so.2\0libucs.so.0\0"
        "libucs_signal.so.0\0libuct_ib.so.0\0libfabric.so.1\0mca_btl_tcp.so\0libhwloc.so.15\0"
        "libevent_core-2.1.so.7\0";
    for (const char *one = below; *one; one = fm_name_after(one))
        tap_ok(fm_names_fit(fm_mpi_stack, one), "%s is of MPI or below it", one);
    tap_ok(!fm_names_fit(fm_mpi_stack, "libc.so.6") && !fm_names_fit(fm_mpi_stack, "libopenblas.so.0"),
           "and others are not");
}

static void versions(void)
{
    char name[FM_MPI_VERSION_CHARS];
    fm_mpi_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", name);
    tap_ok(strcmp(name, "Open MPI 4.1.4") == 0, "the version of Open MPI: %s", name);
    fm_mpi_version("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7", name);
    tap_ok(strcmp(name, "MPICH 4.0.2") == 0, "of MPICH: %s", name);
    fm_mpi_version("", name);
    tap_ok(strcmp(name, " ") == 0, "and of one without any");
}

int main(void)
{
    versions();
    rows_are_whole();
    files();
    symbols();
    settings();
    stack();
    return tap_done();
}
