/* Asks for much that takes long and never sleeps: what interrupts that makes it give less.
 *   large SECONDS    prints how often it has asked, and how often there was less */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static char bytes[8 << 20];

int main(int argc, char **argv)
{
    int calls = 0, cut = 0;
    if (argc < 2)
        return 1;
    for (time_t end = time(NULL) + atoi(argv[1]); time(NULL) < end || calls < 10; calls++)
        cut += getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes;
    printf("%d calls, %d not whole\n", calls, cut);
    return 0;
}
