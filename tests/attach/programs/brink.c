/* Runs on a stack that ends where memory begins that only it could fill (userfaultfd): whoever reads there while it is
 * stopped waits for ever.
 *   brink SECONDS    ends with 9; with 3 where that cannot be had */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 64 << 10, ALL = 1 << 20 };
static ucontext_t outside, inside;
static volatile double result;
static int seconds;

static void spin(void)
{
    for (time_t end = time(NULL) + seconds; time(NULL) < end;)
        for (int i = 0; i < 1000000; i++)
            result = 0.5 * result + 1;
}

int main(int argc, char **argv)
{
    struct uffdio_api api = {.api = UFFD_API};
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    char *memory = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register beyond = {.range = {(unsigned long)memory + STACK, ALL - STACK},
                                     .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (argc < 2 || faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0 || ioctl(faults, UFFDIO_REGISTER, &beyond) != 0)
        return 3;
    seconds = atoi(argv[1]);
    getcontext(&inside);
    inside.uc_stack.ss_sp = memory;
    inside.uc_stack.ss_size = STACK;
    inside.uc_link = &outside;
    makecontext(&inside, spin, 0);
    swapcontext(&outside, &inside);
    return 9;
}
