/* What is known of launchers and batch systems by programs, by variables and by options. */
#include "mpi/launchers.h"

#include <string.h>

#include "base/names.h"
#include "mpi/options.h"
#include "tap.h"

#define IS_LIST(field) (!(field)[sizeof(field) - 1] && !(field)[sizeof(field) - 2])
#define IS_TEXT(field) (!(field)[sizeof(field) - 1])

static void rows_are_whole(void)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++) {
        const struct fm_launcher *row = &fm_launchers[i];
        tap_ok(IS_LIST(row->commands) && IS_LIST(row->daemons) && IS_LIST(row->services) &&
                   IS_LIST(row->group_signallers) && IS_LIST(row->asked) && IS_LIST(row->size) &&
                   IS_LIST(row->spawned) && IS_LIST(row->job) && IS_LIST(row->each_once),
               "row %zu: all lists end", i);
        tap_ok(IS_TEXT(row->name) && IS_TEXT(row->version_mark) && IS_TEXT(row->rank) && IS_TEXT(row->local_size) &&
                   IS_TEXT(row->within) && IS_TEXT(row->job_id) && IS_TEXT(row->host_file) && IS_TEXT(row->hosts) &&
                   IS_TEXT(row->export_option) && IS_TEXT(row->hands_less),
               "row %zu: all texts end", i);
        tap_ok(*row->commands || *row->services || *row->job_id || *row->host_file, "row %zu says something", i);
    }
}

/* ---- programs ---- */

static void program(const char *name, bool command, bool process, bool signaller)
{
    tap_ok(fm_launcher_is_command(name) == command && fm_launcher_is_process(name) == process &&
               fm_launcher_signals_groups(name) == signaller,
           "program %s", name);
}

static void programs(void)
{
    program("mpirun", true, true, true);
    program("mpirun.openmpi", true, true, true);
    program("mpiexec.hydra", true, true, true);
    program("mpirun-4.1", true, false, false);
    program("mpirun_rsh", true, true, false);
    program("orted", false, true, true);
    program("prte", true, true, true);
    program("prted", false, true, true);
    program("hydra_pmi_proxy", false, true, true);
    program("hydra_bstrap_proxy", false, true, false);
    program("hydra_bstrap_pr", false, true, false); /* as the kernel shows it */
    program("srun", true, true, false);
    program("slurmstepd", false, true, false);
    program("flux", true, true, false);
    program("flux-shell", true, true, true);
    program("pbs_mom", false, true, false);
    program("jsrun", true, true, false);
    program("mpirunner", false, false, false);
    program("flux.x", true, false, false);
    program("srunx", false, false, false);
    program("", false, false, false);
    tap_ok(fm_launcher_daemon_in("/usr/bin/orted") && fm_launcher_daemon_in(" PATH=/a prted --x"), "daemons in words");
    tap_ok(!fm_launcher_daemon_in("--prtemca") && !fm_launcher_daemon_in("mpirun"), "and none in others");
    tap_ok(fm_launcher_is_openmpi("/usr/bin/orterun") && fm_launcher_is_openmpi("/opt/openmpi-5/bin/mpirun"),
           "Open MPI's commands");
    tap_ok(!fm_launcher_is_openmpi("/usr/bin/mpiexec.hydra") && !fm_launcher_is_openmpi("/usr/bin/mpirun"), "others'");
}

/* ---- environment ---- */

static const char *variable(const void *context, const char *name)
{
    for (const char *at = context; *at; at = fm_name_after(at))
        if (fm_begins_with(at, name) && at[strlen(name)] == '=')
            return at + strlen(name) + 1;
    return NULL;
}

static void rank_is(const char *environment, int rank, int size, const char *what)
{
    int found_size, found = fm_launcher_rank(variable, environment, &found_size);
    tap_ok(found == rank && found_size == size, "rank: %s", what);
}

static void name_is(const char *environment, const char *name, const char *id, const char *what)
{
    const char *found_id, *found = fm_launcher_name(variable, environment, &found_id);
    tap_ok(strcmp(found, name) == 0 && (id ? found_id && strcmp(found_id, id) == 0 : !found_id), "name: %s", what);
}

static void environments(void)
{
    rank_is("OMPI_COMM_WORLD_RANK=3\0OMPI_COMM_WORLD_SIZE=4\0PMIX_RANK=3\0", 3, 4, "Open MPI");
    rank_is("PMI_RANK=0\0PMI_SIZE=2\0SLURM_PROCID=0\0SLURM_STEP_ID=1\0SLURM_NTASKS=9\0", 0, 2, "Hydra within Slurm");
    rank_is("PMIX_RANK=5\0", 5, 0, "PMIx alone");
    rank_is("MV2_COMM_WORLD_RANK=1\0MV2_COMM_WORLD_SIZE=2\0", 1, 2, "MVAPICH");
    rank_is("ALPS_APP_PE=7\0SLURM_PROCID=0\0", 7, 0, "ALPS");
    rank_is("SLURM_PROCID=2\0SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=4\0SLURM_NTASKS=8\0", 2, 4, "a step of Slurm");
    rank_is("SLURM_PROCID=2\0SLURM_STEP_ID=0\0SLURM_NTASKS=8\0", 2, 8, "a step whose size is called otherwise");
    rank_is("SLURM_PROCID=0\0SLURM_NTASKS=8\0SLURM_JOB_ID=1\0", -1, 0, "a batch script is none");
    rank_is("FLUX_TASK_RANK=1\0FLUX_JOB_SIZE=2\0", 1, 2, "Flux");
    rank_is("PMI_RANK=-1\0PMI_SIZE=0\0", -1, 0, "less than none");
    rank_is("HOME=/\0", -1, 0, "nobody's");
    name_is("SLURM_JOB_ID=77\0OMPI_COMM_WORLD_SIZE=2\0", "Slurm", "77", "the batch system before mpirun");
    name_is("PBS_JOBID=1.host\0", "PBS", "1.host", "PBS");
    name_is("LSB_JOBID=5\0", "LSF", "5", "LSF");
    name_is("FLUX_JOB_ID=f1\0", "Flux", "f1", "Flux");
    name_is("SLURM_JOB_ID=\0PMI_SIZE=1\0", "mpirun", NULL, "mpirun, where an id is empty");
    name_is("PMIX_SIZE=1\0", "", NULL, "PMIx tells of no launcher");
    name_is("HOME=/\0", "", NULL, "none");
}

/* ---- options ---- */

static void option(const char *word, int about, int arguments)
{
    const struct fm_launcher_option *found = fm_launcher_option(word);
    tap_ok((found ? (int)found->about : -1) == about && fm_launcher_option_arguments(word) == arguments, "option %s",
           word);
}

static void options(void)
{
    option("--host", FM_OPTION_HOSTS, 1);
    option("-host", FM_OPTION_HOSTS, 1);
    option("--host=a,b", FM_OPTION_HOSTS, 0);
    option("-H", FM_OPTION_HOSTS, 1);
    option("--H", -1, 0);
    option("host", -1, 0);
    option("-f", FM_OPTION_HOST_FILE, 1);
    option("--mca", FM_OPTION_REACH, 2);
    option("--allow-run-as-root", FM_OPTION_REACH, 0);
    option("-genv", FM_OPTION_OTHER, 2);
    option("-x", FM_OPTION_OTHER, 1);
    option("--export=NONE", FM_OPTION_DOUBTFUL, 0);
    option("-n", -1, 0);
    option("--", -1, 0);
    option("-", -1, 0);
    option("", -1, 0);
}

int main(void)
{
    rows_are_whole();
    programs();
    environments();
    options();
    return tap_done();
}
