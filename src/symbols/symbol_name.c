/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/symbol_name.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/outlined.h"

/* The length of a name without the suffixes that gcc and clang append to clones and to outlined bodies. */
static size_t length_without_clone(const char *symbol)
{
    size_t base;
    if (fm_outlined_symbol(symbol, &base))
        return base > 0 ? base : strlen(symbol);
    static const char *const clones[] = {"isra", "constprop", "part", "cold", "lto_priv", "localalias", "llvm", "warm"};
    size_t length = strlen(symbol);
    for (const char *dot = strchr(symbol + (*symbol == '.'), '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t word = strcspn(dot + 1, ".");
        bool known = word > 0 && strspn(dot + 1, "0123456789") == word && dot[1 + word] == 0;
        for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
            known |= strlen(clones[i]) == word && strncmp(dot + 1, clones[i], word) == 0;
        if (known && dot > symbol)
            return (size_t)(dot - symbol);
    }
    return length;
}

static const char *demangled(struct fm_arena *arena, const char *symbol)
{
    char *name = cplus_demangle(symbol, DMGL_NO_OPTS);
    const char *copy = name ? fm_arena_strndup(arena, name, strlen(name)) : symbol;
    free(name);
    return copy;
}

static const char *joined(struct fm_arena *arena, const char *module, size_t length, const char *procedure, size_t rest)
{
    char *name = fm_arena_alloc(arena, length + 2 + rest + 1);
    if (!name)
        return NULL;
    snprintf(name, length + 2 + rest + 1, "%.*s::%.*s", (int)length, module, (int)rest, procedure);
    return name;
}

/* A name as Fortran compilers mangle "dgemm": no capitals, one underscore at the end and none at the start. */
static bool ends_like_fortran(const char *symbol, size_t length)
{
    if (length < 2 || symbol[length - 1] != '_' || symbol[length - 2] == '_' || symbol[0] == '_')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)symbol[i]) && !isdigit((unsigned char)symbol[i]) && symbol[i] != '_')
            return false;
    return true;
}

const char *fm_symbol_name(struct fm_arena *arena, const char *symbol)
{
    size_t length = length_without_clone(symbol);
    if (symbol[length]) {
        symbol = fm_arena_strndup(arena, symbol, length);
        if (!symbol)
            return NULL;
    }
    if (symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R'))
        return demangled(arena, symbol);
    const char *within = strstr(symbol, "_MOD_");
    if (within && strncmp(symbol, "__", 2) == 0 && within > symbol + 2 && within[5])
        return joined(arena, symbol + 2, (size_t)(within - symbol - 2), within + 5, strlen(within + 5));
    if (!ends_like_fortran(symbol, length))
        return symbol;
    within = strstr(symbol, "_mp_");
    if (within && within > symbol && within + 5 < symbol + length)
        return joined(arena, symbol, (size_t)(within - symbol), within + 4, strlen(within + 4) - 1);
    return fm_arena_strndup(arena, symbol, length - 1);
}
