/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Fathom is installed and where it keeps its data. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/off_file.h"
#include "base/settings.h"
#include "cli/doctor.h"
#include "cli/gather.h"
#include "cli/library.h"
#include "cli/run_launch.h"
#include "symbols/elf.h"

static void check_switch(struct fm_doctor *doctor)
{
    if (access(FM_OFF_FILE, F_OK) == 0)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "use fathom run, or ask the administrator",
                      "switch: %s exists, so jobs without fathom run are not measured on this host", FM_OFF_FILE);
}

/* How a job on several hosts is merged. */
static void check_hosts(struct fm_doctor *doctor, const char *library)
{
    const char *setting = getenv("FATHOM_EVERYWHERE");
    bool shared = fm_launch_is_shared(library);
    if (fm_setting_is_on("FATHOM_EVERYWHERE"))
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL,
                      "hosts: merged over MPI; FATHOM_EVERYWHERE=1 says the library is on every host");
    else if (shared && !setting)
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "hosts: merged over MPI; the library is on a network file system");
    else
        fm_doctor_say(doctor, FM_DOCTOR_OK,
                      "set FATHOM_EVERYWHERE=1 if the library is on every host, to merge over MPI",
                      "hosts: each adds its part to the profile, which must be in a shared directory");
}

static void check_library(struct fm_doctor *doctor)
{
    char path[FM_FILE_PATH_BYTES];
    struct fm_error error;
    struct fm_elf library, self;
    if (fm_library_find(path, &error) != FM_OK) {
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "run make, or set FATHOM_LIBRARY", "library: %s", error.text);
        return;
    }
    if (fm_elf_open(&library, path, &error) != FM_OK) {
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "reinstall Fathom", "library: %s", error.text);
        return;
    }
    bool same = fm_elf_open(&self, "/proc/self/exe", NULL) != FM_OK || self.machine == library.machine;
    if (same) {
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "library: %s", path);
        check_hosts(doctor, path);
    } else
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "install Fathom for this architecture",
                      "library: %s is for another architecture", path);
    fm_elf_close(&self);
    fm_elf_close(&library);
}

/* The directory itself, or the one in which it would be created. */
static void existing_part(const char *directory, char path[FM_FILE_PATH_BYTES])
{
    struct stat st;
    snprintf(path, FM_FILE_PATH_BYTES, "%s", directory);
    if (lstat(path, &st) == 0)
        return;
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    else
        snprintf(path, FM_FILE_PATH_BYTES, ".");
}

static bool check_directory(struct fm_doctor *doctor, const char *directory)
{
    struct stat st;
    char parent[FM_FILE_PATH_BYTES];
    if (lstat(directory, &st) != 0) {
        existing_part(directory, parent);
        if (access(parent, W_OK | X_OK) == 0) {
            fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "segments: %s will be created when needed", directory);
            return true;
        }
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "set FATHOM_DIR to a directory of your own",
                      "segments: cannot create %s in %s (%s); using TMPDIR instead", directory, parent,
                      strerror(errno));
        return false;
    }
    fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "segments: %s", directory);
    return true;
}

static void check_space(struct fm_doctor *doctor, const char *directory)
{
    char path[FM_FILE_PATH_BYTES];
    struct statvfs space;
    struct statfs kind;
    existing_part(directory, path);
    if (statvfs(path, &space) != 0 || statfs(path, &kind) != 0) {
        fm_doctor_say(doctor, FM_DOCTOR_WARN, NULL, "space: %s: %s", path, strerror(errno));
        return;
    }
    if (space.f_flag & ST_RDONLY) {
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "set FATHOM_DIR", "space: %s is mounted read-only", path);
        return;
    }
    unsigned long long free_bytes = (unsigned long long)space.f_bavail * space.f_frsize;
    unsigned long long processes = free_bytes / 4 / FM_SEGMENT_DEFAULT_BYTES;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (processes >= (unsigned long long)(cores > 0 ? cores : 1))
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "space: %llu MiB free in %s, enough for %llu processes on this host",
                      free_bytes >> 20, path, processes);
    else
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "enlarge /dev/shm (containers: --shm-size=1g), or set FATHOM_DIR",
                      "space: %llu MiB free in %s; with more than %llu processes each gets smaller tables",
                      free_bytes >> 20, path, processes);
    if (kind.f_type != TMPFS_MAGIC)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "unset FATHOM_DIR, or set it to a directory in memory",
                      "space: %s is not in memory, so measured programs may write to disk", path);
}

static void check_leftovers(struct fm_doctor *doctor, const char *directory, bool usual)
{
    struct fm_node_list list;
    struct fm_error error;
    size_t dead = 0, live = 0;
    if (fm_node_scan(directory, NULL, NULL, &list, &error) != FM_OK) {
        fm_doctor_say(doctor, FM_DOCTOR_WARN, NULL, "leftovers: %s", error.text);
        return;
    }
    for (size_t i = 0; i < list.n; i++) {
        live += list.items[i].alive;
        dead += !list.items[i].alive;
    }
    if (list.damaged)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "remove them", "leftovers: %zu damaged files, for example %s",
                      list.damaged, list.damaged_example);
    if (dead)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "fathom collect",
                      "leftovers: unsaved data of %zu processes that were killed, in %s", dead, directory);
    else if (usual || live)
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL, "leftovers: none in %s; processes being measured: %zu", directory,
                      live);
    fm_node_list_destroy(&list);
}

void fm_doctor_place(struct fm_doctor *doctor)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    check_library(doctor);
    check_switch(doctor);
    struct fm_error error;
    bool usable = true;
    if (fm_node_directory_refused(&error))
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "remove it, or set FATHOM_DIR", "segments: %s", error.text);
    else
        usable = check_directory(doctor, directories[0]);
    if (n)
        check_space(doctor, directories[usable || n < 2 ? 0 : 1]);
    for (size_t i = 0; i < n; i++)
        check_leftovers(doctor, directories[i], i == 0);
}
