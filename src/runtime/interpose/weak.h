/* SPDX-License-Identifier: BSD-3-Clause */
/* Weak references to functions that only we define.
 *
 * A program or one of its libraries checks with `if (MPI_Bcast_c)` whether a routine exists. The loader has bound that
 * reference to our wrapper, even if the MPI library of the process lacks the routine or there is no MPI library. So the
 * words that it has filled are set to null again, as they would be without us: those of a weak, undefined symbol that
 * hold an address of ours, and only while no other object defines the name. References that are not weak are left
 * alone: without the function the program would not run. So are references to functions that only we provide, such as
 * the timers of fathom.h: `filter` selects by name. */
#ifndef FM_RUNTIME_INTERPOSE_WEAK_H
#define FM_RUNTIME_INTERPOSE_WEAK_H

#include <stdbool.h>

/* In objects loaded with the program, before it runs. Nearly free if there are no such references. */
void fm_weak_at_start(bool (*filter)(const char *name));

/* In objects loaded by dlopen since the last call. Not in a bare child (next.h). */
void fm_weak_of_loaded(bool (*filter)(const char *name));

#endif
