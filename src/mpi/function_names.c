/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/function_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const suffixes[] = {"", "_", "__", "_f", "_f_", "_f08", "_f08_", "_f08ts_", "_fts_"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

void fm_mpi_function_names(char names[FM_MPI_FUNCTION_NAMES], const char *routine)
{
    char lower[64];
    size_t n = 0;
    do
        lower[n] = (char)tolower((unsigned char)routine[n]);
    while (routine[n] && ++n < sizeof lower - 1);
    lower[n] = 0;
    int length = snprintf(names, FM_MPI_FUNCTION_NAMES, "%.*s|P%.*s", (int)n, routine, (int)n, routine);
    for (size_t i = 0; i < SUFFIXES && length > 0 && length < FM_MPI_FUNCTION_NAMES; i++)
        length += snprintf(names + length, (size_t)(FM_MPI_FUNCTION_NAMES - length), "|%s%s|p%s%s", lower, suffixes[i],
                           lower, suffixes[i]);
}

bool fm_mpi_is_binding_of(const char *function, const char *routine)
{
    size_t length = strlen(routine);
    if (strncasecmp(function, routine, length) != 0)
        return false;
    for (size_t i = 0; i < SUFFIXES; i++)
        if (strcmp(function + length, suffixes[i]) == 0)
            return true;
    return false;
}
