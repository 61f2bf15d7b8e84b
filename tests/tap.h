/* The whole of our test library: tap_ok for each fact, tap_done at the end of main. Prints TAP. */
#ifndef FM_TESTS_TAP_H
#define FM_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* One fact, with a name as for printf. Returns what it was given. */
__attribute__((format(printf, 2, 3), unused)) static bool tap_ok(bool fact, const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    printf("%s %d - ", fact ? "ok" : "not ok", ++tap_count);
    vprintf(name, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
    tap_failed += !fact;
    return fact;
}

/* The plan; the exit status for main. */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed ? 1 : 0;
}

#endif
