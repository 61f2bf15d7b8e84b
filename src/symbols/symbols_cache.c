/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/symbols_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/limits.h"
#include "base/sort.h"

static const char magic[] = "fathom symbols 6\n";
enum {
    MAGIC_BYTES = sizeof magic - 1,
    HEAD_BYTES = MAGIC_BYTES + sizeof(uint64_t),
    MAX_FRAMES = 1024,
    MAX_TAIL_CALLS = 1024
};

/* A module without a build id cannot be identified and is resolved anew each time. */
static bool is_cacheable(const struct fm_symbols *symbols, const struct fm_load_module_files *files)
{
    return symbols->options.cache[0] && files->build_id[0];
}

static bool file_name(char path[PATH_MAX], const struct fm_symbols *symbols, const char *name)
{
    int length = snprintf(path, PATH_MAX, "%s/symbols%s%s", symbols->options.cache, name[0] ? "/" : "", name);
    return length > 0 && length < PATH_MAX;
}

/* ---- reading ---- */

struct source {
    const uint8_t *at, *end;
    bool failed;
};

static uint64_t get_number(struct source *source)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && source->at < source->end; shift += 7) {
        uint8_t byte = *source->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    source->failed = true;
    return 0;
}

/* A count of items that take at least one byte each. */
static size_t get_count(struct source *source, uint64_t max)
{
    uint64_t count = get_number(source);
    if (count > max || count > (uint64_t)(source->end - source->at))
        source->failed = true;
    return source->failed ? 0 : (size_t)count;
}

static const char **get_texts(struct source *source, struct fm_symbols *symbols, struct fm_arena *arena, size_t *n)
{
    *n = get_count(source, FM_CACHE_FILE_BYTES);
    const char **texts = fm_arena_alloc(arena, *n * sizeof *texts);
    for (size_t i = 0; texts && i < *n && !source->failed; i++) {
        size_t length = get_count(source, FM_CACHE_FILE_BYTES);
        char *text = fm_arena_strndup(arena, (const char *)source->at, length);
        texts[i] = text ? fm_symbols_text(symbols, text) : NULL;
        source->at += length;
        source->failed |= !texts[i];
    }
    source->failed |= !texts;
    return texts;
}

static const char *get_text(struct source *source, const char **texts, size_t n)
{
    uint64_t number = get_number(source);
    source->failed |= number >= n;
    return source->failed ? "" : texts[number];
}

static uint32_t get_line(struct source *source)
{
    uint64_t line = get_number(source);
    source->failed |= line > UINT32_MAX;
    return (uint32_t)line;
}

static struct fm_symbol get_frame(struct source *source, const char **texts, size_t n)
{
    struct fm_symbol frame = {.file = ""};
    frame.function = get_text(source, texts, n);
    frame.path = get_text(source, texts, n);
    frame.defined = get_text(source, texts, n);
    frame.line = get_line(source);
    frame.nearby = get_line(source);
    frame.defined_line = get_line(source);
    frame.inlined = get_number(source) == 1;
    frame.body = get_text(source, texts, n);
    frame.body = frame.body[0] ? frame.body : NULL;
    source->failed |= frame.function[0] == 0;
    return frame;
}

static void get_address(struct source *source, struct fm_symbols *symbols, uint32_t module, uint64_t address,
                        const char **texts, size_t n_texts)
{
    struct fm_symbol frames[MAX_FRAMES];
    struct fm_resolved_address result = {.frames = frames};
    result.function = get_text(source, texts, n_texts);
    result.callee = get_text(source, texts, n_texts);
    result.n = get_count(source, MAX_FRAMES);
    for (size_t i = 0; i < result.n && !source->failed; i++)
        frames[i] = get_frame(source, texts, n_texts);
    struct fm_lookup *lookup = source->failed ? NULL : fm_symbols_put(symbols, module, address);
    if (lookup && !lookup->resolved)
        fm_symbols_answer(symbols, lookup, &result);
}

static void get_tail_calls(struct source *source, struct fm_symbols *symbols, uint32_t module, const char **texts,
                           size_t n_texts)
{
    struct fm_tail_call calls[MAX_TAIL_CALLS];
    const char *function = get_text(source, texts, n_texts);
    size_t n = get_count(source, MAX_TAIL_CALLS);
    for (size_t i = 0; i < n && !source->failed; i++)
        calls[i] = (struct fm_tail_call){function, get_text(source, texts, n_texts), get_number(source)};
    if (!source->failed)
        fm_symbols_add_tail_calls(symbols, module, function, calls, n);
}

