/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/launchers.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/basename.h"
#include "base/names.h"

const struct fm_launcher fm_launchers[FM_LAUNCHERS] = {
    [FM_LAUNCHER_OPENMPI] =
        {
            .name = "mpirun",
            .mpi = FM_MPI_OPENMPI,
            .commands = "mpirun\0mpiexec\0orterun\0mpirun.openmpi\0mpiexec.openmpi\0",
            .daemons = "orted\0",
            .group_signallers = "mpirun\0mpiexec\0orterun\0orted\0",
            .asked = "mpirun\0mpirun.openmpi\0",
            .version_mark = "(Open",
            .rank = "OMPI_COMM_WORLD_RANK",
            .size = "OMPI_COMM_WORLD_SIZE\0",
            .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE",
            .spawned = "OMPI_PARENT_PORT\0OMPI_MCA_dpm_parent_port\0",
            .job = "PMIX_NAMESPACE\0OMPI_MCA_orte_precondition_transports\0",
            .host_file = "OMPI_MCA_orte_default_hostfile",
            .hosts = "--host",
            .each_once = "--bind-to\0none\0",
            .export_option = "-x",
        },
    [FM_LAUNCHER_HYDRA] =
        {
            .name = "mpirun",
            .mpi = FM_MPI_MPICH,
            .commands = "mpirun\0mpiexec\0mpirun.mpich\0mpiexec.mpich\0" FM_HYDRA_COMMAND "\0",
            .daemons = FM_HYDRA_PROXY "\0hydra_bstrap_proxy\0",
            .group_signallers = "mpirun\0mpiexec\0" FM_HYDRA_PROXY "\0",
            .asked = "mpirun.mpich\0",
            .version_mark = "Version:",
            .rank = "PMI_RANK",
            .size = "PMI_SIZE\0",
            .local_size = "MPI_LOCALNRANKS",
            .spawned = "PMI_SPAWNED\0",
            .host_file = "HYDRA_HOST_FILE",
            .hosts = "-hosts",
            .each_once = "-ppn\0001\0",
            .passes_environment = true,
        },
    [FM_LAUNCHER_PRRTE] =
        {
            .commands = "prterun\0prun\0prte\0",
            .daemons = "prted\0",
            .group_signallers = "prterun\0prted\0prte\0",
            .rank = "PMIX_RANK",
            .size = "PMIX_SIZE\0",
            .job = "PMIX_NAMESPACE\0",
        },
    [FM_LAUNCHER_MVAPICH] =
        {
            .commands = "mpirun_rsh\0",
            .rank = "MV2_COMM_WORLD_RANK",
            .size = "MV2_COMM_WORLD_SIZE\0",
        },
    [FM_LAUNCHER_ALPS] =
        {
            .commands = "aprun\0",
            .rank = "ALPS_APP_PE",
        },
    [FM_LAUNCHER_SLURM] =
        {
            .name = "Slurm",
            .commands = "srun\0",
            .services = "slurmstepd\0slurm_script\0",
            .asked = "srun\0",
            .rank = "SLURM_PROCID",
            .size = "SLURM_STEP_NUM_TASKS\0SLURM_NTASKS\0",
            .within = "SLURM_STEP_ID", /* batch scripts have a rank too, and the number of tasks of the whole job */
            .job = "SLURM_JOB_ID\0SLURM_STEP_ID\0SLURM_RESTART_COUNT\0",
            .job_id = "SLURM_JOB_ID",
            .passes_environment = true,
            .hands_less = "SLURM_EXPORT_ENV",
        },
    [FM_LAUNCHER_PBS] =
        {
            .name = "PBS",
            .services = "pbs_mom\0",
            .job_id = "PBS_JOBID",
            .host_file = "PBS_NODEFILE",
        },
    [FM_LAUNCHER_LSF] =
        {
            .name = "LSF",
            .commands = "jsrun\0lrun\0",
            .job_id = "LSB_JOBID",
            .host_file = "LSB_DJOB_HOSTFILE",
        },
    [FM_LAUNCHER_FLUX] =
        {
            .name = "Flux",
            .commands = "flux\0",
            .services = "flux-shell\0",
            .group_signallers = "flux-shell\0",
            .rank = "FLUX_TASK_RANK",
            .size = "FLUX_JOB_SIZE\0",
            .job_id = "FLUX_JOB_ID",
        },
    [FM_LAUNCHER_COBALT] = {.host_file = "COBALT_NODEFILE"},
    [FM_LAUNCHER_TACC] = {.commands = "ibrun\0"},
    [FM_LAUNCHER_POE] = {.commands = "poe\0"},
    [FM_LAUNCHER_YOD] = {.commands = "yod\0"},
};

