/* Loads a plug-in, and the MPI that it needs, for itself alone. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_run") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    if (dlsym(RTLD_DEFAULT, "MPIR_Err_create_code") || dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world")) {
        fprintf(stderr, "MPI is there for all\n");
        return 2;
    }
    return run();
}
