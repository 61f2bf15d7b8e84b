/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/thread_status.h"

#include <fcntl.h>
#include <stddef.h>

#include "base/platform.h"

/* A file in /proc, read in pieces. */
struct text {
    long fd, at, n;
    char buffer[256];
};

static int next_character(struct text *text)
{
    if (text->at == text->n) {
        text->at = 0;
        text->n = fm_kernel(SYS_read, text->fd, text->buffer, sizeof text->buffer);
    }
    return text->at < text->n ? (unsigned char)text->buffer[text->at++] : -1;
}

/* Skips to what follows `name`, which begins with the newline before it. */
static bool skip_past(struct text *text, const char *name)
{
    size_t found = 0;
    for (int c; name[found] && (c = next_character(text)) >= 0;)
        found = c == name[found] ? found + 1 : c == '\n';
    return !name[found];
}

static uint64_t read_hex(struct text *text)
{
    uint64_t value = 0;
    for (int c; (c = next_character(text)) > '\n';)
        value = value << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    return value;
}

static bool read_status(struct text *text, uint64_t *signals)
{
    int state = skip_past(text, "\nState:\t") ? next_character(text) : 'X';
    if (state == 'X' || state == 'Z' || !skip_past(text, "\nSigBlk:\t"))
        return false;
    *signals = read_hex(text);
    return true;
}

static char *append(char *at, const char *word)
{
    while (*word)
        *at++ = *word++;
    return at;
}

static char *append_number(char *at, uint32_t number)
{
    if (number >= 10)
        at = append_number(at, number / 10);
    *at = (char)('0' + number % 10);
    return at + 1;
}

static bool open_file(struct text *text, int32_t tid, const char *file)
{
    char name[64];
    *append(append(append_number(append(name, "/proc/self/task/"), (uint32_t)tid), "/"), file) = '\0';
    text->at = text->n = 0;
    text->fd = fm_kernel(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    return text->fd >= 0;
}

bool fm_thread_blocks(int32_t tid, uint64_t *signals)
{
    struct text text;
    if (!open_file(&text, tid, "status"))
        return false;
    bool known = read_status(&text, signals);
    fm_kernel(SYS_close, text.fd);
    return known;
}

/* The file has numbers, each followed by a space. */
bool fm_thread_made(int32_t tid, int32_t child)
{
    struct text text;
    bool found = false;
    int32_t number = 0;
    if (!open_file(&text, tid, "children"))
        return false;
    for (int c; !found && (c = next_character(&text)) >= 0;) {
        found = c == ' ' && number == child;
        number = c == ' ' ? 0 : number * 10 + (c - '0');
    }
    fm_kernel(SYS_close, text.fd);
    return found;
}
