/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/load_module_files.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"

static const char system_directory[] = "/usr/lib/debug";

/* ---- one file ---- */

struct elf {
    int fd;
    Elf *elf;
    struct stat st;
};

static void close_elf(struct elf *file)
{
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct elf){.fd = -1};
}

/* Returns false if there is no ELF file of this name; errno is the reason (0: another kind of file). */
static bool open_elf(struct elf *file, const char *path)
{
    *file = (struct elf){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (file->fd < 0)
        return false;
    elf_version(EV_CURRENT);
    if (fstat(file->fd, &file->st) == 0 && S_ISREG(file->st.st_mode))
        file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if (file->elf && elf_kind(file->elf) == ELF_K_ELF)
        return true;
    close_elf(file);
    errno = 0;
    return false;
}

static void read_build_id(const struct elf *file, char *hex, size_t size)
{
    const void *bits;
    ssize_t n = dwelf_elf_gnu_build_id(file->elf, &bits);
    hex[0] = 0;
    for (ssize_t i = 0; i < n && (size_t)(2 * i + 3) <= size; i++)
        snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
}

/* The profile keeps at most 64 digits of a build id. */
static bool same_build_id(const char *of_file, const char *wanted)
{
    return wanted[0] && strncmp(of_file, wanted, strlen(wanted)) == 0 &&
           (strlen(of_file) == strlen(wanted) || strlen(wanted) == 64);
}

static bool has_debug_info(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
            return true;
    }
    return false;
}

/* The build id identifies what was compiled; size and time change if the file is stripped afterwards. */
static uint64_t version_of(const struct stat *st)
{
    const uint64_t parts[] = {(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec};
    return fm_crc64(parts, sizeof parts);
}

/* ---- the separate debug file ---- */

struct debug_search {
    struct fm_load_module_files *files;
    bool found;
};

/* Uses the file of this name if it has the build id of the module. */
__attribute__((format(printf, 2, 3))) static bool try_file(struct debug_search *search, const char *format, ...)
{
    char path[PATH_MAX];
    struct elf file;
    char build_id[sizeof search->files->build_id];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (search->found || length < 0 || (size_t)length >= sizeof path || !open_elf(&file, path))
        return search->found;
    read_build_id(&file, build_id, sizeof build_id);
    search->found = strcmp(build_id, search->files->build_id) == 0 && strcmp(path, search->files->path) != 0;
    if (search->found) {
        memcpy(search->files->debug, path, (size_t)length + 1);
        search->files->version ^= version_of(&file.st) * 3;
    }
    close_elf(&file);
    return search->found;
}

static void try_directory(struct debug_search *search, const char *directory, int length, const char *link)
{
    const char *id = search->files->build_id, *path = search->files->path, *slash = strrchr(path, '/');
    if (try_file(search, "%.*s/.build-id/%.2s/%s.debug", length, directory, id, id + 2) || !link)
        return;
    try_file(search, "%.*s%.*s/%s", length, directory, slash ? (int)(slash - path) : 0, path, link);
    try_file(search, "%.*s/%s", length, directory, link);
}

/* A module without a build id is left to elfutils, which compares checksums. */
static void find_debug(struct fm_load_module_files *files, const char *link)
{
    struct debug_search search = {.files = files};
    if (strlen(files->build_id) < 3)
        return;
    const char *directory = files->debug_path;
    while (directory[0]) {
        size_t length = strcspn(directory, ":");
        if (length > 0)
            try_directory(&search, directory, (int)length, link);
        directory += length + (directory[length] == ':');
    }
    const char *slash = strrchr(files->path, '/');
    if (link && slash) {
        try_file(&search, "%.*s/%s", (int)(slash - files->path), files->path, link);
        try_file(&search, "%.*s/.debug/%s", (int)(slash - files->path), files->path, link);
    }
    try_directory(&search, system_directory, sizeof system_directory - 1, link);
}

/* ---- the module ---- */

static bool set_path(struct fm_load_module_files *files, const char *module, const char *directory)
{
    bool relative = module[0] != '/' && directory[0];
    int length = relative ? snprintf(files->path, sizeof files->path, "%s/%s", directory, module)
                          : snprintf(files->path, sizeof files->path, "%s", module);
    return length >= 0 && (size_t)length < sizeof files->path;
}

/* If the module is missing, its debug file can replace it; it is found by the build id. */
static bool use_debug_file(struct fm_load_module_files *files, const char *build_id)
{
    struct fm_load_module_files replacement = *files;
    snprintf(replacement.build_id, sizeof replacement.build_id, "%s", build_id);
    replacement.version = 0;
    find_debug(&replacement, NULL);
    if (!replacement.debug[0])
        return false;
    memcpy(files, &replacement, sizeof replacement);
    memcpy(files->path, replacement.debug, sizeof replacement.debug);
    files->debug[0] = 0;
    files->own_debug = true;
    return true;
}

static void read_module(struct fm_load_module_files *files, const struct elf *file)
{
    GElf_Word crc;
    files->version = version_of(&file->st);
    files->own_debug = has_debug_info(file->elf);
    if (!files->own_debug)
        find_debug(files, dwelf_elf_gnu_debuglink(file->elf, &crc));
}

enum fm_status fm_load_module_files_find(struct fm_load_module_files *files, const char *module, const char *build_id,
                                         const struct fm_symbols_options *options, struct fm_error *error)
{
    struct elf file;
    *files = (struct fm_load_module_files){.debug_path = options->debug_path};
    if (options->no_modules || !strchr(module, '/') || !set_path(files, module, options->directory))
        return FM_ERR_SYSTEM;
    errno = 0;
    if (!open_elf(&file, files->path)) {
        int why = errno;
        if (use_debug_file(files, build_id))
            return FM_OK;
        return fm_fail(error, FM_ERR_INPUT,
                       "%s: %s, so its addresses cannot be resolved; restore the program that was measured, or set "
                       "FATHOM_DEBUG_PATH to the directory of its debug files",
                       files->path, why ? strerror(why) : "not an ELF file");
    }
    read_build_id(&file, files->build_id, sizeof files->build_id);
    bool same = build_id[0] == 0 || same_build_id(files->build_id, build_id);
    if (same)
        read_module(files, &file);
    close_elf(&file);
    if (same || use_debug_file(files, build_id))
        return FM_OK;
    return fm_fail(
        error, FM_ERR_INPUT,
        "%s: not the program that was measured (build ID %.12s instead of %.12s), so its addresses cannot be "
        "resolved; measure again, or restore the old program",
        files->path, files->build_id[0] ? files->build_id : "missing", build_id);
}
