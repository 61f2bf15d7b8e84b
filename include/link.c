/* SPDX-License-Identifier: BSD-3-Clause */
/* The stub library that `-lfathom` links against; it is never loaded. It has the SONAME of the real library but only
 * the functions of fathom.h: the real one also defines MPI's names, so a linker that drops unneeded libraries would
 * drop MPI. */
#include "fathom.h"

void fathom_region_begin(const char *name)
{
    (void)name;
}

void fathom_region_end(const char *name)
{
    (void)name;
}

void fathom_snapshot(const char *label, int collective)
{
    (void)label;
    (void)collective;
}

void fathom_timer_get(int *timer, const char *name)
{
    (void)timer;
    (void)name;
}

void fathom_timer_start(int timer)
{
    (void)timer;
}

void fathom_timer_stop(int timer)
{
    (void)timer;
}

void fathom_timers_report_comm(FILE *out, int fortran_comm)
{
    (void)out;
    (void)fortran_comm;
}

char *fathom_timers_text(const int *fortran_comm)
{
    (void)fortran_comm;
    return NULL;
}
