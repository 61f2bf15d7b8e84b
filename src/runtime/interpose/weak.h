/* Weak references to routines that nobody but us defines.
 *
 * A program, or a library of it, asks `if (MPI_Bcast_c)` whether there is such a routine. The loader has bound that to our
 * wrapper, whatever the MPI library of the process has, or where there is none. So the words it filled are made null
 * again, as they would be without us: those of a weak, undefined symbol named MPI..., that hold an address of ours, and
 * only while no other object defines the name. References that are not weak are left alone: without the routine the
 * program would not run. */
#ifndef FM_RUNTIME_INTERPOSE_WEAK_H
#define FM_RUNTIME_INTERPOSE_WEAK_H

/* In objects that were loaded with the program, before it runs. Next to free where there are none. */
void fm_weak_at_start(void);

/* In those that came by dlopen since the last time. Not in a bare child (next.h). */
void fm_weak_of_loaded(void);

#endif
