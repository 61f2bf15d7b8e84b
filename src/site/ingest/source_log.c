/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/ingest/source_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/basename.h"

enum { LINE_BYTES = 16384 };

struct log_place {
    uint64_t device, inode, offset;
};

static bool parse_place(const char *text, struct log_place *place)
{
    return sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64, &place->device, &place->inode, &place->offset) == 3;
}

static void print_place(char text[FM_INGEST_POSITION], const struct log_place *place)
{
    snprintf(text, FM_INGEST_POSITION, "%" PRIu64 ":%" PRIu64 ":%" PRIu64, place->device, place->inode, place->offset);
}

static bool same_file(const struct log_place *a, const struct log_place *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/* "2026-11-18T17:13:24.063065+00:00"; -1 if it is none. */
static int64_t parse_time(const char *text)
{
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        return -1;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    int hours = 0, minutes = 0;
    char sign = *rest;
    if (sign != 'Z' && ((sign != '+' && sign != '-') || sscanf(rest + 1, "%2d:%2d", &hours, &minutes) != 2))
        return -1;
    int64_t east = (int64_t)hours * 3600 + minutes * 60;
    return (int64_t)timegm(&tm) - (sign == '-' ? -east : east);
}

/* Cuts the next word, which ends with a blank, off the line. */
static char *next_word(char **rest)
{
    char *word = *rest, *end = word ? strchr(word, ' ') : NULL;
    if (!end)
        return NULL;
    *end = 0;
    *rest = end + 1;
    return word;
}

static bool parse_number(const char *word, const char *name, int64_t most, int64_t *number)
{
    size_t length = strlen(name);
    if (!word || strncmp(word, name, length) != 0 || !word[length] ||
        strspn(word + length, "0123456789") != strlen(word + length))
        return false;
    errno = 0;
    *number = strtoll(word + length, NULL, 10);
    return !errno && *number <= most;
}

/* TIME HOST uid=N pid=N TEXT */
static bool parse_line(char *line, size_t length, struct fm_message *message)
{
    int64_t pid;
    char *rest = line;
    if (memchr(line, 0, length))
        return false;
    const char *time = next_word(&rest), *host = next_word(&rest);
    const char *uid = next_word(&rest), *process = next_word(&rest);
    if (!time || !host || (message->time = parse_time(time)) < 0)
        return false;
    if (!parse_number(uid, "uid=", UINT32_MAX - 1, &message->uid) || !parse_number(process, "pid=", INT32_MAX, &pid))
        return false;
    message->text = rest;
    message->length = length - (size_t)(rest - line);
    return true;
}

struct log_reading {
    struct fm_ingest *ingest;
    struct log_place at, counted;
    bool all_again; /* this file was counted to its end */
};

static enum fm_status take_line(struct log_reading *reading, char *line, size_t length, bool cut,
                                struct fm_error *error)
{
    char position[FM_INGEST_POSITION], next[FM_INGEST_POSITION];
    print_place(position, &reading->at);
    struct log_place after = reading->at;
    after.offset += length + 1;
    print_place(next, &after);
    struct fm_message message = {
        .position = position,
        .next = next,
        .again = reading->all_again ||
                 (same_file(&reading->at, &reading->counted) && reading->at.offset < reading->counted.offset),
        .uid = -1,
        .time = (int64_t)time(NULL),
    };
    reading->at = after;
    if (cut)
        return fm_ingest_refuse(reading->ingest, &message, "oversized", error);
    if (!parse_line(line, length, &message)) {
        message.uid = -1;
        message.time = (int64_t)time(NULL);
        return fm_ingest_refuse(reading->ingest, &message, "malformed", error);
    }
    return fm_ingest_message(reading->ingest, &message, error);
}

/* Reads whole lines up to the end of the file. A line that is too long is refused as one. */
static enum fm_status read_lines(struct log_reading *reading, int fd, const char *path, struct fm_error *error)
{
    static char buffer[1 << 20];
    size_t have = 0;        /* bytes in the buffer */
    uint64_t long_line = 0; /* bytes of a too long line that were left behind already */
    if (lseek(fd, (off_t)reading->at.offset, SEEK_SET) < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
    for (;;) {
        ssize_t n = read(fd, buffer + have, sizeof buffer - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
        if (n == 0)
            return FM_OK;
        have += (size_t)n;
        char *line = buffer, *end;
        while ((end = memchr(line, '\n', have - (size_t)(line - buffer)))) {
            size_t length = (size_t)(end - line);
            *end = 0;
            enum fm_status status = take_line(reading, line, (size_t)long_line + length,
                                              long_line || length > LINE_BYTES, error);
            if (status)
                return status;
            long_line = 0;
            line = end + 1;
        }
        have -= (size_t)(line - buffer);
        memmove(buffer, line, have);
        if (have == sizeof buffer) {
            long_line += have;
            have = 0;
        }
    }
}

static bool place_of(int fd, struct log_place *place, uint64_t *size)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return false;
    *place = (struct log_place){status.st_dev, status.st_ino, 0};
    *size = (uint64_t)status.st_size;
    return true;
}

/* The file that had this name before it was rotated; -1 if it cannot be found. */
static int open_rotated(const char *path, const struct log_place *wanted)
{
    char directory[4096];
    const char *name = fm_basename(path);
    snprintf(directory, sizeof directory, "%.*s", (int)(name - path), path);
    DIR *entries = opendir(name == path ? "." : directory);
    int found = -1;
    for (struct dirent *entry; entries && found < 0 && (entry = readdir(entries));) {
        if (entry->d_ino != wanted->inode)
            continue;
        int fd = openat(dirfd(entries), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        struct log_place place;
        uint64_t size;
        if (fd >= 0 && place_of(fd, &place, &size) && same_file(&place, wanted) && size >= wanted->offset)
            found = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (entries)
        closedir(entries);
    return found;
}

enum fm_status fm_source_log_read(struct fm_ingest *ingest, const char *path, struct fm_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct log_place now;
    uint64_t size;
    if (fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
    if (!place_of(fd, &now, &size)) {
        close(fd);
        return fm_fail(error, FM_ERR_INPUT, "%s is not a file", path);
    }
    struct log_reading reading = {.ingest = ingest, .at = now};
    struct log_place from;
    bool resumed = parse_place(fm_ingest_from(ingest), &from);
    parse_place(fm_ingest_counted(ingest), &reading.counted);
    enum fm_status status = FM_OK;
    if (resumed && same_file(&from, &now)) {
        reading.at.offset = from.offset <= size ? from.offset : 0;
        if (from.offset > size) /* truncated in its place: everything is new */
            reading.counted = (struct log_place){0};
    } else if (resumed) {
        int rotated = open_rotated(path, &from);
        if (rotated >= 0) {
            reading.at = from;
            reading.all_again = !same_file(&from, &reading.counted); /* the counting had got to a newer file */
            status = read_lines(&reading, rotated, path, error);
            close(rotated);
            reading.at = now;
            reading.all_again = false;
        }
    }
    if (!status)
        status = read_lines(&reading, fd, path, error);
    close(fd);
    return status ? status : fm_ingest_commit(ingest, error);
}