/* ---- programs ---- */

/* Whether `name` is one of the names, or begins with one followed by a character of `separators`. */
static bool is_among(const char *names, const char *name, const char *separators)
{
    for (; *names; names = fm_name_after(names)) {
        const char *rest = fm_begins_with(name, names) ? name + strlen(names) : "?";
        if (!*rest || strspn(rest, separators))
            return true;
    }
    return false;
}

bool fm_launcher_has_command(const struct fm_launcher *launcher, const char *name)
{
    return is_among(launcher->commands, name, ".-_");
}

bool fm_launcher_is_command(const char *name)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        if (fm_launcher_has_command(&fm_launchers[i], name))
            return true;
    return false;
}

bool fm_launcher_daemon_in(const char *word)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        for (const char *daemon = fm_launchers[i].daemons; *daemon; daemon = fm_name_after(daemon))
            if (strstr(word, daemon))
                return true;
    return false;
}

/* In full, or truncated by the kernel. */
static bool matches_comm(const char *names, const char *name)
{
    enum { COMM_LENGTH = 15 };
    for (; *names; names = fm_name_after(names))
        if (strcmp(names, name) == 0 || (strlen(name) == COMM_LENGTH && fm_begins_with(names, name)))
            return true;
    return false;
}

bool fm_launcher_is_process(const char *name)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        if (matches_comm(fm_launchers[i].commands, name) || matches_comm(fm_launchers[i].daemons, name) ||
            matches_comm(fm_launchers[i].services, name))
            return true;
    return false;
}

bool fm_launcher_signals_groups(const char *name)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        if (is_among(fm_launchers[i].group_signallers, name, "."))
            return true;
    return false;
}

/* Its mpirun is a symbolic link, and its modules and packages are in directories named after it. */
bool fm_launcher_is_openmpi(const char *path)
{
    return strstr(fm_basename(path), "orterun") || strstr(fm_basename(path), "prterun") || strstr(path, "openmpi");
}

/* ---- environment ---- */

const char *fm_own_variable(const void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

/* "" if not set. */
static const char *value_of(const char *name, fm_variable *variable, const void *context)
{
    const char *value = *name ? variable(context, name) : NULL;
    return value ? value : "";
}

static int size_in(const char *names, fm_variable *variable, const void *context)
{
    int size = 0;
    for (; *names && size <= 0; names = fm_name_after(names))
        size = atoi(value_of(names, variable, context));
    return size > 0 ? size : 0;
}

int fm_launcher_rank(fm_variable *variable, const void *context, int *size)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++) {
        const struct fm_launcher *launcher = &fm_launchers[i];
        const char *rank = value_of(launcher->rank, variable, context);
        if (!*rank || atoi(rank) < 0 || (*launcher->within && !*value_of(launcher->within, variable, context)))
            continue;
        *size = size_in(launcher->size, variable, context);
        return atoi(rank);
    }
    *size = 0;
    return -1;
}

const char *fm_launcher_name(fm_variable *variable, const void *context, const char **job_id)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++) {
        *job_id = value_of(fm_launchers[i].job_id, variable, context);
        if (**job_id)
            return fm_launchers[i].name;
    }
    *job_id = NULL;
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        if (*fm_launchers[i].name && !*fm_launchers[i].job_id && *value_of(fm_launchers[i].size, variable, context))
            return fm_launchers[i].name;
    return "";
}
