/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/compiler.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf.h"

enum { MAX_UNITS = 64, MAX_COMMENT = 4096 };

/* The first number with a dot: "12.2.0" of "GNU Fortran2008 12.2.0 -mlittle-endian". */
static size_t version_in(const char *text, const char **version)
{
    for (const char *at = text; *at; at++) {
        size_t length = strspn(at, "0123456789.");
        bool starts = at == text || !isalnum((unsigned char)at[-1]);
        if (starts && isdigit((unsigned char)*at) && memchr(at, '.', length)) {
            *version = at;
            while (length && at[length - 1] == '.')
                length--;
            return length;
        }
        at += length ? length - 1 : 0;
    }
    return 0;
}

/* Known names, in the order in which they are looked for; another compiler is not named. */
static const struct {
    const char *mark, *name;
} compilers[] = {
    {"flang", "flang"},         {"clang version", "clang"}, {"GNU Fortran", "GNU Fortran"},
    {"GNU C++", "GNU C++"},     {"GNU C", "GNU C"},         {"Intel(R)", "Intel"},
    {"nvfortran", "nvfortran"}, {"NVC++", "NVC++"},         {"nvc", "nvc"},
    {"Cray", "Cray"},           {"rustc", "rustc"},         {"GCC:", "GCC"},
};
enum { COMPILERS = sizeof compilers / sizeof *compilers };

/* Its place in the table; COMPILERS if it is unknown. */
static size_t compiler_in(const char *text, char compiler[FM_COMPILER_CHARS])
{
    const char *version;
    size_t length = version_in(text, &version), i = 0;
    while (i < COMPILERS && !strstr(text, compilers[i].mark))
        i++;
    if (i < COMPILERS && length)
        snprintf(compiler, FM_COMPILER_CHARS, "%s %.*s", compilers[i].name, (int)(length < 20 ? length : 20), version);
    return length ? i : COMPILERS;
}

/* Producers of the first units; true if one was found. */
static bool from_units(Dwarf *dwarf, bool fortran, char compiler[FM_COMPILER_CHARS])
{
    Dwarf_Off at = 0, next;
    size_t header;
    bool found = false;
    for (int i = 0; i < MAX_UNITS && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0; i++, at = next) {
        Dwarf_Die die;
        Dwarf_Attribute attribute;
        char name[FM_COMPILER_CHARS] = "";
        const char *producer = dwarf_offdie(dwarf, at + header, &die)
                                   ? dwarf_formstring(dwarf_attr(&die, DW_AT_producer, &attribute))
                                   : NULL;
        if (!producer || compiler_in(producer, name) == COMPILERS)
            continue;
        bool wanted = fortran && (strstr(name, "ortran") || strstr(name, "flang"));
        if (!found || wanted)
            snprintf(compiler, FM_COMPILER_CHARS, "%s", name);
        found = true;
        if (!fortran || wanted)
            break;
    }
    return found;
}

/* Start files of another compiler leave their mark too: "GCC:" comes last in the table. */
static void from_comment(Elf *elf, char compiler[FM_COMPILER_CHARS])
{
    size_t names, best = COMPILERS;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        Elf_Data *data = name && !strcmp(name, ".comment") ? elf_getdata(section, NULL) : NULL;
        if (!data || !data->d_buf)
            continue;
        char text[MAX_COMMENT + 1] = "", found[FM_COMPILER_CHARS];
        size_t size = data->d_size < MAX_COMMENT ? data->d_size : MAX_COMMENT;
        memcpy(text, data->d_buf, size);
        for (const char *line = text; line < text + size; line += strlen(line) + 1) {
            size_t place = compiler_in(line, found);
            if (place < best) {
                best = place;
                snprintf(compiler, FM_COMPILER_CHARS, "%s", found);
            }
        }
    }
}

/* Whether it is still the file that ran. */
static bool is_program(const char *path, const char *build_id)
{
    struct fm_elf elf;
    if (fm_elf_open(&elf, path, NULL) != FM_OK)
        return false;
    bool same = !*build_id || !strcmp(elf.build_id, build_id);
    fm_elf_close(&elf);
    return same;
}

const char *fm_compiler_of(const char *path, const char *build_id, bool fortran, char compiler[FM_COMPILER_CHARS])
{
    compiler[0] = '\0';
    int fd = *path && is_program(path, build_id) ? open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC) : -1;
    if (fd < 0)
        return compiler;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (elf && !(dwarf && from_units(dwarf, fortran, compiler)))
        from_comment(elf, compiler);
    if (dwarf)
        dwarf_end(dwarf);
    if (elf)
        elf_end(elf);
    close(fd);
    return compiler;
}
