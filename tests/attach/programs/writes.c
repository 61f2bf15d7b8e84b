/* Writes to a pipe whose reader is slow: a write that is interrupted ends with a part of its bytes.
 *   writes SECONDS    prints how many writes there were, and how many were not whole */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char bytes[1 << 20];

static void drain(int from)
{
    volatile double sum = 0;
    while (read(from, bytes, sizeof bytes) > 0)
        for (int i = 0; i < 20000; i++)
            sum += i;
    _exit(0);
}

int main(int argc, char **argv)
{
    int ends[2], writes = 0, cut = 0;
    if (argc < 2 || pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        close(ends[1]);
        drain(ends[0]);
    }
    close(ends[0]);
    for (time_t end = time(NULL) + atoi(argv[1]); time(NULL) < end || writes < 10; writes++)
        cut += write(ends[1], bytes, sizeof bytes) != (ssize_t)sizeof bytes;
    printf("%d writes, %d not whole\n", writes, cut);
    return 0;
}
