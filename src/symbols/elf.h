/* SPDX-License-Identifier: BSD-3-Clause */
/* A small reader of 64-bit ELF files with the byte order of this machine: enough to determine how a program is linked
 * and what it defines. The file is not trusted: every offset and count is compared with the file size, and names end
 * within their table. Only what is requested is read. Memory is allocated from the reader's own arena. */
#ifndef FM_SYMBOLS_ELF_H
#define FM_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct fm_elf {
    struct fm_arena arena;
    int fd;
    uint64_t size;
    uint16_t machine, type;  /* EM_*, ET_* */
    bool dynamic;            /* has a dynamic section */
    const char *interpreter; /* "" if it has none, such as static programs */
    const char *soname;
    const char *library_path; /* its RUNPATH or RPATH: directories "a:b", or "" */
    const char **needed;      /* its direct dependencies (DT_NEEDED) */
    size_t n_needed, needed_capacity;
    char build_id[65]; /* hex or "" */
    /* symbol tables of the file */
    struct fm_elf_symbols {
        uint64_t offset, n;
        const char *names;
        size_t names_bytes;
    } symbols[2]; /* .symtab, .dynsym; n == 0: none */
};

/* FM_ERR_INPUT: not a valid file (not ELF, for another architecture, damaged); FM_ERR_SYSTEM: cannot be read. */
enum fm_status fm_elf_open(struct fm_elf *elf, const char *path, struct fm_error *error);
void fm_elf_close(struct fm_elf *elf);

enum fm_elf_symbol { FM_ELF_ABSENT, FM_ELF_USED, FM_ELF_DEFINED };
/* Whether the file itself defines the function `name`, or only refers to it. */
enum fm_elf_symbol fm_elf_find(const struct fm_elf *elf, const char *name);

#endif
