/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/job.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/names.h"
#include "base/settings.h"
#include "collect/node.h"
#include "mpi/launchers.h"
#include "runtime/interpose/next.h"

static const struct fm_launcher *const openmpi = &fm_launchers[FM_LAUNCHER_OPENMPI];
static const struct fm_launcher *const hydra = &fm_launchers[FM_LAUNCHER_HYDRA];
static const struct fm_launcher *const slurm = &fm_launchers[FM_LAUNCHER_SLURM];

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static int env_number(const char *name)
{
    int value = atoi(env(name));
    return value > 0 ? value : 0;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

static void replace_unsafe_characters(char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '-')
            *text = '_';
}

static bool any_is_set(const char *names)
{
    while (*names && !*env(names))
        names = fm_name_after(names);
    return *names;
}

/* Hydra provides no job id, but each of its processes has a socket connected to the host's only proxy. */
static pid_t hydra_proxy(void)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    int fd = atoi(env(FM_HYDRA_SOCKET));
    if (*env(FM_HYDRA_SOCKET) && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0)
        return peer.pid;
    return 0;
}

static void find_openmpi(struct fm_job_place *place)
{
    /* A random value, one per mpirun and the same on all its hosts, and the name space, which may be too long for the
     * key and distinguishes spawned processes from their parents. */
    const char *name_space = openmpi->job, *random = fm_name_after(name_space);
    uint64_t hash = hash_text(0xcbf29ce484222325u, env(random));
    hash = hash_text(hash, env(name_space));
    snprintf(place->key, sizeof place->key, "ompi-%.20s-%016llx", env(name_space), (unsigned long long)hash);
    place->local_size = env_number(openmpi->local_size);
    place->single_node = place->local_size && place->local_size == env_number(openmpi->size);
    place->spawned = any_is_set(openmpi->spawned);
}

/* The command line of each proxy has the port on which it connects to its mpiexec (the same on all hosts) and the
 * process group that it serves. Ports are reused eventually, so the run id is included if there is one. The key is
 * empty if the command line has no port. */
static void find_hydra_group(pid_t proxy, char key[40])
{
    char path[40], words[4096];
    uint64_t hash = hash_text(0xcbf29ce484222325u,
                              strncmp(env("FATHOM_RUN_ID"), "ranks-", 6) ? env("FATHOM_RUN_ID") : "");
    bool has_port = false, is_value = false;
    key[0] = 0;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)proxy);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, words, sizeof words - 1) : 0;
    if (fd >= 0)
        close(fd);
    words[n > 0 ? n : 0] = 0;
    for (const char *word = words; word < words + n; word += strlen(word) + 1) {
        if (is_value)
            hash = hash_text(hash_text(hash, "="), word);
        is_value = fm_names_have(FM_HYDRA_PROXY_GROUP, word);
        has_port |= is_value && strstr(word, "-port");
    }
    if (has_port)
        snprintf(key, 40, "hydra-group-%016llx", (unsigned long long)hash);
}

static void find_hydra(struct fm_job_place *place)
{
    pid_t proxy = hydra_proxy();
    char group[40];
    place->spawned = any_is_set(hydra->spawned);
    place->local_size = env_number(hydra->local_size);
    place->single_node = proxy && place->local_size && place->local_size == env_number(hydra->size);
    if (!proxy)
        return;
    find_hydra_group(proxy, group);
    if (*group && !place->single_node)
        snprintf(place->key, sizeof place->key, "%s", group);
    else
        fm_process_name(place->key, sizeof place->key, "hydra", proxy);
}

/* "4(x2),1" means 4, 4 and 1 tasks on three nodes. */
static int slurm_tasks(const char *list, long node)
{
    while (isdigit((unsigned char)*list)) {
        char *end;
        long tasks = strtol(list, &end, 10), nodes = 1;
        if (strncmp(end, "(x", 2) == 0) {
            nodes = strtol(end + 2, &end, 10);
            end += *end == ')';
        }
        if (node < nodes)
            return tasks > 0 && tasks < 1 << 20 ? (int)tasks : 0;
        node -= nodes;
        list = end + (*end == ',');
    }
    return 0;
}

static void find_slurm(struct fm_job_place *place)
{
    const char *job = slurm->job, *step = fm_name_after(job), *restarts = fm_name_after(step);
    if (*env(FM_SLURM_NODE))
        place->local_size = slurm_tasks(env(FM_SLURM_NODE_TASKS), env_number(FM_SLURM_NODE));
    snprintf(place->key, sizeof place->key, "slurm-%.20s-%.12s-%.6s", env(job), env(step), env(restarts));
    if (env_number(FM_SLURM_NODES) == 1) {
        place->local_size = env_number(slurm->size);
        place->single_node = place->local_size > 0;
    }
}

static void find_rank(struct fm_job_place *place, const struct fm_launcher *launcher)
{
    int world_size = env_number(launcher->size), own = atoi(env(launcher->rank));
    if (*env(launcher->rank) && own >= 0 && own < world_size) {
        place->rank = own;
        place->world_size = world_size;
    }
}

static void find_batch_system(struct fm_job_place *place)
{
    const char *id;
    place->launcher = fm_launcher_name(fm_own_variable, NULL, &id);
    if (id) {
        snprintf(place->id, sizeof place->id, "%.60s", id);
        replace_unsafe_characters(place->id);
        return;
    }
    time_t now = time(NULL);
    struct tm tm;
    char date[32] = "";
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y%m%d-%H%M%S", &tm);
    snprintf(place->id, sizeof place->id, "%s-%d", date, (int)getpid());
}

/* srun uses PMI as well, but only Hydra gives the number of ranks of its proxy. */
static bool is_hydra(void)
{
    return *env(hydra->rank) && *env(hydra->size) && (*env(hydra->local_size) || !*env(slurm->within));
}

static void find_launched(struct fm_job_place *place)
{
    if (*env(openmpi->size) && *env(openmpi->job)) {
        find_openmpi(place);
        find_rank(place, openmpi);
    } else if (is_hydra()) {
        find_hydra(place);
        find_rank(place, hydra);
    } else if (*env(slurm->within) && *env(slurm->rank)) {
        find_slurm(place);
        find_rank(place, slurm);
    }
}

/* A rank cannot find out about ranks on other hosts. But if `fathom run` is given a launcher that starts one unmodified
 * program, with our variables on every host, it sets FATHOM_LAUNCHED to the name of that program; programs that this
 * one starts have a different name. FATHOM_EVERYWHERE says that the library is installed on every host. */
bool fm_job_all_measured(void)
{
    return strcmp(env("FATHOM_LAUNCHED"), fm_program_name()) == 0 && fm_setting_is_on("FATHOM_EVERYWHERE");
}

void fm_job_find(struct fm_job_place *place, bool alone)
{
    struct fm_job_place launched;
    memset(place, 0, sizeof *place);
    place->rank = -1;
    find_batch_system(place);
    launched = *place;
    find_launched(&launched);
    if (!alone)
        *place = launched;
    place->neighbours = launched.local_size;
    place->all_measured = !place->spawned && fm_job_all_measured();
    if (!place->key[0]) {
        fm_process_name(place->key, sizeof place->key, "single", getpid());
        /* An unknown launcher may have started it: assume a single process only if no variable indicates one. */
        place->single_node = alone || !*env(hydra->size);
        place->local_size = place->single_node ? 1 : 0;
        if (place->single_node) {
            place->rank = 0;
            place->world_size = 1;
        }
    }
    replace_unsafe_characters(place->key);
}
