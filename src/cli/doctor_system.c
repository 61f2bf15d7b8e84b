/* SPDX-License-Identifier: BSD-3-Clause */
/* System settings that Fathom depends on. */
#define _GNU_SOURCE
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/names.h"
#include "cli/doctor.h"
#include "cli/run_limits.h"
#include "collect/node.h"
#include "mpi/launchers.h"

/* ---- logind ---- */

/* The last RemoveIPC= of the file, if any. */
static void read_remove_ipc(const char *path, bool *removes)
{
    char line[512];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, "RemoveIPC", 9) != 0)
            continue;
        at += 9;
        at += strspn(at, " \t");
        if (*at++ != '=')
            continue;
        at += strspn(at, " \t");
        *removes = !strchr("nN0fF", *at) && strncasecmp(at, "off", 3) != 0;
    }
    if (file)
        fclose(file);
}

static void read_drop_ins(const char *folder, bool *removes)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[512];
        size_t length = strlen(entries[i]->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (length > 5 && strcmp(entries[i]->d_name + length - 5, ".conf") == 0)
            read_remove_ipc(path, removes);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void check_logind(struct fm_doctor *doctor)
{
    char directory[FM_FILE_PATH_BYTES];
    bool removes = true; /* the default of logind */
    fm_node_directory(directory);
    if (access("/run/systemd/system", F_OK) != 0 || getuid() < 1000 || strncmp(directory, "/dev/shm/", 9) != 0)
        return; /* it excludes system users, and only cleans /dev/shm */
    read_drop_ins("/usr/lib/systemd/logind.conf.d", &removes);
    read_remove_ipc("/etc/systemd/logind.conf", &removes);
    read_drop_ins("/etc/systemd/logind.conf.d", &removes);
    if (removes)
        fm_doctor_say(doctor, FM_DOCTOR_WARN,
                      "RemoveIPC=no in /etc/systemd/logind.conf, or loginctl enable-linger, or set FATHOM_DIR",
                      "logind: removes your files in /dev/shm when your last session ends (RemoveIPC=yes)");
    else
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "logind: keeps your files in /dev/shm");
}

/* ---- kernel ---- */

static bool read_setting(const char *path, long *value)
{
    FILE *file = fopen(path, "re");
    bool read = file && fscanf(file, "%ld", value) == 1;
    if (file)
        fclose(file);
    return read;
}

/* With 1 only a parent may attach, which `fathom attach` is not; with 2 root may, too. */
static void check_kernel(struct fm_doctor *doctor)
{
    long value, max = geteuid() == 0 ? 2 : 0;
    if (!read_setting("/proc/sys/kernel/yama/ptrace_scope", &value) || value <= max)
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "attach: permitted (ptrace)");
    else
        fm_doctor_say(doctor, FM_DOCTOR_WARN,
                      value > 2 ? "reboot with another setting" : "sysctl kernel.yama.ptrace_scope=0 (as root)",
                      "ptrace: kernel.yama.ptrace_scope is %ld: running programs cannot be attached to", value);
}

/* Whether this event can be counted, in user space. */
static bool can_count(uint32_t type, uint64_t config)
{
    struct perf_event_attr attributes = {
        .type = type, .size = sizeof attributes, .config = config, .exclude_kernel = 1, .exclude_hv = 1};
    long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0)
        close((int)fd);
    return fd >= 0;
}

static void check_counters(struct fm_doctor *doctor)
{
    long paranoid;
    if (!read_setting("/proc/sys/kernel/perf_event_paranoid", &paranoid))
        fm_doctor_say(doctor, FM_DOCTOR_WARN, NULL, "counters: none, since this kernel has no perf events");
    else if (can_count(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS))
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "counters: hardware (kernel.perf_event_paranoid is %ld)", paranoid);
    else if (can_count(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK))
        fm_doctor_say(doctor, FM_DOCTOR_WARN, NULL,
                      "counters: software events only; this machine has no hardware counters (no PMU, as in most "
                      "virtual machines)");
    else if (paranoid > 2 && geteuid() != 0)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "sysctl kernel.perf_event_paranoid=2 (as root)",
                      "counters: none, since kernel.perf_event_paranoid is %ld", paranoid);
    else
        fm_doctor_say(doctor, FM_DOCTOR_WARN, NULL,
                      "counters: none, since perf events are not permitted here "
                      "(a container, or seccomp)");
}

