/* Counts all that allocates between two points, whoever calls it, while it computes on ever new call paths, waits, and
 * starts threads. Prints how often its own allocations were seen, and how often those of anybody else. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

/* The C library's own, below us. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t items, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long counted;
static atomic_bool counting;

static void count(void)
{
    if (atomic_load(&counting))
        atomic_fetch_add(&counted, 1);
}

void *malloc(size_t bytes)
{
    count();
    return __libc_malloc(bytes);
}

void *calloc(size_t items, size_t bytes)
{
    count();
    return __libc_calloc(items, bytes);
}

void *realloc(void *old, size_t bytes)
{
    count();
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count();
    return __libc_memalign(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    count();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **result, size_t alignment, size_t bytes)
{
    count();
    *result = __libc_memalign(alignment, bytes);
    return *result ? 0 : 12;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    count();
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

void *mremap(void *old, size_t bytes, size_t new_bytes, int flags, ...)
{
    count();
    return (void *)syscall(SYS_mremap, old, bytes, new_bytes, flags, NULL);
}

int brk(void *end)
{
    count();
    return syscall(SYS_brk, end) == (long)end ? 0 : -1;
}

/* The CPU time of the process: as many samples come of it on a busy machine. */
static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Two ways at every level: as many call paths as there are numbers. */
__attribute__((noinline, noclone)) static long wander(unsigned bits, int depth)
{
    if (depth == 0) {
        volatile long sum = 0;
        for (int i = 0; i < 20000; i++)
            sum += i;
        return sum;
    }
    if (bits & 1)
        return wander(bits >> 1, depth - 1) + 1;
    return wander(bits >> 1, depth - 1) - 1;
}

static void *compute(void *ms)
{
    long sum = 0;
    int64_t end = now() + (intptr_t)ms * 1000000;
    for (unsigned i = 0; now() < end; i++) {
        sum += wander(i * 2654435761u >> 12, 18);
        if (i % 16 == 0)
            usleep(500);
    }
    return (void *)sum;
}

/* Threads have stacks of their own here: libc would map them. */
static void *in_threads(intptr_t ms)
{
    enum { THREADS = 3, STACK = 1 << 18 };
    static _Alignas(4096) char stacks[THREADS][STACK];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stacks[i], STACK);
        if (pthread_create(&threads[i], &attributes, compute, (void *)ms) != 0)
            abort();
    }
    void *result = compute((void *)ms);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return result;
}

static long own_allocations(void)
{
    char *volatile bytes = malloc(100), *volatile zeros = calloc(10, 10), *volatile more = realloc(bytes, 100000);
    void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(map, 4096);
    free(zeros);
    free(more);
    return 4;
}

int main(int argc, char **argv)
{
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    intptr_t ms = argc > 1 ? atol(argv[1]) : 500;
    in_threads(1); /* what libc takes for its first threads */
    atomic_store(&counting, true);
    in_threads(ms);
    long others = atomic_load(&counted), own = own_allocations();
    atomic_store(&counting, false);
    printf("%ld of %ld, %ld of others\n", atomic_load(&counted) - others, own, others);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
