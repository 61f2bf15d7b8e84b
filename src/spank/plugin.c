/* SPDX-License-Identifier: BSD-3-Clause */
/* The plug-in for Slurm (SPANK): loads Fathom's library into the programs of every job step. plugstack.conf:
 *
 *   optional /usr/lib/fathom/spank_fathom.so lib=/usr/lib/libfathom.so.0 conf=/etc/fathom/site.conf off=/etc/fathom/off
 *
 * Everything happens in slurmstepd on the node, with the rights of the job's user and before its tasks are started; srun,
 * sbatch and salloc only learn the option --fathom. Nothing here makes a job fail: every function returns 0, and what is
 * wrong is one line in the log. */
#define _GNU_SOURCE
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/spank.h>
extern const char plugin_name[], plugin_type[];
extern const unsigned int plugin_version, spank_plugin_version;
SPANK_PLUGIN(fathom, 1)
#pragma GCC visibility pop

#include "spank/policy.h"

static struct spank_option fathom_option = {
    .name = "fathom",
    .arginfo = "yes|no|NAME=VALUE,...",
    .usage =
        "measure this job with Fathom or not; sample=, counters=, io=, memory=, report=, output= as for fathom run",
    .has_arg = 1,
};

/* Users do not see what goes to slurmd's log alone. */
static void log_problem(const char *sentence)
{
    slurm_info("fathom: %s", sentence);
}

static void show_problem(const char *sentence)
{
    slurm_spank_log("fathom: %s; ignored", sentence);
}

static void ignore_variable(void *context, const char *name, const char *value, bool replace)
{
    (void)context, (void)name, (void)value, (void)replace;
}

/* A wrong option is told where it is typed. The job starts all the same. */
static int check_option(int value, const char *text, int remote)
{
    static const struct fm_policy none;
    (void)value;
    if (!remote && text)
        fm_policy_variables(&none, text, ignore_variable, NULL, show_problem);
    return 0;
}

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
    (void)argc, (void)argv;
    spank_context_t context = spank_context();
    fathom_option.cb = check_option;
    if ((context == S_CTX_LOCAL || context == S_CTX_REMOTE || context == S_CTX_ALLOCATOR) &&
        spank_option_register(spank, &fathom_option) != ESPANK_SUCCESS)
        slurm_info("fathom: cannot register the option --fathom");
    return 0;
}

static void set_variable(void *context, const char *name, const char *value, bool replace)
{
    spank_setenv(context, name, value, replace);
}

static const char *program_of(spank_t spank, uint32_t step_id)
{
    int argc = 0;
    char **argv = NULL;
    if (step_id >= SLURM_MAX_NORMAL_STEP_ID || spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS)
        return NULL;
    return argc > 0 && argv ? argv[0] : NULL;
}

static void set_preload(spank_t spank, enum fm_policy_answer answer, const char *library)
{
    char present[FM_POLICY_LIST] = "", changed[FM_POLICY_LIST + FM_POLICY_PATH];
    spank_err_t error = spank_getenv(spank, "LD_PRELOAD", present, sizeof present);
    if (error != ESPANK_SUCCESS && error != ESPANK_ENV_NOEXIST) {
        slurm_info("fathom: LD_PRELOAD stays as it is: %s", spank_strerror(error));
        return;
    }
    if (answer == FM_POLICY_MEASURE && fm_policy_preload_with(present, library, changed, sizeof changed))
        spank_setenv(spank, "LD_PRELOAD", changed, 1);
    if (answer == FM_POLICY_TAKE_OFF && fm_policy_preload_without(present, library, changed, sizeof changed)) {
        if (*changed)
            spank_setenv(spank, "LD_PRELOAD", changed, 1);
        else
            spank_unsetenv(spank, "LD_PRELOAD");
    }
}

/* In slurmstepd, as the user, once per step and node. */
int slurm_spank_user_init(spank_t spank, int argc, char **argv)
{
    struct fm_policy policy;
    struct fm_policy_step step = {0};
    struct passwd user, *found = NULL;
    char text[4096], run_id[8], *option = NULL;
    uint32_t step_id = 0;
    const char *why;
    if (spank_remote(spank) != 1)
        return 0;
    fm_policy_init(&policy);
    for (int i = 0; i < argc; i++)
        fm_policy_argument(&policy, argv[i], log_problem);
    if (spank_get_item(spank, S_JOB_UID, &step.uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step_id) != ESPANK_SUCCESS) {
        slurm_info("fathom: Slurm tells neither user nor step; the step is left alone");
        return 0;
    }
    if (step_id == SLURM_EXTERN_CONT)
        return 0;
    if (*policy.users && getpwuid_r(step.uid, &user, text, sizeof text, &found) == 0 && found)
        step.user = user.pw_name;
    if (spank_option_getopt(spank, &fathom_option, &option) == ESPANK_SUCCESS)
        step.option = option;
    step.program = program_of(spank, step_id);
    step.own = spank_getenv(spank, "FATHOM_RUN_ID", run_id, sizeof run_id) != ESPANK_ENV_NOEXIST;
    enum fm_policy_answer answer = fm_policy_decide(&policy, &step, &why);
    slurm_verbose("fathom: step of uid %lu: %s", (unsigned long)step.uid, why);
    if (answer == FM_POLICY_LEAVE_ALONE)
        return 0;
    set_preload(spank, answer, policy.library);
    if (answer == FM_POLICY_MEASURE)
        fm_policy_variables(&policy, step.option, set_variable, spank, log_problem);
    return 0;
}
