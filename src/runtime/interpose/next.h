/* SPDX-License-Identifier: BSD-3-Clause */
/* The next definition of a name: what the program's call would have gone to without us.
 *
 *     objects in the order in which the loader searches them
 *
 *     program | preloaded before us | us | preloaded after us | libraries of the program | loaded later by dlopen ...
 *                                        |<--- the next definition is the first here --->|
 *
 * The answers are those of dlsym(RTLD_NEXT), without the loader's lock (see object.h) and without its price: nothing is
 * looked up before it is called. Objects that are there when the program begins are never unloaded and keep their order.
 * So they are searched as they are, in any thread at any moment. Which they are is noted while the loader relocates
 * us, before the first constructor of any object runs.
 *
 * What was loaded later (MPI in Python, a plug-in) is searched under the lock of dl_iterate_phdr, which no constructor
 * runs under; and where that may be held for ever, in a child made by _Fork or clone, without. */
#ifndef FM_RUNTIME_INTERPOSE_NEXT_H
#define FM_RUNTIME_INTERPOSE_NEXT_H

#include "runtime/interpose/object.h"

/* A definition that is looked for: the name is given, the rest is found; address NULL: there is none. */
struct fm_definition {
    const char *name;
    void *address;
    uintptr_t base; /* of the object that it is in */
    const ElfW(Dyn) * dynamic;
};

/* The next definition of each of n names in the objects that were loaded with the program. */
void fm_next_find(struct fm_definition *sought, unsigned n);

/* The last of the *n that were loaded with the program; all from _r_debug.r_map to it stay. */
const struct link_map *fm_next_last_at_start(unsigned *n);

/* The first definition of a name in an object behind us that is loaded now, whenever it was, and whose path is accepted
 * (NULL: any). fm_next_keep keeps that object from being unloaded. */
bool fm_next_find_loaded(struct fm_definition *sought, bool (*accept)(const char *path));
/* To be called before an object may be unloaded, where the loader's lock may be taken. */
void fm_next_keep(void);

/* The definition in the program itself, which may have copies of the variables of its libraries. */
void *fm_program_find(const char *name);

/* As program_invocation_name; by name, which costs a thousand instructions less in every process than to be bound to it. */
const char *fm_program_name(void);

/* Notes that this process is one of its own: when it begins, and in a child made by fork. */
void fm_process_begins(void);
/* Whether it was made by _Fork or clone instead: other threads may have held any lock when it was made. */
bool fm_process_is_bare_child(void);

#endif
