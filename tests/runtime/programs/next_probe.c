/* A preloaded library that compares next.c with the loader, for each name in the file $PROBE_NAMES: before the program
 * runs, and when it has ended. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/interpose/next.h"

static void compare(const char *name, unsigned *found, unsigned *wrong)
{
    struct fm_definition ours = {.name = name};
    fm_next_find(&ours, 1);
    if (!ours.address)
        fm_next_find_loaded(&ours, NULL);
    void *loaders = dlsym(RTLD_NEXT, name);
    *found += loaders != NULL;
    if (ours.address == loaders)
        return;
    Dl_info a = {0}, b = {0};
    dladdr(ours.address, &a);
    dladdr(loaders, &b);
    printf("%s: %p in %s, to the loader %p in %s\n", name, ours.address, a.dli_fname, loaders, b.dli_fname);
    ++*wrong;
}

static void compare_all(const char *when)
{
    char line[200];
    unsigned found = 0, wrong = 0;
    FILE *file = fopen(getenv("PROBE_NAMES"), "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        compare(line, &found, &wrong);
    }
    if (file)
        fclose(file);
    printf("%s: %u found, %u wrong\n", when, found, wrong);
}

__attribute__((constructor)) static void begin(void)
{
    fm_process_begins();
    compare_all("start");
}

__attribute__((destructor)) static void end(void)
{
    compare_all("end");
}
