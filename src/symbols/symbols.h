/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbolization: functions, files, lines and inlined frames of sites in load modules, using elfutils.
 *
 * All sites are requested first, then resolved together, because the cost of reading debug information is per module
 * and not per address; afterwards each site is looked up:
 *
 *   symbols = fm_symbols_create(&options);
 *   fm_symbols_want(symbols, &site, FM_RETURN_ADDRESS);        for every site; any number of times
 *   fm_symbols_resolve(symbols);                               multithreaded; can be called again after more requests
 *   frames = fm_symbols_find(symbols, &site, FM_RETURN_ADDRESS);
 *
 * A site gives one frame, or several if functions were inlined, outermost first:
 *
 *   items[0]      main           main.c:12      the function that contains the address; at line 12 it calls
 *   items[1]      solve          solve.c:30     inlined into it; at its line 30 it calls
 *   items[n - 1]  dot            dot.h:7        also inlined; the line of the address itself
 *
 * So items[i - 1].path and .line are the call site of items[i], and items[0] is called from the caller in the call
 * path. A Fortran statement that continues over several lines has the number of its first line. Debug information gives
 * some calls in Fortran the line of a declaration: a more plausible one is looked for in the source. What is not in the
 * debug information comes from symbol tables (a name, no line). If they have no name either,
 * there is one frame called "pop+0x4a3c" and `known` is false.
 *
 * Modules whose files are missing or are not those of the run are reported once, through options.say; their addresses
 * stay unknown. Nothing else can fail except for lack of memory; addresses stay unknown then too. The network is never
 * used: DEBUGINFOD_URLS is set to "" in the environment.
 *
 * Memory: all strings and frames belong to the struct and stay valid until it is destroyed. Equal strings (functions,
 * paths, modules) are equal pointers. Not thread-safe: one thread at a time. */
#ifndef FM_SYMBOLS_SYMBOLS_H
#define FM_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/profile.h"

struct fm_symbols_options {
    const char *debug_path; /* directories of separate debug files, "a:b", before the system's; NULL or "": none */
    const char *directory;  /* base of relative module paths (that of the job); NULL or "": the current directory */
    const char *cache;      /* cache directory, created if needed; NULL or "": no cache */
    bool no_modules;        /* files of programs are not read: no address has a name */
    unsigned threads;       /* maximum; 0: the number of processors */
    uid_t owner;            /* of the profile: source files this user could not read are not shown; 0: all are */
    void (*say)(void *context, const char *sentence); /* NULL: no messages */
    void *context;
};

/* The kind of address of a site: a return address belongs to the call before it. */
enum fm_address { FM_RETURN_ADDRESS, FM_SAMPLED_ADDRESS };

struct fm_symbol {
    const char *function; /* "pcg", "ocean::step", "std::vector<int>::push_back", "pop+0x4a3c" */
    const char *path;     /* source file of `line`, with its directory; "" if unknown */
    const char *file;     /* last component of path */
    uint32_t line;        /* of the statement executed here, or that calls the next frame; 0 if unknown */
    const char *defined;  /* path of the file that defines the function; "" if unknown */
    uint32_t defined_line;
    bool inlined;     /* into the previous frame */
    bool approximate; /* line: debug information has one that cannot be */
    const char
        *body; /* if it is the body of an OpenMP region of the function: its symbol, "step._omp_fn.0"; else NULL */
    uint32_t nearby; /* another line of the function with code close to this, in Fortran; 0 if unknown */
};

struct fm_frames {
    const struct fm_symbol *items; /* outermost first */
    size_t n;                      /* at least 1 */
    bool known;                    /* false: no name found, items[0].function is module + offset */
};

struct fm_symbols;

struct fm_symbols *fm_symbols_create(const struct fm_symbols_options *options); /* NULL if out of memory */
/* The symbols of a profile, with the usual cache. `say` is told what cannot be found; it may be NULL. */
struct fm_symbols *fm_symbols_for(const struct fm_profile *profile, const char *debug_path,
                                  void (*say)(void *context, const char *sentence), void *context);
void fm_symbols_destroy(struct fm_symbols *symbols); /* may be NULL */

void fm_symbols_want(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind);
void fm_symbols_resolve(struct fm_symbols *symbols);
struct fm_frames fm_symbols_find(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind);

/* Functions that left the stack between a call and the function found below it, because they ended with a tail call: a
 * jump to the next function, which replaces their frame. They are inferred from debug information, which says what a
 * call calls and which tail calls a function has. To be requested after the two sites are resolved; then call
 * fm_symbols_resolve again. */
struct fm_tail_frames {
    const struct fm_frames *items; /* outermost first; the line of the last frame of each is its tail call; 0 if it is
                                    * one of several */
    size_t n;
    const char *module; /* path of the load module of all of them */
    bool unknown;       /* more than one sequence is possible, or none is known: only the first is certain */
};
struct fm_below {
    const struct fm_site *site;
    enum fm_address kind;
    const char *names; /* without a site: the names of a function of another load module, "MPI_Send|mpi_send_" */
    bool from_runtime; /* the call is in a thread run-time: it calls the bodies of parallel regions */
};
void fm_symbols_want_between(struct fm_symbols *symbols, const struct fm_site *call, struct fm_below below);
struct fm_tail_frames fm_symbols_between(struct fm_symbols *symbols, const struct fm_site *call, struct fm_below below);

/* Sets the frames of a site in advance: it is not looked up in files. */
void fm_symbols_know(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind,
                     const struct fm_symbol *frames, size_t n);

struct fm_function_visitor {
    bool (*wants)(void *context, const char *module); /* whether to read a load module, by its path */
    void (*visit)(void *context, const char *function, const char *file); /* file: that defines it; "" if unknown */
    void *context;
};
/* Visits all functions of the load modules of which sites have been requested, as far as their files are there. */
void fm_symbols_functions(struct fm_symbols *symbols, const struct fm_function_visitor *visitor);

/* The text of a source line without indentation and trailing white space; NULL if there is no such file or line, or if
 * it must not be shown (owner_files.h). */
const char *fm_symbols_source(struct fm_symbols *symbols, const char *path, uint32_t line);

/* The whole text of a source file, in the arena; NULL if there is no such file, if it must not be shown, is not below one
 * of the directories (a list that ends with NULL; links are resolved), is larger than 2 MiB, or is not text. */
const char *fm_symbols_source_file(struct fm_symbols *symbols, const char *path, const char *const *directories,
                                   struct fm_arena *arena);

/* Writes the cache directory according to the XDG specification to the buffer; "" if there is no home directory that is
 * ours. */
const char *fm_symbols_cache_directory(char *buffer, size_t size);

#endif
