/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/stack_bounds.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/platform.h"
#include "runtime/signal/stacks.h"

extern void *__libc_stack_end; /* from the loader: where the first thread's stack begins */

enum { MAX_BYTES = 1 << 30 }; /* without a limit, mappings start far below the stack and grow upwards */

/* Reads /proc/self/maps line by line and parses only the beginning of each line: "start-end rw-p ...". Does not use
 * libc, whose functions are wrapped for the program, and whose wrappers would take a lock that the caller may hold. */
struct lines {
    int fd;
    size_t at, n;
    char text[1024];
};

static struct lines open_mappings(void)
{
    return (struct lines){.fd = (int)fm_kernel(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC)};
}

static void close_mappings(const struct lines *lines)
{
    fm_kernel(SYS_close, lines->fd);
}

static int next_character(struct lines *lines)
{
    if (lines->at == lines->n) {
        long n = fm_kernel(SYS_read, lines->fd, lines->text, sizeof lines->text);
        lines->at = 0;
        lines->n = n > 0 ? (size_t)n : 0;
    }
    return lines->n ? (unsigned char)lines->text[lines->at++] : -1;
}

struct mapping {
    uintptr_t start, end;
    bool writable, readable;
};

static bool next_mapping(struct lines *lines, struct mapping *mapping)
{
    enum { PREFIX_BYTES = 40 };
    char text[PREFIX_BYTES + 1] = "", *minus, *blank = "";
    int c, n = 0;
    while ((c = next_character(lines)) >= 0 && c != '\n')
        if (n < PREFIX_BYTES)
            text[n++] = (char)c;
    mapping->start = strtoul(text, &minus, 16);
    mapping->end = *minus == '-' ? strtoul(minus + 1, &blank, 16) : 0;
    mapping->readable = *blank == ' ' && blank[1] == 'r';
    mapping->writable = mapping->readable && blank[2] == 'w';
    return c >= 0 && mapping->end;
}

/* End of the last mapping below the one that contains an address; 0 if unknown. */
static uintptr_t end_of_mapping_below(uintptr_t address)
{
    struct lines lines = open_mappings();
    struct mapping mapping;
    uintptr_t below = 0;
    bool found = false;
    if (lines.fd < 0)
        return 0;
    while (!found && next_mapping(&lines, &mapping)) {
        found = address >= mapping.start && address < mapping.end;
        below = found ? below : mapping.end;
    }
    close_mappings(&lines);
    return found ? below : 0;
}

/* Arguments and environment are above the first frame and count towards the limit; the topmost of them is the program's
 * name. */
struct fm_stack_bounds fm_first_stack_limit(void)
{
    struct rlimit limit;
    struct fm_stack_bounds stack = {.end = (uintptr_t)__libc_stack_end};
    uintptr_t top = getauxval(AT_EXECFN);
    bool limited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < MAX_BYTES;
    stack.low = (top > stack.end ? top : stack.end) - (limited ? (uintptr_t)limit.rlim_cur : MAX_BYTES);
    return stack;
}

struct fm_stack_bounds fm_first_stack(void)
{
    struct fm_stack_bounds stack = fm_first_stack_limit();
    uintptr_t below = end_of_mapping_below(stack.end - 1);
    if (below > stack.low)
        stack.low = below;
    return stack;
}

void fm_stacks_find(void)
{
    struct lines lines = open_mappings();
    struct mapping before = {0}, mapping;
    bool room = true;
    if (lines.fd < 0)
        return;
    for (; room && next_mapping(&lines, &mapping); before = mapping)
        if (mapping.writable && !before.readable && before.end == mapping.start)
            room = fm_stacks_add(mapping.start, mapping.end);
    close_mappings(&lines);
}

/* Above its first frame a thread's stack holds the thread-local data, which may be large. */
size_t fm_stack_room(const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    size_t bytes = 0, guard = 0;
    if (!attributes && pthread_attr_init(&usual) != 0)
        return 0;
    pthread_attr_getstacksize(attributes ? attributes : &usual, &bytes);
    pthread_attr_getguardsize(attributes ? attributes : &usual, &guard);
    if (!attributes)
        pthread_attr_destroy(&usual);
    return bytes > guard ? (bytes - guard) / 4 * 3 : 0;
}
