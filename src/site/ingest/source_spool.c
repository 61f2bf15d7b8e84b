/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/ingest/source_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

enum { FILES_AT_ONCE = 1000 };

static bool is_record(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && name[0] != '.' && strcmp(name + length - 5, ".json") == 0;
}

/* One byte more than a record may have, so that too long ones are seen. */
static ssize_t read_whole(int fd, char text[FM_RECORD_BYTES + 1])
{
    size_t have = 0;
    for (;;) {
        ssize_t n = read(fd, text + have, FM_RECORD_BYTES + 1 - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -1 : (ssize_t)have;
        have += (size_t)n;
        if (have == FM_RECORD_BYTES + 1)
            return (ssize_t)have;
    }
}

/* *taken: whether the file can be removed after the commit. */
static enum fm_status take_file(struct fm_ingest *ingest, int directory, const char *name, bool *taken,
                                struct fm_error *error)
{
    *taken = false;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat file;
    char text[FM_RECORD_BYTES + 2];
    if (fd < 0)
        return FM_OK; /* removed meanwhile, or not ours to read: the next one */
    ssize_t length = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 1 ? read_whole(fd, text) : -1;
    close(fd);
    if (length < 0)
        return FM_OK;
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    text[length] = 0;
    const struct fm_message message = {
        .position = "",
        .next = "",
        .uid = file.st_uid,
        .time = (int64_t)time(NULL), /* the time of the file is what its owner says */
        .text = text,
        .length = (size_t)length,
    };
    *taken = true;
    return fm_ingest_document(ingest, FM_ORIGIN_SPOOL, &message, error);
}

static enum fm_status read_some(struct fm_ingest *ingest, DIR *entries, bool *more, struct fm_error *error)
{
    struct fm_arena arena = {0};
    const char *done[FILES_AT_ONCE];
    size_t n = 0;
    enum fm_status status = FM_OK;
    *more = false;
    for (struct dirent *entry; !status && n < FILES_AT_ONCE && (entry = readdir(entries));) {
        bool taken = false;
        if (is_record(entry->d_name))
            status = take_file(ingest, dirfd(entries), entry->d_name, &taken, error);
        if (taken)
            done[n++] = fm_arena_strndup(&arena, entry->d_name, strlen(entry->d_name));
    }
    if (!status)
        status = fm_ingest_commit(ingest, error);
    for (size_t i = 0; !status && i < n; i++)
        if (done[i])
            unlinkat(dirfd(entries), done[i], 0);
    *more = n == FILES_AT_ONCE;
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_source_spool_read(struct fm_ingest *ingest, const char *directory, struct fm_error *error)
{
    DIR *entries = opendir(directory);
    if (!entries)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", directory, strerror(errno));
    bool more = true;
    enum fm_status status = FM_OK;
    while (!status && more)
        status = read_some(ingest, entries, &more, error);
    closedir(entries);
    return status;
}
