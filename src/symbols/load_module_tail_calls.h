/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail calls in functions of one load module, read from debug information. A function is given and returned by its
 * identity (call_sites.h). Only for symbols*.c. */
#ifndef FM_SYMBOLS_LOAD_MODULE_TAIL_CALLS_H
#define FM_SYMBOLS_LOAD_MODULE_TAIL_CALLS_H

#include "symbols/load_module_files.h"

struct fm_tail_call {
    const char *from, *to; /* `to` can be in another load module; "": any function, by an indirect call or one that is
                            * not in the debug information */
    uint64_t address;      /* within the instruction; 0 if unknown */
};

struct fm_tail_call_list {
    struct fm_tail_call *items;
    size_t n, capacity;
};

/* Stands for the function of a thread run-time that calls outlined bodies (outlined.h): those that have tail calls
 * themselves are its tail calls, with address 0. */
#define FM_ANY_BODY "|body"

struct fm_tail_call_reader;

struct fm_tail_call_reader *fm_tail_calls_open(const struct fm_load_module_files *files); /* NULL: nothing to read */
void fm_tail_calls_close(struct fm_tail_call_reader *reader);
/* Appends the tail calls of a function, and before them, if it is in this module, the function itself with the address
 * of its entry. Strings belong to the reader. */
void fm_tail_calls_read(struct fm_tail_call_reader *reader, const char *function, struct fm_tail_call_list *list);

#endif
