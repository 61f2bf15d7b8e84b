/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "symbols/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far above any real program; they limit what a hostile file can cost. */
enum { MAX_HEADERS = 65536, MAX_DYNAMIC = 65536, MAX_NOTES = 1 << 20, MAX_NOTE_PARTS = 32 };
static const uint64_t max_names = (uint64_t)1 << 31;

static bool inside(const struct fm_elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->size && bytes <= elf->size - offset;
}

static bool read_at(const struct fm_elf *elf, uint64_t offset, void *to, uint64_t bytes)
{
    char *at = to;
    if (!inside(elf, offset, bytes))
        return false;
    while (bytes > 0) {
        ssize_t n = pread(elf->fd, at, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        offset += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return true;
}

/* Bytes of the file in the arena, followed by a NUL; NULL if not in the file, or out of memory. */
static char *load(struct fm_elf *elf, uint64_t offset, uint64_t bytes)
{
    if (!inside(elf, offset, bytes))
        return NULL;
    char *copy = fm_arena_alloc(&elf->arena, bytes + 1);
    return copy && read_at(elf, offset, copy, bytes) ? copy : NULL;
}

/* Converts a virtual address to an offset in the file; false if it is in no loaded segment. */
static bool to_offset(const Elf64_Phdr *headers, size_t n, uint64_t address, uint64_t *offset)
{
    for (size_t i = 0; i < n; i++) {
        const Elf64_Phdr *header = &headers[i];
        if (header->p_type == PT_LOAD && address >= header->p_vaddr && address - header->p_vaddr < header->p_filesz) {
            *offset = header->p_offset + (address - header->p_vaddr);
            return *offset >= header->p_offset;
        }
    }
    return false;
}

static bool add_needed(struct fm_elf *elf, const char *name)
{
    if (elf->n_needed == elf->needed_capacity) {
        const char **grown = fm_arena_grow(&elf->arena, elf->needed, &elf->needed_capacity, elf->n_needed + 1,
                                           sizeof *grown);
        if (!grown)
            return false;
        elf->needed = grown;
    }
    elf->needed[elf->n_needed++] = name;
    return true;
}

static bool read_dynamic(struct fm_elf *elf, const Elf64_Phdr *headers, size_t n, const Elf64_Phdr *dynamic)
{
    uint64_t count = dynamic->p_filesz / sizeof(Elf64_Dyn), names_at = 0, names_bytes = 0, offset;
    if (count > MAX_DYNAMIC)
        return false;
    const Elf64_Dyn *items = (const void *)load(elf, dynamic->p_offset, count * sizeof *items);
    if (!items)
        return false;
    for (uint64_t i = 0; i < count && items[i].d_tag != DT_NULL; i++) {
        if (items[i].d_tag == DT_STRTAB)
            names_at = items[i].d_un.d_ptr;
        if (items[i].d_tag == DT_STRSZ)
            names_bytes = items[i].d_un.d_val;
    }
    elf->dynamic = true;
    if (names_bytes == 0)
        return true;
    if (names_bytes > max_names || !to_offset(headers, n, names_at, &offset))
        return false;
    const char *names = load(elf, offset, names_bytes);
    if (!names)
        return false;
    for (uint64_t i = 0; i < count && items[i].d_tag != DT_NULL; i++) {
        bool paths = items[i].d_tag == DT_RUNPATH || items[i].d_tag == DT_RPATH;
        bool wanted = items[i].d_tag == DT_NEEDED || items[i].d_tag == DT_SONAME || paths;
        if (wanted && items[i].d_un.d_val >= names_bytes)
            return false;
        if (items[i].d_tag == DT_SONAME)
            elf->soname = names + items[i].d_un.d_val;
        if (paths)
            elf->library_path = names + items[i].d_un.d_val;
        if (items[i].d_tag == DT_NEEDED && !add_needed(elf, names + items[i].d_un.d_val))
            return false;
    }
    return true;
}

static void set_build_id(struct fm_elf *elf, const unsigned char *bytes, size_t n)
{
    if (n > (sizeof elf->build_id - 1) / 2)
        n = (sizeof elf->build_id - 1) / 2;
    for (size_t i = 0; i < n; i++)
        snprintf(elf->build_id + 2 * i, 3, "%02x", bytes[i]);
}

/* A damaged note is ignored: the program can run with it. */
static void read_notes(struct fm_elf *elf, const Elf64_Phdr *header)
{
    uint64_t size = header->p_filesz, at = 0;
    const char *notes = size <= MAX_NOTES ? load(elf, header->p_offset, size) : NULL;
    while (notes && at + sizeof(Elf64_Nhdr) <= size) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        uint64_t name = at + sizeof note, text = name + (((uint64_t)note.n_namesz + 3) & ~(uint64_t)3),
                 end = text + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
        if (text > size || text + note.n_descsz > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0)
            set_build_id(elf, (const unsigned char *)notes + text, note.n_descsz);
        at = end;
    }
}

static bool read_program_headers(struct fm_elf *elf, const Elf64_Ehdr *head)
{
    size_t n = head->e_phnum;
    if (n == 0)
        return true;
    if (head->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    const Elf64_Phdr *headers = (const void *)load(elf, head->e_phoff, n * sizeof *headers);
    if (!headers)
        return false;
    size_t note_parts = 0;
    for (size_t i = 0; i < n; i++) {
        const Elf64_Phdr *header = &headers[i];
        if (header->p_type == PT_INTERP && !*elf->interpreter) {
            elf->interpreter = header->p_filesz <= 4096 ? load(elf, header->p_offset, header->p_filesz) : NULL;
            if (!elf->interpreter)
                return false;
        }
        if (header->p_type == PT_NOTE && note_parts++ < MAX_NOTE_PARTS)
            read_notes(elf, header);
        if (header->p_type == PT_DYNAMIC && !elf->dynamic && !read_dynamic(elf, headers, n, header))
            return false;
    }
    return true;
}

static bool read_sections(struct fm_elf *elf, const Elf64_Ehdr *head)
{
    size_t n = head->e_shnum;
    if (n == 0 || head->e_shoff == 0) /* no section headers: allowed */
        return true;
    if (head->e_shentsize != sizeof(Elf64_Shdr) || n > MAX_HEADERS)
        return false;
    const Elf64_Shdr *sections = (const void *)load(elf, head->e_shoff, n * sizeof *sections);
    if (!sections)
        return false;
    for (size_t i = 0; i < n; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)
            continue;
        struct fm_elf_symbols *symbols = &elf->symbols[section->sh_type == SHT_DYNSYM];
        if (section->sh_link >= n || !inside(elf, section->sh_offset, section->sh_size))
            return false;
        if (symbols->names) /* valid files have only one of each kind */
            continue;
        const Elf64_Shdr *names = &sections[section->sh_link];
        if (names->sh_size > max_names)
            return false;
        symbols->names = load(elf, names->sh_offset, names->sh_size);
        if (!symbols->names)
            return false;
        symbols->names_bytes = names->sh_size;
        symbols->offset = section->sh_offset;
        symbols->n = section->sh_size / sizeof(Elf64_Sym);
    }
    return true;
}

static enum fm_status check_head(const struct fm_elf *elf, const char *path, Elf64_Ehdr *head, struct fm_error *error)
{
    const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    memset(head, 0, sizeof *head);
    if (!read_at(elf, 0, head->e_ident, sizeof head->e_ident) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return fm_fail(error, FM_ERR_INPUT, "%s: not an ELF file", path);
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != order)
        return fm_fail(error, FM_ERR_INPUT, "%s: ELF file for another architecture", path);
    if (!read_at(elf, 0, head, sizeof *head) || head->e_ident[EI_VERSION] != EV_CURRENT)
        return fm_fail(error, FM_ERR_INPUT, "%s: damaged ELF file", path);
    return FM_OK;
}

enum fm_status fm_elf_open(struct fm_elf *elf, const char *path, struct fm_error *error)
{
    struct stat st;
    Elf64_Ehdr head;
    memset(elf, 0, sizeof *elf);
    elf->interpreter = elf->soname = elf->library_path = "";
    elf->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (elf->fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    enum fm_status status = FM_OK;
    if (fstat(elf->fd, &st) != 0 || !S_ISREG(st.st_mode))
        status = fm_fail(error, FM_ERR_INPUT, "%s: not a regular file", path);
    elf->size = status == FM_OK ? (uint64_t)st.st_size : 0;
    if (status == FM_OK)
        status = check_head(elf, path, &head, error);
    if (status == FM_OK) {
        elf->machine = head.e_machine;
        elf->type = head.e_type;
        if (!read_program_headers(elf, &head) || !read_sections(elf, &head))
            status = fm_fail(error, FM_ERR_INPUT, "%s: damaged ELF file", path);
    }
    if (status != FM_OK)
        fm_elf_close(elf);
    return status;
}

void fm_elf_close(struct fm_elf *elf)
{
    if (elf->fd >= 0)
        close(elf->fd);
    elf->fd = -1;
    fm_arena_destroy(&elf->arena);
    memset(elf->symbols, 0, sizeof elf->symbols);
    elf->needed = NULL;
    elf->n_needed = elf->needed_capacity = 0;
}

static enum fm_elf_symbol find_in(const struct fm_elf *elf, const struct fm_elf_symbols *symbols, const char *name)
{
    enum { CHUNK = 512 };
    Elf64_Sym chunk[CHUNK] = {0};
    enum fm_elf_symbol found = FM_ELF_ABSENT;
    for (uint64_t at = 0; at < symbols->n; at += CHUNK) {
        uint64_t n = symbols->n - at < CHUNK ? symbols->n - at : CHUNK;
        if (!read_at(elf, symbols->offset + at * sizeof *chunk, chunk, n * sizeof *chunk))
            return found;
        for (uint64_t i = 0; i < n; i++) {
            if (chunk[i].st_name >= symbols->names_bytes || strcmp(symbols->names + chunk[i].st_name, name) != 0)
                continue;
            if (chunk[i].st_shndx != SHN_UNDEF)
                return FM_ELF_DEFINED;
            found = FM_ELF_USED;
        }
    }
    return found;
}

enum fm_elf_symbol fm_elf_find(const struct fm_elf *elf, const char *name)
{
    enum fm_elf_symbol symtab = find_in(elf, &elf->symbols[0], name), dynamic = find_in(elf, &elf->symbols[1], name);
    return symtab > dynamic ? symtab : dynamic;
}
