/* For some seconds enters and leaves small functions that have a frame pointer. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline, optimize("O0", "no-omit-frame-pointer"))) static unsigned small(unsigned x)
{
    return x + 1;
}

__attribute__((noinline, optimize("O0", "no-omit-frame-pointer"))) static void many(void)
{
    for (int i = 0; i < 1000000; i++)
        sink = small(small(small(small(sink))));
}

__attribute__((optimize("O0", "no-omit-frame-pointer"))) int main(int argc, char **argv)
{
    time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
    while (time(NULL) < end)
        many();
    return 7;
}
