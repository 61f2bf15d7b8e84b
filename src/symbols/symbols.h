/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for addresses: functions, files, lines and inlined frames of sites in load modules, found with elfutils.
 *
 * All that is wanted is said first, then resolved in one go, because reading debug information pays by the module and
 * not by the address; afterwards each site is looked up:
 *
 *   symbols = fm_symbols_create(&options);
 *   fm_symbols_want(symbols, &site, FM_RETURN_ADDRESS);        for every site; any number of times
 *   fm_symbols_resolve(symbols);                               threads inside; can be called again after more wants
 *   frames = fm_symbols_find(symbols, &site, FM_RETURN_ADDRESS);
 *
 * A site gives one frame, or several where functions were inlined, outermost first:
 *
 *   items[0]      main           main.c:12      the function that the address lies in; at line 12 it calls
 *   items[1]      solve          solve.c:30     inlined into it; at its line 30 it calls
 *   items[n - 1]  dot            dot.h:7        inlined too; this line is what the address itself belongs to
 *
 * So items[i - 1].path and .line are where items[i] is called from, and items[0] is called from where the caller in
 * the call path stands. What is not in the debug information comes from symbol tables (a name, no line); where those
 * are silent too the one frame is called "pop+0x4a3c" and `known` is false.
 *
 * Modules whose files are missing or are not those of the run are told of once, through options.say; their addresses
 * stay unknown. Nothing else can fail but memory, and without memory addresses stay unknown as well. The network is never
 * asked: DEBUGINFOD_URLS is taken out of the environment.
 *
 * Memory: all texts and frames belong to the struct and stay until it is destroyed. Equal texts (functions, paths,
 * modules) are equal pointers. One thread at a time. */
#ifndef FM_SYMBOLS_SYMBOLS_H
#define FM_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/profile.h"

struct fm_symbols_options {
    const char *debug_path; /* directories with separate debug files, "a:b", before the system's; NULL or "": none */
    const char *directory;  /* what relative names of modules are relative to (the job's); NULL or "": here */
    const char *cache;      /* directory of the cache, made if needed; NULL or "": no cache */
    unsigned threads;       /* at most; 0: as many as there are processors */
    uid_t owner;            /* of the profile: source that this user could not read is not shown; 0: all */
    void (*say)(void *context, const char *sentence); /* NULL: in silence */
    void *context;
};

/* How the offset of a site is meant: a return address belongs to the call before it. */
enum fm_address { FM_RETURN_ADDRESS, FM_SAMPLED_ADDRESS };

struct fm_symbol {
    const char *function; /* "pcg", "ocean::step", "std::vector<int>::push_back", "pop+0x4a3c" */
    const char *path;     /* the source file of `line`, with its directory; "" when unknown */
    const char *file;     /* the last part of path */
    uint32_t line;        /* the statement that runs here, or that calls the next frame; 0 when unknown */
    const char *defined;  /* path of the file in which the function begins; "" when unknown */
    uint32_t defined_line;
    bool inlined; /* into the frame before it */
};

struct fm_frames {
    const struct fm_symbol *items; /* outermost first */
    size_t n;                      /* at least 1 */
    bool known;                    /* false: no name was found, items[0].function is module + offset */
};

struct fm_symbols;

struct fm_symbols *fm_symbols_create(const struct fm_symbols_options *options); /* NULL: no memory */
void fm_symbols_destroy(struct fm_symbols *symbols);                            /* NULL is fine */

void fm_symbols_want(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind);
void fm_symbols_resolve(struct fm_symbols *symbols);
struct fm_frames fm_symbols_find(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind);

/* What is to be answered for a site, told beforehand: nobody looks for it any more. */
void fm_symbols_know(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind,
                     const struct fm_symbol *frames, size_t n);

/* The text of a source line without its indentation and end; NULL when there is no such file or line, or when it is not
 * to be shown (owner_files.h). */
const char *fm_symbols_source(struct fm_symbols *symbols, const char *path, uint32_t line);

/* The directory of the cache by the rules of XDG, into the buffer; "" where there is no home of ours. */
const char *fm_symbols_cache_directory(char *buffer, size_t size);

#endif
