/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/describe.h"

#include <elf.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/commit.h"
#include "base/host.h"
#include "base/names.h"
#include "base/redact.h"
#include "base/small_file.h"
#include "mpi/launchers.h"
#include "mpi/libraries.h"
#include "runtime/job.h"
#include "runtime/load_modules.h"
#include "runtime/runtime.h"

extern char **environ;

static uint32_t add_text(const char *text)
{
    return fm_text_add(text, strlen(text));
}

/* The arguments, NUL-separated and terminated by an empty string. If they do not fit, the list is truncated and "..."
 * is its last argument. */
static uint32_t add_arguments(void)
{
    char buffer[8192], text[8192];
    size_t n = fm_small_file_read("/proc/self/cmdline", buffer, sizeof buffer - 8);
    struct fm_redacted kept = {.text = text, .size = sizeof text - 4};
    bool wanted = fm_arguments_wanted(), cut = wanted && n == sizeof buffer - 9, fits = true;
    for (const char *word = buffer; fits && word < buffer + n && (wanted || word == buffer); word += strlen(word) + 1)
        fits = fm_redact(&kept, *word ? word : "''"); /* an empty argument would terminate the list */
    if (cut || !fits)
        kept.used = (size_t)((char *)memcpy(text + kept.used, "...", 4) + 4 - text);
    return n ? fm_text_add(text, kept.used) : 0;
}

/* Variables that change how MPI and OpenMP behave, without those that launchers and `fathom run` set in every process for
 * their own use; and whose computing time it is. */
static bool is_setting(const char *name)
{
    return fm_mpi_is_setting(name) ||
           (fm_names_begin("OMP_\0GOMP_\0KMP_\0FATHOM_\0MALLOC_\0" FM_SLURM_ACCOUNT "\0" FM_SLURM_PARTITION "\0",
                           name) &&
            !fm_names_begin(
                "FATHOM_RUN_ID\0FATHOM_NAMED\0FATHOM_COMMIT\0FATHOM_OUTPUT\0FATHOM_LAUNCHED\0FATHOM_EVENTS\0", name));
}

static uint32_t add_environment(void)
{
    char text[8192];
    struct fm_redacted kept = {.text = text, .size = sizeof text - 1};
    for (char **e = environ; e && *e; e++)
        if (strchr(*e, '=') && is_setting(*e)) {
            kept.follows = false;
            fm_redact(&kept, *e);
        }
    return fm_text_add(text, kept.used);
}

static uint32_t add_cpu_model(void)
{
    char name[FM_CPU_CHARS];
    fm_host_cpu("", name);
    return *name ? add_text(name) : 0;
}

static uint32_t add_user(void)
{
    /* getpwuid may load name-service libraries and talk to daemons; the environment is good enough here. */
    const char *user = getenv("USER");
    if (!user || !*user)
        user = getenv("LOGNAME");
    char number[24];
    if (!user || !*user)
        user = getuid() == 0 ? "root" : (snprintf(number, sizeof number, "uid %u", (unsigned)getuid()), number);
    return add_text(user);
}

static uint32_t add_commit(void)
{
    const char *commit = getenv("FATHOM_COMMIT");
    return commit && fm_commit_is_valid(commit) ? add_text(commit) : 0;
}

static void describe_identity(struct fm_segment_header *h)
{
    h->pid = getpid();
    h->uid = getuid();
    h->start_time = fm_process_start_time(h->pid);
    h->pid_namespace = fm_pid_namespace();
    fm_boot_id(h->boot_id);
    gethostname(h->host, sizeof h->host - 1);
    const char *run_id = getenv("FATHOM_RUN_ID");
    snprintf(h->run_id, sizeof h->run_id, "%s", run_id ? run_id : "");
    h->started_mono_ns = fm_rt.clock.start.ns;
    h->started_ticks = fm_rt.clock.start.ticks;
    h->started_real_ns = fm_clock_ns(CLOCK_REALTIME) - (fm_clock_ns(CLOCK_MONOTONIC) - h->started_mono_ns);
    int core = sched_getcpu();
    h->core = core < 0 ? 0 : (uint32_t)core;
    struct fm_placement placement;
    if (fm_process_placement(&placement)) {
        h->allowed_cpus = placement.cpus;
        h->first_cpu = placement.first_cpu + 1;
        h->numa_node = placement.node + 1;
    }
}

void fm_describe_process(struct fm_segment_header *h)
{
    char path[FM_FILE_PATH_BYTES];
    describe_identity(h);
    struct sysinfo info;
    if (sysinfo(&info) == 0)
        h->host_memory_bytes = (uint64_t)info.totalram * info.mem_unit;
    h->host_cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    h->text_runtime_version = add_text(FM_VERSION);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    h->text_exe = n > 0 ? fm_text_add(path, (size_t)n) : 0;
    h->text_cwd = getcwd(path, sizeof path) ? add_text(path) : 0;
    h->text_argv = add_arguments();
    h->text_env = add_environment();
    h->text_build_id = fm_load_module_build_id_of((uintptr_t)getauxval(AT_ENTRY));
    h->text_commit = add_commit();
    h->text_cpu_model = add_cpu_model();
    h->text_user = add_user();
    const char *output = getenv("FATHOM_OUTPUT");
    h->text_output = output ? add_text(output) : 0;
    struct fm_job_place place;
    fm_job_find(&place, false);
    h->text_launcher = add_text(place.launcher);
    h->text_job_id = add_text(place.id);
    h->flags |= place.spawned ? FM_FLAG_SPAWNED : 0;
}
