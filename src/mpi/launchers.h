/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of launchers and batch systems: one row each, and what one of them alone has. Nothing else in the
 * sources names one.
 *
 * Programs are told by their names without directories; the lists are those of base/names.h. A command may have more
 * behind its name: "mpirun.openmpi", "mpiexec-4.1", "mpirun_rsh". */
#ifndef FM_MPI_LAUNCHERS_H
#define FM_MPI_LAUNCHERS_H

#include "mpi/libraries.h"

enum fm_launcher_id {
    FM_LAUNCHER_OPENMPI,
    FM_LAUNCHER_HYDRA, /* of MPICH, Intel MPI and MVAPICH */
    FM_LAUNCHER_PRRTE, /* of Open MPI 5, and whatever else tells ranks their places by PMIx */
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
    char name[8];         /* as it is shown; "": it is not */
    enum fm_mpi_kind mpi; /* whose MPI it belongs to; FM_MPI_NONE: any */

    /* Programs, all of them lists. */
    char commands[72]; /* what a user starts */
    char daemons[40];  /* what a command starts on each host, as in `ssh HOST orted` */
    char services[32]; /* what runs on each host for the batch system */
    char group_signallers
        [40];              /* what signals the process groups of ranks; as the kernel shows it, or with a '.' behind */
    char asked[32];        /* commands that `fathom doctor` asks for their version */
    char version_mark[12]; /* in the answer */

    /* Variables of a rank. */
    char rank[24];
    char size[40];       /* a list: the first that is set */
    char local_size[32]; /* ranks on this host */
    char within[16];     /* where this is not set the others speak of something else */
    char spawned[56];    /* a list: each is set by MPI_Comm_spawn alone */
    char job[72];        /* a list: together they name the job, the same on all its hosts */

    /* Variables of a batch job. */
    char job_id[16];
    char host_file[32]; /* the file that names its hosts */

    /* Command line. */
    char hosts[8];           /* the option that hosts, with commas between, are the argument of */
    char each_once[24];      /* a list: words that have one process a host started, free to run on any core */
    char export_option[4];   /* the option that passes a variable on to other hosts */
    bool passes_environment; /* all variables reach other hosts */
    char hands_less[20];     /* the variable that says they do not */
};

extern const struct fm_launcher fm_launchers[FM_LAUNCHERS]; /* in the order in which their variables count */

/* ---- what one of them alone has ---- */

#define FM_OPENMPI_ENV_LIST "OMPI_MCA_mca_base_env_list" /* variables to be handed on, with the delimiter between */
#define FM_OPENMPI_ENV_DELIMITER "OMPI_MCA_mca_base_env_list_delimiter"
#define FM_OPENMPI_ENV_OPTION "mca_base_env_list"
#define FM_OPENMPI_DAEMON_JOB "ess_base_jobid"    /* in the words of a daemon: its job, a number */
#define FM_OPENMPI_DAEMON_SPACE "ess_base_nspace" /* the same in later versions, NAME@NUMBER */

#define FM_HYDRA_COMMAND "mpiexec.hydra"
#define FM_HYDRA_SOCKET "PMI_FD" /* of a rank, to the proxy of its host */
#define FM_HYDRA_PROXY "hydra_pmi_proxy"
#define FM_HYDRA_PROXY_LAUNCHER "--control-port" /* in its words: who started it, as HOST:PORT */
/* In its words, a list: they tell its group, the same on all hosts, from others. */
#define FM_HYDRA_PROXY_GROUP FM_HYDRA_PROXY_LAUNCHER "\0--upstream-host\0--upstream-port\0--pgid\0"

#define FM_SLURM_NODE "SLURM_NODEID"                         /* which of the step's nodes this is */
#define FM_SLURM_NODES "SLURM_STEP_NUM_NODES"                /* of the step */
#define FM_SLURM_JOB_NODES "SLURM_JOB_NUM_NODES"             /* of the whole job */
#define FM_SLURM_NODE_TASKS "SLURM_STEP_TASKS_PER_NODE"      /* "4(x2),1" */
#define FM_SLURM_NODE_LIST "SLURM_JOB_NODELIST"              /* "node[1-3]" */
#define FM_SLURM_EXPAND_LIST "scontrol", "show", "hostnames" /* the command that writes such a list out */

/* ---- programs ---- */

bool fm_launcher_has_command(const struct fm_launcher *launcher, const char *name);
bool fm_launcher_is_command(const char *name);
/* Words of a command line: whether a daemon is named in one of them. */
bool fm_launcher_daemon_in(const char *word);
/* A command, a daemon or a service by its whole name, or as the kernel shows it: cut off at 15 characters. */
bool fm_launcher_is_process(const char *name);
bool fm_launcher_signals_groups(const char *name);
/* A command with its links resolved: whether it is Open MPI's. */
bool fm_launcher_is_openmpi(const char *path);

/* ---- environment ---- */

typedef const char *fm_variable(const void *context, const char *name); /* of an environment; NULL: it has none */
const char *fm_own_variable(const void *context, const char *name);     /* of this process; the context is ignored */

/* The number of the rank that a process was started as, or -1; *size: of how many, 0 when not known. */
int fm_launcher_rank(fm_variable *variable, const void *context, int *size);
/* The batch system, or "mpirun" or ""; *job_id of the batch system, or NULL. */
const char *fm_launcher_name(fm_variable *variable, const void *context, const char **job_id);

#endif
