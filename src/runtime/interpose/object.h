/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic symbols of a loaded object, read where the loader has mapped them.
 *
 * dlsym and dladdr take the loader's lock, which a thread under dlopen or dlclose holds while constructors and destructors
 * run; one of them may wait for the very thread that asks. What is here takes no lock and no memory, so it may be used in
 * any thread at any moment, also in a child of a process with threads. The object must stay loaded meanwhile. */
#ifndef FM_RUNTIME_INTERPOSE_OBJECT_H
#define FM_RUNTIME_INTERPOSE_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct fm_object {
    uintptr_t base;
    const ElfW(Dyn) * dynamic; /* tells one object from another */
    const ElfW(Sym) * symbols;
    const char *strings, *soname;    /* soname: NULL if it has none */
    const ElfW(Half) * versions;     /* of the symbols, or NULL */
    const uint32_t *gnu_hash, *hash; /* either may be missing */
};

/* What an entry of the dynamic section points to: the loader adds the base to it, unless it cannot write it. */
const void *fm_object_address(const ElfW(Dyn) * entry, uintptr_t base);

/* base and dynamic are those of a struct link_map. false: it has no symbols. */
bool fm_object_read(struct fm_object *object, uintptr_t base, const ElfW(Dyn) * dynamic);

bool fm_object_is_libc(const struct fm_object *object);

uint32_t fm_symbol_hash(const char *name);

/* What a reference to the name, without a version, is bound to if this object is the first to define it: the default
 * version of a function or variable; NULL: it does not define it. hash is fm_symbol_hash(name). */
void *fm_object_find(const struct fm_object *object, const char *name, uint32_t hash);

/* The name of the function that the address lies in; NULL: not known. */
const char *fm_object_function_at(const struct fm_object *object, uintptr_t address);

/* The loaded object that an address lies in, as the loader knows it; NULL: none. */
const struct link_map *fm_object_at(const void *address);

#endif
