/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/feed.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

char fm_feed_asked(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte = FM_FEED_END;
    if (poll(&input, 1, 0) <= 0)
        return 0;
    ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    return n == 1 && byte == FM_FEED_LOOK ? FM_FEED_LOOK : FM_FEED_END;
}

static bool write_all(const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        ssize_t n = write(STDOUT_FILENO, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

enum fm_status fm_feed_write(const struct fm_attach_result *result, struct fm_error *error)
{
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size;
    enum fm_status status = fm_attach_result_encode(result, &arena, &bytes, &size, error);
    if (!status) {
        struct fm_feed_header head = {.size = size};
        memcpy(head.magic, FM_FEED_MAGIC, sizeof head.magic);
        if (!write_all(&head, sizeof head) || !write_all(bytes, size))
            status = fm_fail(error, FM_ERR_SYSTEM, "the process that reads the samples has ended");
    }
    fm_arena_destroy(&arena);
    return status;
}
