/* SPDX-License-Identifier: BSD-3-Clause */
/* Weak references to functions that nobody but us defines.
 *
 * A program, or a library of it, asks `if (MPI_Bcast_c)` whether there is such a routine. The loader has bound that to our
 * wrapper, whatever the MPI library of the process has, or where there is none. So the words it filled are made null
 * again, as they would be without us: those of a weak, undefined symbol that hold an address of ours, and only while no
 * other object defines the name. References that are not weak are left alone: without the function the program would not
 * run. So are those to what is ours alone, as the timers of fathom.h: `is_meant` tells by the name. */
#ifndef FM_RUNTIME_INTERPOSE_WEAK_H
#define FM_RUNTIME_INTERPOSE_WEAK_H

#include <stdbool.h>

/* In objects that were loaded with the program, before it runs. Next to free where there are none. */
void fm_weak_at_start(bool (*is_meant)(const char *name));

/* In those that came by dlopen since the last time. Not in a bare child (next.h). */
void fm_weak_of_loaded(bool (*is_meant)(const char *name));

#endif
