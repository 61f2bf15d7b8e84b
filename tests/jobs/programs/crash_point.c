/* Preloaded: kills the process (of rank CRASH_RANK, or any) with SIGKILL before the CRASH_AT-th system call on files
 * that Fathom's library makes for itself; those that it forwards for the program are made in functions at START+SIZE
 * of CRASH_FORWARDS, hexadecimal. When CRASH_AT is 0, or greater than their number, their number goes into the file
 * CRASH_COUNT.RANK at the end. CRASH_NO_TMPFILE makes O_TMPFILE fail, as on file systems that do not have it,
 * CRASH_NO_LINKS links, as a guard of the system may. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_FORWARDS = 1000 };
static uintptr_t library_start, library_end;
static struct {
    uintptr_t start, size;
} forwards[MAX_FORWARDS];
static int n_forwards;
static long calls, crash_at;
static bool counted, no_tmpfile, no_links;

static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (!strstr(info->dlpi_name, "libfathom.so"))
        return 0;
    library_start = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            library_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    return 1;
}

static void find_forwards(const char *text)
{
    while (text && *text && n_forwards < MAX_FORWARDS) {
        char *end;
        forwards[n_forwards].start = library_start + strtoul(text, &end, 16);
        forwards[n_forwards++].size = strtoul(end + 1, &end, 16);
        text = end + strspn(end, " ");
    }
}

static bool is_forwarded(uintptr_t caller)
{
    for (int i = 0; i < n_forwards; i++)
        if (caller - forwards[i].start < forwards[i].size)
            return true;
    return false;
}

static const char *rank(void)
{
    const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *hydra = getenv("PMI_RANK");
    return open_mpi ? open_mpi : hydra ? hydra : "0";
}

/* Only the program itself: not the shells, launchers and tools around it. */
__attribute__((constructor)) static void prepare(void)
{
    const char *at = getenv("CRASH_AT"), *wanted = getenv("CRASH_RANK"), *program = getenv("CRASH_PROGRAM");
    crash_at = at ? atol(at) : 0;
    no_tmpfile = getenv("CRASH_NO_TMPFILE");
    no_links = getenv("CRASH_NO_LINKS");
    counted = (!wanted || strcmp(wanted, rank()) == 0) && program &&
              strcmp(program, program_invocation_short_name) == 0;
    dl_iterate_phdr(find_library, NULL);
    find_forwards(getenv("CRASH_FORWARDS"));
}

static void point(const void *caller)
{
    if (!counted || (uintptr_t)caller < library_start || (uintptr_t)caller >= library_end ||
        is_forwarded((uintptr_t)caller))
        return;
    if (++calls == crash_at)
        kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void tell(void)
{
    const char *stem = getenv("CRASH_COUNT");
    char path[80];
    snprintf(path, sizeof path, "%s.%s", stem ? stem : "", rank());
    FILE *file = counted && stem ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", calls);
        fclose(file);
    }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define POINT() point(__builtin_return_address(0))

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                            \
    int name(const char *path, int flags, ...)                \
    {                                                         \
        va_list list;                                         \
        va_start(list, flags);                                \
        mode_t mode = mode_of(flags, list);                   \
        va_end(list);                                         \
        POINT();                                              \
        if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) { \
            errno = EOPNOTSUPP;                               \
            return -1;                                        \
        }                                                     \
        return NEXT(name)(path, flags, mode);                 \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                          \
    int name(int directory, const char *path, int flags, ...) \
    {                                                         \
        va_list list;                                         \
        va_start(list, flags);                                \
        mode_t mode = mode_of(flags, list);                   \
        va_end(list);                                         \
        POINT();                                              \
        return NEXT(name)(directory, path, flags, mode);      \
    }
OPENAT(openat)
OPENAT(openat64)

#define FALLOCATE(name)                             \
    int name(int fd, off64_t offset, off64_t bytes) \
    {                                               \
        POINT();                                    \
        return NEXT(name)(fd, offset, bytes);       \
    }
FALLOCATE(posix_fallocate)
FALLOCATE(posix_fallocate64)

ssize_t write(int fd, const void *bytes, size_t size)
{
    POINT();
    return NEXT(write)(fd, bytes, size);
}

int fsync(int fd)
{
    POINT();
    return NEXT(fsync)(fd);
}

int flock(int fd, int operation)
{
    POINT();
    return NEXT(flock)(fd, operation);
}

static int refuse(void)
{
    errno = EPERM;
    return -1;
}

int link(const char *from, const char *to)
{
    POINT();
    return no_links ? refuse() : NEXT(link)(from, to);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    POINT();
    return no_links ? refuse() : NEXT(linkat)(from_directory, from, to_directory, to, flags);
}

int rename(const char *from, const char *to)
{
    POINT();
    return NEXT(rename)(from, to);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    POINT();
    return NEXT(renameat2)(from_directory, from, to_directory, to, flags);
}

int unlink(const char *path)
{
    POINT();
    return NEXT(unlink)(path);
}

int unlinkat(int directory, const char *path, int flags)
{
    POINT();
    return NEXT(unlinkat)(directory, path, flags);
}

int mkdir(const char *path, mode_t mode)
{
    POINT();
    return NEXT(mkdir)(path, mode);
}

int fchmod(int fd, mode_t mode)
{
    POINT();
    return NEXT(fchmod)(fd, mode);
}
