/* SPDX-License-Identifier: BSD-3-Clause */
/* The next definition of a name: what the program's call would have resolved to without us.
 *
 *     objects in the order in which the loader searches them
 *
 *     program | preloaded before us | us | preloaded after us | libraries of the program | loaded later by dlopen ...
 *                                        |<--- the next definition is the first here --->|
 *
 * The results are those of dlsym(RTLD_NEXT), without the loader's lock (see object.h) and without its cost: nothing is
 * looked up before it is called. Objects that are loaded at program start are never unloaded and keep their order, so
 * they are searched in place, from any thread at any time. The list of these is recorded while the loader relocates us,
 * before the first constructor of any object runs.
 *
 * Objects loaded later (MPI in Python, a plug-in) are searched under the lock of dl_iterate_phdr, under which no
 * constructor runs; and without it where it may be held forever, in a child created by _Fork or clone. */
#ifndef FM_RUNTIME_INTERPOSE_NEXT_H
#define FM_RUNTIME_INTERPOSE_NEXT_H

#include "runtime/interpose/object.h"

/* A definition to look up: the name is given, the rest is the result. The address is NULL if there is none. */
struct fm_definition {
    const char *name;
    void *address;
    uintptr_t base; /* of the object that contains it */
    const ElfW(Dyn) * dynamic;
};

/* Finds the next definition of each of n names in the objects loaded with the program. */
void fm_next_find(struct fm_definition *sought, unsigned n);

/* The last of the *n objects loaded with the program. All objects from _r_debug.r_map to it stay loaded. */
const struct link_map *fm_next_last_at_start(unsigned *n);

/* Finds the first definition of a name in an object after us that is loaded now, whenever it was loaded, and whose path
 * is accepted (NULL: any). fm_next_keep prevents that object from being unloaded. */
bool fm_next_find_loaded(struct fm_definition *sought, bool (*accept)(const char *path));
/* Called before an object may be unloaded, where the loader's lock may be taken. */
void fm_next_keep(void);

/* The definition in the program itself, which may have copies of variables of its libraries (copy relocations). */
void *fm_program_find(const char *name);

/* Same as program_invocation_name, but looked up by name, which saves a thousand instructions in every process compared
 * with binding it. */
const char *fm_program_name(void);

/* Records the pid: called when the process starts, and in a child created by fork. */
void fm_process_begins(void);
/* Whether the process was created by _Fork or clone instead: other threads may have held any lock at that moment. */
bool fm_process_is_bare_child(void);

#endif
