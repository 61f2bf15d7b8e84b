/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a program can be measured. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/basename.h"
#include "cli/doctor.h"
#include "symbols/elf.h"

#if defined __aarch64__
#define OWN_MACHINE EM_AARCH64
#define OWN_LINKER "/lib/ld-linux-aarch64.so.1"
#else
#define OWN_MACHINE EM_X86_64
#define OWN_LINKER "/lib64/ld-linux-x86-64.so.2"
#endif

static bool find_program(const char *program, char path[PATH_MAX])
{
    const char *at = getenv("PATH");
    if (strchr(program, '/')) {
        snprintf(path, PATH_MAX, "%s", program);
        return access(path, F_OK) == 0;
    }
    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (length < 3000) {
            snprintf(path, PATH_MAX, "%.*s/%.1000s", (int)length, at, program);
            if (access(path, X_OK) == 0)
                return true;
        }
        at += length;
        at += *at == ':';
    }
    errno = ENOENT;
    return false;
}

/* The dynamic linker ignores LD_PRELOAD for a program that has more privileges than its user. */
static bool check_privileges(struct fm_doctor *doctor, const char *path)
{
    struct stat st;
    const char *what = NULL;
    if (stat(path, &st) != 0)
        return true;
    if (st.st_mode & S_ISUID && st.st_uid != getuid())
        what = "setuid";
    else if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid())
        what = "setgid";
    else if (getxattr(path, "security.capability", NULL, 0) > 0 && getuid() != 0)
        what = "a program with file capabilities";
    if (what)
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "measure a copy without these privileges",
                      "program: %s is %s: the system ignores LD_PRELOAD for it", path, what);
    return !what;
}

static bool check_script(struct fm_doctor *doctor, const char *path)
{
    char line[256] = "";
    FILE *file = fopen(path, "re");
    bool script = file && fgets(line, sizeof line, file) && strncmp(line, "#!", 2) == 0;
    if (file)
        fclose(file);
    if (script)
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL,
                      "program: %s is a script for %.*s: the MPI programs it starts are measured", path,
                      (int)strcspn(line + 2, "\n"), line + 2);
    return script;
}

static bool defines_mpi(const struct fm_elf *elf)
{
    return fm_elf_find(elf, "MPI_Init") == FM_ELF_DEFINED || fm_elf_find(elf, "PMPI_Init") == FM_ELF_DEFINED ||
           fm_elf_find(elf, "MPI_Init_thread") == FM_ELF_DEFINED;
}

bool fm_program_has_static_mpi(const char *path)
{
    struct fm_elf elf;
    if (fm_elf_open(&elf, path, NULL) != FM_OK)
        return false;
    bool inside = defines_mpi(&elf);
    for (size_t i = 0; i < elf.n_needed; i++)
        inside = inside && !fm_mpi_is_named(elf.needed[i]);
    fm_elf_close(&elf);
    return inside;
}

static bool uses_mpi(const struct fm_elf *elf)
{
    static const char *const names[] = {"MPI_Init",         "MPI_Init_thread", "mpi_init_",
                                        "mpi_init_thread_", "mpi_init_f08_",   "MPI_Session_init"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fm_elf_find(elf, names[i]) != FM_ELF_ABSENT)
            return true;
    return false;
}

/* Finds "\tlibmpi.so.40 => /usr/lib/.../libmpi.so.40 (0x...)" in the output of the dynamic linker. */
static bool find_libmpi(const char *list, char *path, size_t size)
{
    for (const char *line = list; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => /");
        size_t end = strcspn(name, "\n");
        if (!fm_mpi_kind_of_file(name) || !arrow || (size_t)(arrow - name) >= end)
            continue;
        snprintf(path, size, "%.*s", (int)strcspn(arrow + 4, " \n"), arrow + 4);
        return true;
    }
    return false;
}

static bool check_missing(struct fm_doctor *doctor, const char *path, const char *list)
{
    const char *missing = strstr(list, " => not found");
    if (!missing)
        return true;
    const char *start = missing;
    while (start > list && !strchr(" \t\n", start[-1]))
        start--;
    fm_doctor_say(doctor, FM_DOCTOR_BAD, "load its environment module, or set LD_LIBRARY_PATH",
                  "program: %s needs %.*s, which is not found", path, (int)(missing - start), start);
    return false;
}