static void get_all(struct source *source, struct fm_symbols *symbols, uint32_t module, uint64_t version)
{
    struct fm_arena arena = {0};
    size_t n_texts;
    uint64_t found = get_number(source);
    if (version != FM_CACHE_ANY && found != version)
        return;
    const char **texts = get_texts(source, symbols, &arena, &n_texts);
    size_t n = get_count(source, FM_CACHE_ADDRESSES);
    uint64_t address = 0;
    for (size_t i = 0; i < n && !source->failed; i++) {
        address += get_number(source);
        get_address(source, symbols, module, address, texts, n_texts);
    }
    n = get_count(source, FM_CACHE_ADDRESSES);
    for (size_t i = 0; i < n && !source->failed; i++)
        get_tail_calls(source, symbols, module, texts, n_texts);
    fm_arena_destroy(&arena);
}

/* The whole file in the arena; NULL if there is none that can be trusted. */
static uint8_t *read_file(const char *path, struct fm_arena *arena, size_t *size)
{
    struct stat st;
    uint8_t *bytes = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size >= HEAD_BYTES &&
        st.st_size <= FM_CACHE_FILE_BYTES)
        bytes = fm_arena_alloc(arena, (size_t)st.st_size);
    *size = bytes ? (size_t)st.st_size : 0;
    if (bytes && read(fd, bytes, *size) != (ssize_t)*size)
        bytes = NULL;
    if (bytes)
        futimens(fd, NULL); /* mark as recently used */
    close(fd);
    return bytes;
}

void fm_symbols_cache_load(struct fm_symbols *symbols, uint32_t module, const struct fm_load_module_files *files)
{
    struct fm_arena arena = {0};
    char path[PATH_MAX];
    size_t size;
    uint64_t crc;
    uint8_t *bytes = NULL;
    if (is_cacheable(symbols, files) && file_name(path, symbols, files->build_id))
        bytes = read_file(path, &arena, &size);
    if (bytes && memcmp(bytes, magic, MAGIC_BYTES) == 0) {
        memcpy(&crc, bytes + MAGIC_BYTES, sizeof crc);
        struct source source = {bytes + HEAD_BYTES, bytes + size, false};
        if (crc == fm_crc64(source.at, size - HEAD_BYTES))
            get_all(&source, symbols, module, files->version);
    }
    fm_arena_destroy(&arena);
}

/* ---- writing ---- */

struct sink {
    struct fm_arena arena;
    uint8_t *bytes;
    size_t n, capacity;
    struct fm_intern numbers; /* strings to their index + 1 */
    const char **texts;
    size_t n_texts, texts_capacity;
    bool failed;
};

static void put_bytes(struct sink *sink, const void *bytes, size_t n)
{
    if (sink->failed || n == 0)
        return;
    if (sink->n + n > sink->capacity) {
        uint8_t *grown = fm_arena_grow(&sink->arena, sink->bytes, &sink->capacity, sink->n + n, 1);
        sink->failed = !grown;
        if (!grown)
            return;
        sink->bytes = grown;
    }
    memcpy(sink->bytes + sink->n, bytes, n);
    sink->n += n;
}

static void put_number(struct sink *sink, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    put_bytes(sink, bytes, n);
}

static uint64_t number_of(struct sink *sink, const char *text)
{
    struct fm_intern_slot *slot = fm_intern_put(&sink->numbers, &sink->arena, text, false);
    if (slot && slot->number == 0) {
        const char **texts = sink->texts;
        if (sink->n_texts == sink->texts_capacity)
            texts = fm_arena_grow(&sink->arena, texts, &sink->texts_capacity, sink->n_texts + 1, sizeof *texts);
        if (texts) {
            sink->texts = texts;
            texts[sink->n_texts++] = text;
            slot->number = (uint32_t)sink->n_texts;
        }
    }
    sink->failed |= !slot || slot->number == 0;
    return sink->failed ? 0 : slot->number - 1;
}

static void put_lookup(struct sink *sink, const struct fm_lookup *lookup, uint64_t before)
{
    put_number(sink, lookup->address - before);
    put_number(sink, number_of(sink, lookup->function));
    put_number(sink, number_of(sink, lookup->callee));
    put_number(sink, lookup->n);
    for (size_t i = 0; i < lookup->n; i++) {
        const struct fm_symbol *frame = &lookup->frames[i];
        put_number(sink, number_of(sink, frame->function));
        put_number(sink, number_of(sink, frame->path));
        put_number(sink, number_of(sink, frame->defined));
        put_number(sink, frame->line);
        put_number(sink, frame->nearby);
        put_number(sink, frame->defined_line);
        put_number(sink, frame->inlined);
        put_number(sink, number_of(sink, frame->body ? frame->body : ""));
    }
}

