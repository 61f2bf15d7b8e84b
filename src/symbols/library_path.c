/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/library_path.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct library_search {
    const char *name, *program; /* the library; path of the file that needs it */
    char *buffer;
    size_t size;
};

static bool try_directory(const struct library_search *search, const char *directory, size_t length)
{
    static const char origin[] = "$ORIGIN";
    const char *slash = strrchr(search->program, '/');
    int directory_length = slash ? (int)(slash - search->program) : 0, n;
    if (length >= sizeof origin - 1 && strncmp(directory, origin, sizeof origin - 1) == 0)
        n = snprintf(search->buffer, search->size, "%.*s%.*s/%s", slash ? directory_length : 1,
                     slash ? search->program : ".", (int)(length - sizeof origin + 1), directory + sizeof origin - 1,
                     search->name);
    else
        n = snprintf(search->buffer, search->size, "%.*s/%s", (int)length, directory, search->name);
    return length && n > 0 && (size_t)n < search->size && access(search->buffer, R_OK) == 0;
}

static bool try_list(const struct library_search *search, const char *directories)
{
    while (directories && directories[0]) {
        size_t length = strcspn(directories, ":");
        if (try_directory(search, directories, length))
            return true;
        directories += length + (directories[length] == ':');
    }
    return false;
}

/* Our own C library is in the system's directory of libraries for this architecture. */
static bool try_system(const struct library_search *search)
{
    Dl_info info;
    if (dladdr((const void *)&access, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        char directory[512];
        if (slash &&
            snprintf(directory, sizeof directory, "%.*s:/usr%.*s", (int)(slash - info.dli_fname), info.dli_fname,
                     (int)(slash - info.dli_fname), info.dli_fname) < (int)sizeof directory &&
            try_list(search, directory))
            return true;
    }
    return try_list(search, "/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib");
}

bool fm_needed_find(const struct fm_elf *elf, const char *path, const char *name, char *buffer, size_t size)
{
    const struct library_search search = {name, path, buffer, size};
    return try_list(&search, getenv("LD_LIBRARY_PATH")) || try_list(&search, elf->library_path) || try_system(&search);
}