static void *find_in_file(const void *elf, const char *name)
{
    return fm_elf_find(elf, name) == FM_ELF_DEFINED ? (void *)name : NULL;
}

/* A library may hide its symbols, so its name counts too; but the name of Open MPI's is used by many others. */
static enum fm_mpi_kind kind_of(const char *libmpi)
{
    struct fm_elf elf;
    if (fm_elf_open(&elf, libmpi, NULL) != FM_OK)
        return FM_MPI_NONE;
    enum fm_mpi_kind kind = fm_mpi_kind_of(find_in_file, &elf);
    if (!kind && fm_mpi_kind_of_file(fm_basename(libmpi)) == FM_MPI_MPICH)
        kind = FM_MPI_MPICH;
    fm_elf_close(&elf);
    return kind;
}

static void check_mpi_library(struct fm_doctor *doctor, const char *path, const char *libmpi)
{
    static const char *const names[] = {"an unknown MPI", "Open MPI", "the MPICH ABI"};
    enum fm_mpi_kind kind = kind_of(libmpi);
    fm_doctor_say(doctor, kind ? FM_DOCTOR_OK : FM_DOCTOR_WARN, NULL, "program: %s loads %s, %s", path, libmpi,
                  names[kind]);
    if (kind && doctor->mpirun && kind != doctor->mpirun)
        fm_doctor_say(doctor, FM_DOCTOR_WARN, "start it with the mpirun of its own MPI",
                      "program: mpirun belongs to %s: each process would run as a separate job", names[doctor->mpirun]);
}

static void check_dynamic(struct fm_doctor *doctor, const char *path, const struct fm_elf *elf)
{
    /* Always our own dynamic linker, never the one that the file names; it maps the program but does not run it. */
    static char list[1 << 16];
    char libmpi[PATH_MAX] = "", *words[] = {OWN_LINKER, "--list", (char *)path, NULL};
    int status = fm_doctor_capture(words, list, sizeof list);
    if (status == -1)
        list[0] = 0;
    if (!check_missing(doctor, path, list))
        return;
    bool found = find_libmpi(list, libmpi, sizeof libmpi);
    if (found)
        check_mpi_library(doctor, path, libmpi);
    else if (defines_mpi(elf))
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "link it with the shared libmpi",
                      "program: %s is statically linked with MPI: its calls cannot be measured", path);
    else if (uses_mpi(elf))
        fm_doctor_say(doctor, FM_DOCTOR_WARN, NULL, "program: %s uses MPI; which one is known only at run time", path);
    else
        fm_doctor_say(doctor, FM_DOCTOR_OK, NULL,
                      "program: %s is not linked with MPI: measured as a single process, or with MPI if it loads one",
                      path);
}

void fm_doctor_program(struct fm_doctor *doctor, const char *program)
{
    char path[PATH_MAX];
    struct fm_error error;
    struct fm_elf elf;
    if (!find_program(program, path)) {
        bool in_path = !strchr(program, '/');
        snprintf(path, sizeof path, "use ./%.1000s for the one in this directory", program);
        fm_doctor_say(doctor, FM_DOCTOR_BAD, in_path && access(program, F_OK) == 0 ? path : NULL, "program: %s: %s",
                      program, in_path ? "no such command in PATH" : strerror(errno));
        return;
    }
    if (!check_privileges(doctor, path) || check_script(doctor, path))
        return;
    if (fm_elf_open(&elf, path, &error) != FM_OK) {
        fm_doctor_say(doctor, FM_DOCTOR_BAD, NULL, "program: %s", error.text);
        return;
    }
    if (access(path, X_OK) != 0)
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "chmod +x", "program: %s is not executable", path);
    else if (elf.machine != OWN_MACHINE)
        fm_doctor_say(doctor, FM_DOCTOR_BAD, NULL, "program: %s is for another architecture", path);
    else if (!*elf.interpreter)
        fm_doctor_say(doctor, FM_DOCTOR_BAD, "link it dynamically",
                      "program: %s is statically linked%s: Fathom cannot be loaded into it", path,
                      defines_mpi(&elf) ? ", with MPI" : "");
    else
        check_dynamic(doctor, path, &elf);
    fm_elf_close(&elf);
}
