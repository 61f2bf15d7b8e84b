/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_commit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/names.h"
#include "cli/git_commit.h"
#include "cli/run_launch.h"

/* Variables in which systems for continuous integration name the commit that they build. */
static const char of_builders[] = "GITHUB_SHA\0"                         /* GitHub, Gitea, Forgejo */
                                  "CI_COMMIT_SHA\0"                      /* GitLab, Woodpecker */
                                  "GIT_COMMIT\0"                         /* Jenkins */
                                  "BUILDKITE_COMMIT\0"                   /* Buildkite */
                                  "CIRCLE_SHA1\0"                        /* CircleCI */
                                  "BUILD_SOURCEVERSION\0"                /* Azure Pipelines */
                                  "BITBUCKET_COMMIT\0"                   /* Bitbucket */
                                  "TRAVIS_COMMIT\0"                      /* Travis CI */
                                  "DRONE_COMMIT_SHA\0"                   /* Drone */
                                  "SEMAPHORE_GIT_SHA\0"                  /* Semaphore */
                                  "APPVEYOR_REPO_COMMIT\0"               /* AppVeyor */
                                  "CIRRUS_CHANGE_IN_REPO\0"              /* Cirrus CI */
                                  "BUILD_VCS_NUMBER\0"                   /* TeamCity */
                                  "CODEBUILD_RESOLVED_SOURCE_VERSION\0"; /* AWS */

static bool of_builder(char commit[FM_COMMIT_BYTES])
{
    for (const char *name = of_builders; *name; name = fm_name_after(name)) {
        const char *value = getenv(name);
        if (value && fm_commit_is_id(value)) {
            snprintf(commit, FM_COMMIT_BYTES, "%s", value);
            return true;
        }
    }
    return false;
}

static bool of_repository(const struct fm_run_options *options, const struct fm_run_env *env,
                          char commit[FM_COMMIT_BYTES])
{
    char path[PATH_MAX];
    const char *program = env->launcher ? fm_launch_program(options->command) : options->command[0];
    return (program && fm_find_command(program, path) && fm_git_commit(path, commit)) || fm_git_commit(".", commit);
}

void fm_run_commit(const struct fm_run_options *options, struct fm_run_env *env)
{
    const char *given = getenv("FATHOM_COMMIT");
    env->commit[0] = 0;
    if (options->commit)
        snprintf(env->commit, sizeof env->commit, "%s", options->commit);
    else if ((!given || !*given) && !of_builder(env->commit) && (!env->rank || env->first_rank))
        of_repository(options, env, env->commit); /* thousands of ranks would read the same files */
}
