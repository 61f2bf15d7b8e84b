/* SPDX-License-Identifier: BSD-3-Clause */
/* How long it takes to name addresses: bench/symbols MODULE ADDRESSES CACHE THREADS
 * Takes addresses spread evenly over the code of the module, resolves them, prints seconds and what was found. */
#include "symbols/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

/* Where the code of a program lies: its executable segment. */
static void find_code(const char *path, uint64_t *start, uint64_t *size)
{
    int fd = open(path, O_RDONLY);
    const Elf64_Ehdr *head = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    if (head == MAP_FAILED)
        exit(1);
    const Elf64_Phdr *headers = (const void *)((const char *)head + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_X))
            continue;
        *start = headers[i].p_vaddr;
        *size = headers[i].p_memsz;
    }
    close(fd);
}

static void say(void *context, const char *sentence)
{
    (void)context;
    fprintf(stderr, "%s\n", sentence);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    uint64_t start = 0, size = 0, n = strtoull(argv[2], NULL, 10), named = 0, frames = 0, lines = 0;
    find_code(argv[1], &start, &size);
    uint64_t begin = fm_clock_ns(CLOCK_MONOTONIC);
    struct fm_symbols_options options = {.cache = argv[3], .threads = (unsigned)atoi(argv[4]), .say = say};
    struct fm_symbols *symbols = fm_symbols_create(&options);
    for (uint64_t i = 0; i < n; i++)
        fm_symbols_want(symbols, &(struct fm_site){argv[1], "", start + i * size / n}, FM_SAMPLED_ADDRESS);
    fm_symbols_resolve(symbols);
    uint64_t end = fm_clock_ns(CLOCK_MONOTONIC);
    for (uint64_t i = 0; i < n; i++) {
        struct fm_site site = {argv[1], "", start + i * size / n};
        struct fm_frames found = fm_symbols_find(symbols, &site, FM_SAMPLED_ADDRESS);
        named += found.known;
        frames += found.n;
        lines += found.items[found.n - 1].line != 0;
    }
    printf("%.3f s, %llu named, %llu with lines, %llu frames\n", (double)(end - begin) * 1e-9,
           (unsigned long long)named, (unsigned long long)lines, (unsigned long long)frames);
    fm_symbols_destroy(symbols);
    return 0;
}
