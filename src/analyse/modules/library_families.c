/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/library_families.h"

#include "base/basename.h"
#include "base/names.h"
#include "mpi/libraries.h"

const struct fm_library_family fm_library_families[FM_LIBRARY_FAMILIES] = {
    {"mpi", fm_mpi_stack, FM_FAMILY_ALWAYS},
    {"threads", "libgomp*\0libomp.so*\0libomp5*\0libiomp*\0libtbb*\0", FM_FAMILY_USED},
    {"threads", "libgomp*\0libiomp*\0", FM_FAMILY_PYTHON},
    {"math",
     "libblas*\0libcblas*\0liblapack*\0libopenblas*\0libblis*\0libatlas*\0libmkl*\0libarmpl*\0libsci_*\0libfftw*\0"
     "libscalapack*\0libgsl*\0libpetsc*\0libHYPRE*\0libsuperlu*\0libmumps*\0libmetis*\0libparmetis*\0",
     FM_FAMILY_USED},
    {"math", "libblas*\0liblapack*\0libopenblas*\0libmkl*\0", FM_FAMILY_PYTHON},
    {"io", "libhdf5*\0libnetcdf*\0libpnetcdf*\0libadios*\0libsz.so*\0", FM_FAMILY_USED},
    {"io", "libhdf5*\0libnetcdf*\0", FM_FAMILY_PYTHON},
    {"mpi4py", "*/mpi4py/*\0", FM_FAMILY_PYTHON},
    {"numpy", "*/numpy/*\0*/numpy.libs/*\0", FM_FAMILY_PYTHON},
    {"scipy", "*/scipy/*\0*/scipy.libs/*\0", FM_FAMILY_PYTHON},
    {"packages", "*/site-packages/*\0*/dist-packages/*\0", FM_FAMILY_PYTHON},
    {"python", "python[23]*\0libpython*\0*/lib-dynload/*\0", FM_FAMILY_PYTHON},
    {"system", "ld-linux*\0linux-vdso*\0libc.so*\0libm.so*\0libpthread*\0libdl.so*\0libgcc_s*\0libfathom*\0",
     FM_FAMILY_ALWAYS},
    {"system",
     "librt.so*\0libmvec*\0libstdc++.so*\0libc++*.so*\0libgfortran*\0libquadmath*\0libflang*\0libifcore*\0libimf*\0"
     "libsvml*\0libintlc*\0libz.so*\0",
     FM_FAMILY_USED},
    {"system", "libstdc++.so*\0libgfortran*\0libquadmath*\0libz.so*\0", FM_FAMILY_PYTHON},
};

bool fm_path_fits(const char *pattern, const char *path)
{
    return path[0] && fnmatch(pattern, strchr(pattern, '/') ? path : fm_basename(path), 0) == 0;
}

const struct fm_library_family *fm_library_family(const char *path)
{
    for (size_t i = 0; i < FM_LIBRARY_FAMILIES; i++)
        for (const char *at = fm_library_families[i].patterns; *at; at = fm_name_after(at))
            if (fm_path_fits(at, path))
                return &fm_library_families[i];
    return NULL;
}