static void put_tail_calls(struct sink *sink, struct fm_tail_call_list list, const char *function)
{
    size_t n = list.n < MAX_TAIL_CALLS ? list.n : MAX_TAIL_CALLS;
    put_number(sink, number_of(sink, function));
    put_number(sink, n);
    for (size_t i = 0; i < n; i++) {
        put_number(sink, number_of(sink, list.items[i].to));
        put_number(sink, list.items[i].address);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct fm_lookup *const *x = a, *const *y = b;
    return (*x)->address < (*y)->address ? -1 : (*x)->address > (*y)->address;
}

/* The resolved addresses of a module, sorted; if there are too many, only those requested this time. */
static size_t choose(const struct fm_symbols *symbols, uint32_t module, const struct fm_lookup ***chosen,
                     struct fm_arena *arena)
{
    size_t n = 0, known = 0;
    for (size_t i = 0; i < symbols->slots_capacity; i++)
        known += symbols->slots[i].resolved && symbols->slots[i].module == module;
    const struct fm_lookup **items = fm_arena_alloc(arena, known * sizeof *items);
    for (size_t i = 0; items && i < symbols->slots_capacity && n < FM_CACHE_ADDRESSES; i++) {
        const struct fm_lookup *slot = &symbols->slots[i];
        if (slot->resolved && slot->module == module && slot->n <= MAX_FRAMES &&
            (slot->wanted || known <= FM_CACHE_ADDRESSES))
            items[n++] = slot;
    }
    *chosen = items;
    return fm_sort(items, n, sizeof *items, by_address, arena) ? n : 0;
}

/* The contents of a file. The string table comes before the frames but is known only after them. */
static void put_all(struct sink *sink, const struct fm_symbols *symbols, uint32_t module, uint64_t version)
{
    struct sink frames = {0};
    const struct fm_lookup **lookups;
    size_t n = choose(symbols, module, &lookups, &sink->arena);
    uint64_t crc = 0;
    for (size_t i = 0; i < n; i++)
        put_lookup(&frames, lookups[i], i ? lookups[i - 1]->address : 0);
    size_t addresses_end = frames.n;
    const struct fm_intern *explored = &symbols->modules[module].explored;
    for (size_t i = 0; i < explored->capacity; i++)
        if (explored->slots[i].text)
            put_tail_calls(&frames, fm_symbols_tail_calls_of(symbols, module, explored->slots[i].text),
                           explored->slots[i].text);
    put_bytes(sink, magic, MAGIC_BYTES);
    put_bytes(sink, &crc, sizeof crc);
    put_number(sink, version);
    put_number(sink, frames.n_texts);
    for (size_t i = 0; i < frames.n_texts; i++) {
        put_number(sink, strlen(frames.texts[i]));
        put_bytes(sink, frames.texts[i], strlen(frames.texts[i]));
    }
    put_number(sink, n);
    put_bytes(sink, frames.bytes, addresses_end);
    put_number(sink, explored->n);
    put_bytes(sink, frames.bytes + addresses_end, frames.n - addresses_end);
    sink->failed |= frames.failed || n == 0;
    if (!sink->failed) {
        crc = fm_crc64(sink->bytes + HEAD_BYTES, sink->n - HEAD_BYTES);
        memcpy(sink->bytes + MAGIC_BYTES, &crc, sizeof crc);
    }
    fm_arena_destroy(&frames.arena);
}

static bool make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static void write_file(const char *path, const struct sink *sink)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return;
    bool written = write(fd, sink->bytes, sink->n) == (ssize_t)sink->n;
    written &= close(fd) == 0;
    if (!written || rename(temporary, path) != 0)
        unlink(temporary);
}

static bool is_older(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Removes the least recently used file if the cache is too large; returns false if it is not. */
static bool remove_oldest(DIR *listing)
{
    struct timespec oldest = {0};
    char name[NAME_MAX + 1] = "";
    size_t n = 0;
    uint64_t bytes = 0;
    rewinddir(listing);
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        struct stat st;
        if (fstatat(dirfd(listing), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (n++ == 0 || is_older(st.st_mtim, oldest)) {
            oldest = st.st_mtim;
            snprintf(name, sizeof name, "%s", entry->d_name);
        }
        bytes += (uint64_t)st.st_size;
    }
    return (n > FM_CACHE_FILES || bytes > FM_CACHE_BYTES) && unlinkat(dirfd(listing), name, 0) == 0;
}

static void limit_cache(const char *directory)
{
    DIR *listing = opendir(directory);
    while (listing && remove_oldest(listing))
        ;
    if (listing)
        closedir(listing);
}

void fm_symbols_cache_save(struct fm_symbols *symbols, uint32_t module, const struct fm_load_module_files *files)
{
    struct sink sink = {0};
    char directory[PATH_MAX], path[PATH_MAX];
    if (!is_cacheable(symbols, files) || !file_name(directory, symbols, "") ||
        !file_name(path, symbols, files->build_id))
        return;
    put_all(&sink, symbols, module, files->version);
    if (!sink.failed && sink.n <= FM_CACHE_FILE_BYTES && fm_file_may_reach(sink.n) && make_directories(directory)) {
        write_file(path, &sink);
        limit_cache(directory);
    }
    fm_arena_destroy(&sink.arena);
}
