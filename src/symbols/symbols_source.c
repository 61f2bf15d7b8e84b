/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines; each file is read once, completely. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/symbols_table.h"

enum { MAX_SOURCE_BYTES = 64 << 20, MAX_SHOWN_BYTES = 2 << 20 };

struct fm_source_text {
    char **lines; /* NUL-terminated */
    size_t n;     /* 0: no such file */
    bool fixed_form;
};

/* The contents of a file in the arena, NUL-terminated; NULL if it cannot be read, is too large or not a regular
 * file. */
static char *read_text(struct fm_arena *arena, int fd, off_t max, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > max)
        return NULL;
    char *text = fm_arena_alloc(arena, (size_t)st.st_size + 1);
    *size = 0;
    while (text && *size < (size_t)st.st_size) {
        ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *size += (size_t)n;
    }
    return text;
}

static void split_lines(struct fm_arena *arena, struct fm_source_text *source, char *text, size_t size)
{
    size_t n = size > 0 && text[size - 1] != '\n';
    for (size_t i = 0; i < size; i++)
        n += text[i] == '\n';
    source->lines = fm_arena_alloc(arena, n * sizeof *source->lines);
    if (!source->lines)
        return;
    for (char *at = text; source->n < n; source->n++) {
        char *end = memchr(at, '\n', (size_t)(text + size - at));
        end = end ? end : text + size;
        *end = 0;
        for (char *last = end; last > at && (last[-1] == '\r' || last[-1] == ' ' || last[-1] == '\t'); last--)
            last[-1] = 0;
        source->lines[source->n] = at;
        at = end + 1;
    }
}

static int open_source(struct fm_symbols *symbols, const char *path)
{
    char *name = NULL;
    if (path[0] != '/' && symbols->options.directory[0] &&
        asprintf(&name, "%s/%s", symbols->options.directory, path) < 0)
        return -1;
    int fd = fm_owner_files_open(&symbols->source_files, name ? name : path);
    free(name);
    return fd;
}

static void load(struct fm_symbols *symbols, struct fm_source_text *source, const char *path)
{
    int fd = open_source(symbols, path);
    if (fd < 0)
        return;
    size_t size;
    char *text = read_text(&symbols->arena, fd, MAX_SOURCE_BYTES, &size);
    if (text)
        split_lines(&symbols->arena, source, text, size);
    close(fd);
}

static struct fm_source_text *source_of(struct fm_symbols *symbols, const char *path)
{
    struct fm_intern_slot *slot = fm_intern_put(&symbols->source_numbers, &symbols->arena, path, true);
    if (!slot)
        return NULL;
    if (slot->number)
        return &symbols->sources[slot->number - 1];
    if (symbols->n_sources == symbols->sources_capacity) {
        struct fm_source_text *grown = fm_arena_grow(&symbols->arena, symbols->sources, &symbols->sources_capacity,
                                                     symbols->n_sources + 1, sizeof *grown);
        if (!grown)
            return NULL;
        symbols->sources = grown;
    }
    struct fm_source_text *source = &symbols->sources[symbols->n_sources++];
    *source = (struct fm_source_text){0};
    slot->number = (uint32_t)symbols->n_sources;
    load(symbols, source, path);
    source->fixed_form = fm_fortran_is_source(path) && fm_fortran_is_fixed_form(path, source->lines, source->n);
    return source;
}

const char *fm_symbols_source(struct fm_symbols *symbols, const char *path, uint32_t line)
{
    struct fm_source_text *source = path[0] && line ? source_of(symbols, path) : NULL;
    return source && line <= source->n ? source->lines[line - 1] + strspn(source->lines[line - 1], " \t") : NULL;
}

bool fm_symbols_fortran(struct fm_symbols *symbols, const char *path, struct fm_fortran_source *source)
{
    const struct fm_source_text *found = fm_fortran_is_source(path) ? source_of(symbols, path) : NULL;
    if (!found || !found->n)
        return false;
    *source = (struct fm_fortran_source){found->lines, found->n, found->fixed_form};
    return true;
}

/* ---- whole files ---- */

static bool is_below(const char *path, const char *directory)
{
    char real[PATH_MAX];
    if (!realpath(directory, real))
        return false;
    size_t length = strlen(real);
    length -= length && real[length - 1] == '/'; /* the root */
    return strncmp(path, real, length) == 0 && path[length] == '/';
}

/* Of the file that was opened, whatever its name means by now. */
static bool is_allowed(int fd, const char *const *directories)
{
    char link[40], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0 || n == sizeof path - 1)
        return false;
    path[n] = 0;
    while (*directories && !is_below(path, *directories))
        directories++;
    return *directories != NULL;
}

const char *fm_symbols_source_file(struct fm_symbols *symbols, const char *path, const char *const *directories,
                                   struct fm_arena *arena)
{
    int fd = path[0] ? open_source(symbols, path) : -1;
    if (fd < 0)
        return NULL;
    size_t size = 0;
    char *text = is_allowed(fd, directories) ? read_text(arena, fd, MAX_SHOWN_BYTES, &size) : NULL;
    close(fd);
    return text && strlen(text) == size ? text : NULL;
}
