/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic symbols of a loaded object, read where the loader has mapped them.
 *
 * dlsym and dladdr take the loader's lock, which a thread in dlopen or dlclose holds while constructors and destructors
 * run; one of these may be waiting for the very thread that calls us. The functions here take no lock and allocate
 * nothing, so they may be called in any thread at any time, also in a child of a multithreaded process. The object must
 * stay loaded meanwhile. */
#ifndef FM_RUNTIME_INTERPOSE_OBJECT_H
#define FM_RUNTIME_INTERPOSE_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct fm_object {
    uintptr_t base;
    const ElfW(Dyn) * dynamic; /* identifies the object */
    const ElfW(Sym) * symbols;
    const char *strings, *soname;    /* soname: NULL if it has none */
    const ElfW(Half) * versions;     /* of the symbols, or NULL */
    const uint32_t *gnu_hash, *hash; /* either may be missing */
};

/* The address that an entry of the dynamic section holds. The loader adds the base to it, unless it cannot write to the
 * section. */
const void *fm_object_address(const ElfW(Dyn) * entry, uintptr_t base);

/* base and dynamic are those of a struct link_map. Returns false if the object has no symbols. */
bool fm_object_read(struct fm_object *object, uintptr_t base, const ElfW(Dyn) * dynamic);

bool fm_object_is_libc(const struct fm_object *object);

uint32_t fm_symbol_hash(const char *name);

/* What an unversioned reference to the name binds to if this object is the first to define it: the default version of a
 * function or variable. Returns NULL if the object does not define it. hash is fm_symbol_hash(name). */
void *fm_object_find(const struct fm_object *object, const char *name, uint32_t hash);

/* Name of the function that contains the address, or NULL. */
const char *fm_object_function_at(const struct fm_object *object, uintptr_t address);

/* The loaded object that contains an address, according to the loader, or NULL. */
const struct link_map *fm_object_at(const void *address);

#endif
