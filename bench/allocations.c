/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded by the memory benchmark: counts every allocation of a process. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's own, below us. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t items, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long allocations;

long bench_allocations(void);
long bench_allocations(void)
{
    return allocations;
}

void *malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}

void *calloc(size_t items, size_t bytes)
{
    allocations++;
    return __libc_calloc(items, bytes);
}

void *realloc(void *old, size_t bytes)
{
    allocations++;
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    allocations++;
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **result, size_t alignment, size_t bytes)
{
    allocations++;
    *result = __libc_memalign(alignment, bytes);
    return *result ? 0 : ENOMEM;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    allocations++;
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}
