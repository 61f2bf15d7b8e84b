/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about launchers and batch systems: a table with one row each, and constants for what only one of them
 * has. Nothing else in the sources names one.
 *
 * Programs are identified by their names without directories; lists are those of base/names.h. A command name may have
 * a suffix: "mpirun.openmpi", "mpiexec-4.1", "mpirun_rsh". */
#ifndef FM_MPI_LAUNCHERS_H
#define FM_MPI_LAUNCHERS_H

#include "mpi/libraries.h"

enum fm_launcher_id {
    FM_LAUNCHER_OPENMPI,
    FM_LAUNCHER_HYDRA, /* MPICH, Intel MPI and MVAPICH */
    FM_LAUNCHER_PRRTE, /* Open MPI 5, and anything else that uses PMIx */
    FM_LAUNCHER_MVAPICH,
    FM_LAUNCHER_ALPS,
    FM_LAUNCHER_SLURM,
    FM_LAUNCHER_PBS,
    FM_LAUNCHER_LSF,
    FM_LAUNCHER_FLUX,
    FM_LAUNCHER_COBALT,
    FM_LAUNCHER_TACC,
    FM_LAUNCHER_POE,
    FM_LAUNCHER_YOD,
    FM_LAUNCHERS
};

struct fm_launcher {
    char name[8];         /* shown to users; "": never shown */
    enum fm_mpi_kind mpi; /* the MPI it belongs to; FM_MPI_NONE: any */

    /* Programs; all are lists. */
    char commands[72];         /* started by users */
    char daemons[40];          /* started on each host by a command, as in `ssh HOST orted` */
    char services[32];         /* run on each host by the batch system */
    char group_signallers[40]; /* signal the process groups of ranks; as the kernel shows them, or with ".SUFFIX" */
    char asked[32];            /* commands that `fathom doctor` asks for their version */
    char version_mark[12];     /* in their output */

    /* Environment variables of a rank. */
    char rank[24];
    char size[40];       /* a list: the first that is set counts */
    char local_size[32]; /* ranks on this host */
    char within[16];     /* if this is not set, the others mean something else */
    char spawned[56];    /* a list: set by MPI_Comm_spawn only */
    char job[72];        /* a list: together they identify the job, the same on all its hosts */

    /* Environment variables of a batch job. */
    char job_id[16];
    char host_file[32]; /* file that lists its hosts */

    /* Command line. */
    char hosts[8];           /* option whose argument is a comma-separated list of hosts */
    char each_once[24];      /* a list: arguments that start one process per host, without binding */
    char export_option[4];   /* option that exports a variable to other hosts */
    bool passes_environment; /* all variables are exported to other hosts */
    char hands_less[20];     /* variable that disables this */
};

extern const struct fm_launcher fm_launchers[FM_LAUNCHERS]; /* in order of precedence of their variables */

/* ---- specific to one launcher ---- */

#define FM_OPENMPI_ENV_LIST "OMPI_MCA_mca_base_env_list" /* variables to export, separated by the delimiter */
#define FM_OPENMPI_ENV_DELIMITER "OMPI_MCA_mca_base_env_list_delimiter"
#define FM_OPENMPI_ENV_OPTION "mca_base_env_list"
#define FM_OPENMPI_DAEMON_JOB "ess_base_jobid"    /* in the command line of a daemon: its job, a number */
#define FM_OPENMPI_DAEMON_SPACE "ess_base_nspace" /* the same in later versions, NAME@NUMBER */

#define FM_HYDRA_COMMAND "mpiexec.hydra"
#define FM_HYDRA_SOCKET "PMI_FD" /* of a rank, to the proxy of its host */
#define FM_HYDRA_PROXY "hydra_pmi_proxy"
#define FM_HYDRA_PROXY_LAUNCHER "--control-port" /* in its command line: who started it, as HOST:PORT */
/* A list: these arguments of the proxy identify its process group, the same on all hosts. */
#define FM_HYDRA_PROXY_GROUP FM_HYDRA_PROXY_LAUNCHER "\0--upstream-host\0--upstream-port\0--pgid\0"

#define FM_SLURM_NODE "SLURM_NODEID"                    /* index of this node within the step */
#define FM_SLURM_NODES "SLURM_STEP_NUM_NODES"           /* nodes of the step */
#define FM_SLURM_JOB_NODES "SLURM_JOB_NUM_NODES"        /* nodes of the job */
#define FM_SLURM_NODE_TASKS "SLURM_STEP_TASKS_PER_NODE" /* "4(x2),1" */
#define FM_SLURM_NODE_LIST "SLURM_JOB_NODELIST"         /* "node[1-3]" */
/* Whose computing time it is, and in which queue. */
#define FM_SLURM_ACCOUNT "SLURM_JOB_ACCOUNT"
#define FM_SLURM_PARTITION "SLURM_JOB_PARTITION"
/* Names of the file that lists its plug-ins. */
#define FM_SLURM_PLUGSTACK "/etc/slurm/plugstack.conf\0/etc/slurm-llnl/plugstack.conf\0"
#define FM_SLURM_EXPAND_LIST "scontrol", "show", "hostnames" /* command that expands such a list */

/* ---- programs ---- */

bool fm_launcher_has_command(const struct fm_launcher *launcher, const char *name);
bool fm_launcher_is_command(const char *name);
/* Whether a word of a command line names a daemon. */
bool fm_launcher_daemon_in(const char *word);
/* A command, daemon or service by its full name, or as the kernel shows it: truncated to 15 characters. */
bool fm_launcher_is_process(const char *name);
bool fm_launcher_signals_groups(const char *name);
/* Whether a command, with symbolic links resolved, is Open MPI's. */
bool fm_launcher_is_openmpi(const char *path);

/* ---- environment ---- */

typedef const char *fm_variable(const void *context, const char *name); /* looks up a variable; NULL if not set */
const char *fm_own_variable(const void *context, const char *name);     /* of this process; ignores the context */

/* The rank that a process was started as, or -1; *size is the number of ranks, 0 if unknown. */
int fm_launcher_rank(fm_variable *variable, const void *context, int *size);
/* The batch system, or "mpirun" or ""; *job_id is that of the batch system, or NULL. */
const char *fm_launcher_name(fm_variable *variable, const void *context, const char **job_id);

#endif
