/* SPDX-License-Identifier: BSD-3-Clause */
/* A small reader of 64-bit ELF files of this machine's byte order: enough to tell how a program is linked and what
 * it defines. The file is hostile until checked: every offset and count is compared with the file's size, and names
 * end within their table. Only what is asked for is read. Memory lies in the reader's own arena. */
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
    const char *interpreter; /* "" when it has none, as static programs */
    const char *soname;
    const char *library_path; /* where it says that its libraries are: directories, "a:b"; "" when it does not */
    const char **needed;      /* libraries it names itself */
    size_t n_needed, needed_capacity;
    char build_id[65]; /* hex or "" */
    /* symbol tables of the file */
    struct fm_elf_symbols {
        uint64_t offset, n;
        const char *names;
        size_t names_bytes;
    } symbols[2]; /* .symtab, .dynsym; n == 0: none */
};

/* FM_ERR_INPUT: no such file (not an ELF file, for other machines, damaged); FM_ERR_SYSTEM: cannot be read. */
enum fm_status fm_elf_open(struct fm_elf *elf, const char *path, struct fm_error *error);
void fm_elf_close(struct fm_elf *elf);

enum fm_elf_symbol { FM_ELF_ABSENT, FM_ELF_USED, FM_ELF_DEFINED };
/* Whether the file itself defines the function `name`, or only uses it. */
enum fm_elf_symbol fm_elf_find(const struct fm_elf *elf, const char *name);

#endif
