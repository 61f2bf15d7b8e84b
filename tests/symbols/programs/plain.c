/* The comment after a mark names its frames, innermost first. */
#include <stdlib.h>

void mark(const char *tag);

static volatile int deep = 1;

static inline __attribute__((always_inline)) void innermost(void)
{
    mark("twice inlined"); /* innermost < between < outer */
    deep++;
}

static inline __attribute__((always_inline)) void between(int n)
{
    if (n > 0)
        innermost();
    deep++;
}

__attribute__((noinline)) void outer(int n)
{
    mark("plain"); /* outer */
    between(n);
    deep++;
}

__attribute__((noinline, noreturn)) static void last_call(void)
{
    mark("before the end"); /* last_call */
    exit(deep > 100);
}

int main(void)
{
    outer(deep);
    mark("main"); /* main */
    last_call();
}
