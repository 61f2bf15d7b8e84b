#define _GNU_SOURCE
#include "measure/job.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "reduce/node.h"

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

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

static void keep_safe_characters(char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '-')
            *text = '_';
}

/* Hydra gives no job id, but each of its processes has a socket whose other end is the host's one proxy. */
static pid_t hydra_proxy(void)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    int fd = atoi(env("PMI_FD"));
    if (*env("PMI_FD") && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0)
        return peer.pid;
    return 0;
}

static void find_openmpi(struct fm_job_place *place)
{
    /* random, of one mpirun: the same on all its hosts; and the name space, which may be too long for the key, tells
     * what was spawned from its parents */
    uint64_t hash = mix_text(0xcbf29ce484222325u, env("OMPI_MCA_orte_precondition_transports"));
    hash = mix_text(hash, env("PMIX_NAMESPACE"));
    snprintf(place->key, sizeof place->key, "ompi-%.20s-%016llx", env("PMIX_NAMESPACE"), (unsigned long long)hash);
    place->local_size = env_number("OMPI_COMM_WORLD_LOCAL_SIZE");
    place->single_node = place->local_size && place->local_size == env_number("OMPI_COMM_WORLD_SIZE");
    place->spawned = *env("OMPI_PARENT_PORT") || *env("OMPI_MCA_dpm_parent_port");
}

static void find_hydra(struct fm_job_place *place)
{
    pid_t proxy = hydra_proxy();
    place->local_size = env_number("MPI_LOCALNRANKS");
    place->single_node = proxy && place->local_size && place->local_size == env_number("PMI_SIZE");
    if (proxy)
        snprintf(place->key, sizeof place->key, "hydra-%d-%llu", (int)proxy,
                 (unsigned long long)fm_process_start_time(proxy));
}

static void find_slurm(struct fm_job_place *place)
{
    snprintf(place->key, sizeof place->key, "slurm-%.20s-%.12s-%.6s", env("SLURM_JOB_ID"), env("SLURM_STEP_ID"),
             env("SLURM_RESTART_COUNT"));
    if (env_number("SLURM_STEP_NUM_NODES") == 1) {
        place->local_size = env_number("SLURM_STEP_NUM_TASKS");
        place->single_node = place->local_size > 0;
    }
}

static void find_rank(struct fm_job_place *place, const char *rank, const char *size)
{
    int world_size = env_number(size), own = atoi(env(rank));
    if (*env(rank) && own >= 0 && own < world_size) {
        place->rank = own;
        place->world_size = world_size;
    }
}

static void find_batch_system(struct fm_job_place *place)
{
    static const struct {
        const char *variable, *name;
    } systems[] = {{"SLURM_JOB_ID", "Slurm"}, {"PBS_JOBID", "PBS"}, {"LSB_JOBID", "LSF"}, {"FLUX_JOB_ID", "Flux"}};
    place->launcher = "";
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        if (*env(systems[i].variable)) {
            place->launcher = systems[i].name;
            snprintf(place->id, sizeof place->id, "%.60s", env(systems[i].variable));
            keep_safe_characters(place->id);
            return;
        }
    }
    if (*env("OMPI_COMM_WORLD_SIZE") || *env("PMI_SIZE"))
        place->launcher = "mpirun";
    time_t now = time(NULL);
    struct tm tm;
    char date[32] = "";
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y%m%d-%H%M%S", &tm);
    snprintf(place->id, sizeof place->id, "%s-%d", date, (int)getpid());
}

static void find_launched(struct fm_job_place *place)
{
    if (*env("OMPI_COMM_WORLD_SIZE") && *env("PMIX_NAMESPACE")) {
        find_openmpi(place);
        find_rank(place, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
    } else if (*env("PMI_RANK") && *env("PMI_SIZE")) {
        find_hydra(place);
        find_rank(place, "PMI_RANK", "PMI_SIZE");
    } else if (*env("SLURM_STEP_ID") && *env("SLURM_PROCID")) {
        find_slurm(place);
        find_rank(place, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
    }
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
    if (!place->key[0]) {
        pid_t pid = getpid();
        snprintf(place->key, sizeof place->key, "single-%d-%llu", (int)pid,
                 (unsigned long long)fm_process_start_time(pid));
        /* a launcher we do not know may have started it: alone only where nothing speaks of one */
        place->single_node = alone || !*env("PMI_SIZE");
        place->local_size = place->single_node ? 1 : 0;
        if (place->single_node) {
            place->rank = 0;
            place->world_size = 1;
        }
    }
    keep_safe_characters(place->key);
}
