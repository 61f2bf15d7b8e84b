/* SPDX-License-Identifier: BSD-3-Clause */
/* What /proc/self/status says of the process's memory. */
#ifndef BENCH_STATUS_H
#define BENCH_STATUS_H

#include <stdio.h>
#include <string.h>

static inline long status_kb(const char *field)
{
    char line[256];
    long kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            sscanf(line + strlen(field), ": %ld", &kb);
    if (file)
        fclose(file);
    return kb;
}

#endif