static void check_clock(struct fm_doctor *doctor)
{
    struct fm_clock clock;
    char source[32];
    fm_clock_kernel_source(source, sizeof source);
    fm_clock_start(&clock);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    fm_clock_estimate(&clock);
    if (clock.coarse)
        fm_doctor_say(
            doctor, FM_DOCTOR_WARN, NULL,
            "clock: clock_gettime, because the kernel's clock source is %s, not the CPU counter; each call costs "
            "about 30 ns more",
            *source ? source : "unknown");
    else
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "clock: CPU counter, %.0f MHz",
                      1000.0 * 4294967296.0 / (double)(clock.mult ? clock.mult : 1));
}

/* ---- limits ---- */

static void check_limits(struct fm_doctor *doctor)
{
    struct rlimit files, size, space;
    bool fine = true;
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_FSIZE, &size);
    getrlimit(RLIMIT_AS, &space);
    if (size.rlim_cur < FM_SEGMENT_DEFAULT_BYTES) {
        fine = false;
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "ulimit -f unlimited", "limits: file size is limited to %llu KiB",
                      (unsigned long long)size.rlim_cur >> 10);
    }
    if (files.rlim_cur < 64) {
        fine = false;
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "ulimit -n 1024", "limits: only %llu open files are allowed",
                      (unsigned long long)files.rlim_cur);
    }
    if (space.rlim_cur != RLIM_INFINITY && space.rlim_cur < (256ull << 20)) {
        fine = false;
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "ulimit -v unlimited", "limits: only %llu MiB of address space",
                      (unsigned long long)space.rlim_cur >> 20);
    }
    const char *limit = fm_run_limit((char *[]){NULL});
    if (limit)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "raise it with ulimit or in the batch system",
                      "limits: %s: fathom run starts a command without measuring it", limit);
    else if (fine)
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "limits: sufficient");
}

/* ---- MPI ---- */

/* "mpirun (Open MPI) 4.1.4", "mpirun.openmpi (OpenRTE) 4.1.4"; Hydra prints lines before "Version:". */
static enum fm_mpi_kind read_version(char *text, const char **version)
{
    const struct fm_launcher *hydra = &fm_launchers[FM_LAUNCHER_HYDRA], *openmpi = &fm_launchers[FM_LAUNCHER_OPENMPI];
    char *heading = strstr(text, hydra->version_mark), *open = strstr(text, openmpi->version_mark),
         *end = open ? strchr(open, ')') : NULL;
    *version = heading ? heading + strlen(hydra->version_mark) : end ? end + 1 : text;
    *version += strspn(*version, " \t");
    text[*version - text + strcspn(*version, "\n")] = 0;
    return heading ? hydra->mpi : end ? openmpi->mpi : FM_MPI_NONE;
}

static bool check_launcher(struct fm_doctor *doctor, const char *command)
{
    char text[4096], *words[] = {(char *)command, "--version", NULL};
    const char *version;
    if (fm_doctor_capture(words, text, sizeof text) != 0)
        return false;
    enum fm_mpi_kind mpi = read_version(text, &version);
    fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "MPI: %s is %s%s%s", command, fm_mpi_kind_name(mpi), mpi ? " " : "",
                  version);
    if (strcmp(command, fm_launchers[FM_LAUNCHER_OPENMPI].commands) == 0)
        doctor->mpirun = mpi;
    return true;
}

static void check_mpi(struct fm_doctor *doctor)
{
    bool found = false;
    for (size_t i = 0; i < FM_LAUNCHERS; i++)
        for (const char *command = fm_launchers[i].asked; *command; command = fm_name_after(command))
            found |= check_launcher(doctor, command);
    if (!found)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "load your MPI's module, or: apt-get install openmpi-bin",
                      "MPI: no mpirun and no srun in PATH");
}

void fm_doctor_system(struct fm_doctor *doctor)
{
    check_logind(doctor);
    check_kernel(doctor);
    check_counters(doctor);
    check_clock(doctor);
    check_limits(doctor);
    check_mpi(doctor);
}
