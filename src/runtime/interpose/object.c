/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/object.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/auxv.h>
#if defined __aarch64__
#include <sys/ifunc.h>
#endif

/* glibc 2.35 and later. It takes no lock. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

const struct link_map *fm_object_at(const void *address)
{
    struct dl_find_object found;
    return _dl_find_object && _dl_find_object((void *)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

const void *fm_object_address(const ElfW(Dyn) * entry, uintptr_t base)
{
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < base ? value + base : value);
}

bool fm_object_read(struct fm_object *object, uintptr_t base, const ElfW(Dyn) * dynamic)
{
    const ElfW(Dyn) *soname = NULL;
    *object = (struct fm_object){.base = base, .dynamic = dynamic};
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            object->symbols = fm_object_address(d, base);
        else if (d->d_tag == DT_STRTAB)
            object->strings = fm_object_address(d, base);
        else if (d->d_tag == DT_GNU_HASH)
            object->gnu_hash = fm_object_address(d, base);
        else if (d->d_tag == DT_HASH)
            object->hash = fm_object_address(d, base);
        else if (d->d_tag == DT_VERSYM)
            object->versions = fm_object_address(d, base);
        else if (d->d_tag == DT_SONAME)
            soname = d;
    }
    if (!object->symbols || !object->strings || (!object->gnu_hash && !object->hash))
        return false;
    object->soname = soname ? object->strings + soname->d_un.d_val : NULL;
    return true;
}

/* Does not call strcmp: a sanitizer that interposes it calls us before it is initialised. */
static bool equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

bool fm_object_is_libc(const struct fm_object *object)
{
    return object->soname && equal(object->soname, "libc.so.6");
}

/* ---- lookup by name ---- */

uint32_t fm_symbol_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

static bool is_definition(const ElfW(Sym) * symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info),
             visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    return symbol->st_shndx != SHN_UNDEF && (symbol->st_value || symbol->st_shndx == SHN_ABS) &&
           (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_COMMON ||
            type == STT_GNU_IFUNC) &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

/* Of several versions of a name the one that is not hidden is used; if more than one is not hidden, none. */
struct choice {
    const ElfW(Sym) * symbol;
    unsigned versions;
};

/* Returns true if there can be no better match. */
static bool consider(const struct fm_object *object, const char *name, uint32_t number, struct choice *choice)
{
    enum { HIDDEN = 0x8000, FIRST_VERSION = 2 };
    const ElfW(Sym) *symbol = &object->symbols[number];
    if (!is_definition(symbol) || !equal(object->strings + symbol->st_name, name))
        return false;
    ElfW(Half) version = object->versions ? object->versions[number] : 0;
    if ((version & ~HIDDEN) < FIRST_VERSION) {
        *choice = (struct choice){symbol, 1};
        return true;
    }
    if (!(version & HIDDEN) && choice->versions++ == 0)
        choice->symbol = symbol;
    return false;
}

/* DT_GNU_HASH: number of buckets, first symbol, number of Bloom filter words, shift; then the filter, the buckets, and
 * the hash of each symbol, whose lowest bit marks the end of a bucket. */
struct gnu_hash {
    uint32_t n_buckets, first, n_words, shift;
    const ElfW(Addr) * filter;
    const uint32_t *buckets, *hashes; /* hashes: indexed by symbol number */
};

static struct gnu_hash read_gnu_hash(const struct fm_object *object)
{
    const uint32_t *table = object->gnu_hash;
    struct gnu_hash read = {.n_buckets = table[0], .first = table[1], .n_words = table[2], .shift = table[3]};
    read.filter = (const void *)(table + 4);
    read.buckets = (const uint32_t *)(const void *)(read.filter + read.n_words);
    read.hashes = read.buckets + read.n_buckets - read.first;
    return read;
}

static void search_gnu_hash(const struct fm_object *object, const char *name, uint32_t hash, struct choice *choice)
{
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    struct gnu_hash table = read_gnu_hash(object);
    ElfW(Addr) word = table.filter[hash / BITS & (table.n_words - 1)];
    if (!(word >> hash % BITS & word >> (hash >> table.shift) % BITS & 1) || !table.n_buckets)
        return;
    uint32_t number = table.buckets[hash % table.n_buckets];
    for (bool last = number < table.first; !last; number++) {
        last = table.hashes[number] & 1;
        if ((table.hashes[number] | 1) == (hash | 1) && consider(object, name, number, choice))
            return;
    }
}

/* DT_HASH: number of buckets, number of symbols; then the buckets, and for each symbol the next one in its bucket. */
static void search_hash(const struct fm_object *object, const char *name, struct choice *choice)
{
    const uint32_t *buckets = object->hash + 2, *chain = buckets + object->hash[0];
    if (!object->hash[0])
        return;
    for (uint32_t i = buckets[sysv_hash(name) % object->hash[0]]; i != STN_UNDEF; i = chain[i])
        if (consider(object, name, i, choice))
            return;
}

/* An indirect function (ifunc) is a resolver that selects an implementation for this processor. */
static void *resolve_ifunc(uintptr_t resolver)
{
#if defined __aarch64__
    __ifunc_arg_t argument = {sizeof argument, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    return ((void *(*)(uint64_t, const __ifunc_arg_t *))resolver)(argument._hwcap | _IFUNC_ARG_HWCAP, &argument);
#else
    return ((void *(*)(void))resolver)();
#endif
}

void *fm_object_find(const struct fm_object *object, const char *name, uint32_t hash)
{
    struct choice choice = {NULL, 0};
    if (object->gnu_hash)
        search_gnu_hash(object, name, hash, &choice);
    else
        search_hash(object, name, &choice);
    if (choice.versions != 1)
        return NULL;
    uintptr_t base = choice.symbol->st_shndx == SHN_ABS ? 0 : object->base, at = base + choice.symbol->st_value;
    return ELF64_ST_TYPE(choice.symbol->st_info) == STT_GNU_IFUNC ? resolve_ifunc(at) : (void *)at;
}

/* ---- lookup by address ---- */

/* One more than the number of the last symbol. */
static uint32_t end_of_symbols(const struct fm_object *object)
{
    if (object->hash)
        return object->hash[1];
    struct gnu_hash table = read_gnu_hash(object);
    uint32_t last = 0;
    for (uint32_t i = 0; i < table.n_buckets; i++)
        last = table.buckets[i] > last ? table.buckets[i] : last;
    if (last < table.first)
        return 0;
    while (!(table.hashes[last] & 1))
        last++;
    return last + 1;
}

const char *fm_object_function_at(const struct fm_object *object, uintptr_t address)
{
    uint32_t end = end_of_symbols(object);
    for (uint32_t i = 1; i < end; i++) {
        const ElfW(Sym) *symbol = &object->symbols[i];
        if (is_definition(symbol) && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
            address - object->base - symbol->st_value < symbol->st_size)
            return object->strings + symbol->st_name;
    }
    return NULL;
}
