/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/ingest/source_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text ? text : "";
}

struct journal_reading {
    struct fm_ingest *ingest;
    char previous[FM_INGEST_POSITION]; /* cursor: reading goes on after it */
    char counted[FM_INGEST_POSITION];
    bool again; /* until the entry at `counted` was read */
};

static int64_t number_of(const json_t *entry, const char *key)
{
    const char *text = text_of(entry, key);
    return *text && strspn(text, "0123456789") == strlen(text) ? strtoll(text, NULL, 10) : -1;
}

static enum fm_status take_entry(struct journal_reading *reading, const char *line, size_t length,
                                 struct fm_error *error)
{
    json_t *entry = json_loadb(line, length, 0, NULL);
    const char *cursor = text_of(entry, "__CURSOR");
    int64_t microseconds = number_of(entry, "__REALTIME_TIMESTAMP");
    const json_t *text = json_object_get(entry, "MESSAGE");
    struct fm_message message = {
        .position = reading->previous,
        .next = cursor,
        .again = reading->again,
        .uid = number_of(entry, "_UID"),
        .time = microseconds > 0 ? microseconds / 1000000 : (int64_t)time(NULL),
        .text = json_string_value(text),
        .length = json_string_length(text),
    };
    enum fm_status status = FM_OK;
    if (!*cursor || strlen(cursor) >= FM_INGEST_POSITION || strchr(cursor, '\t'))
        status = fm_fail(error, FM_ERR_INPUT, "journalctl printed something that is not an entry of a journal");
    else if (!message.text) /* bytes that are no text, or too many */
        status = fm_ingest_refuse(reading->ingest, &message, "malformed", error);
    else
        status = fm_ingest_message(reading->ingest, &message, error);
    if (!status) {
        if (strcmp(cursor, reading->counted) == 0)
            reading->again = false;
        snprintf(reading->previous, sizeof reading->previous, "%s", cursor);
    }
    json_decref(entry);
    return status;
}

static enum fm_status read_entries(struct journal_reading *reading, FILE *from, struct fm_error *error)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    enum fm_status status = FM_OK;
    while (!status && (length = getline(&line, &capacity, from)) > 0)
        status = take_entry(reading, line, (size_t)length, error);
    free(line);
    return status;
}

/* Its output is *out. */
static enum fm_status start_journalctl(const char *directory, const char *after, pid_t *child, FILE **out,
                                       struct fm_error *error)
{
    char cursor[FM_INGEST_POSITION + 32], place[4200];
    snprintf(cursor, sizeof cursor, "--after-cursor=%s", after);
    snprintf(place, sizeof place, "--directory=%s", directory ? directory : "");
    char *arguments[10];
    size_t n = 0;
    arguments[n++] = "journalctl";
    arguments[n++] = "--output=json";
    /* users can log many megabytes at once: a text of more than 4 kB is shown as null, as no chunk is that long */
    arguments[n++] = "--output-fields=MESSAGE,_UID";
    arguments[n++] = "--quiet";
    arguments[n++] = "--no-pager";
    arguments[n++] = "--identifier=fathom";
    if (directory)
        arguments[n++] = place;
    if (*after)
        arguments[n++] = cursor;
    arguments[n] = NULL;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot start journalctl: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int failed = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *out = failed ? NULL : fdopen(ends[0], "r");
    if (*out)
        return FM_OK;
    close(ends[0]);
    return fm_fail(error, FM_ERR_SYSTEM, "cannot start journalctl: %s", strerror(failed ? failed : errno));
}

enum fm_status fm_source_journal_read(struct fm_ingest *ingest, const char *directory, struct fm_error *error)
{
    struct journal_reading reading = {.ingest = ingest};
    snprintf(reading.previous, sizeof reading.previous, "%s", fm_ingest_from(ingest));
    snprintf(reading.counted, sizeof reading.counted, "%s", fm_ingest_counted(ingest));
    reading.again = strcmp(reading.previous, reading.counted) != 0;
    pid_t child = -1;
    FILE *out = NULL;
    enum fm_status status = start_journalctl(directory, reading.previous, &child, &out, error);
    if (status)
        return status;
    status = read_entries(&reading, out, error);
    fclose(out);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    /* Without any entry journalctl fails, too. */
    if (!status && (!WIFEXITED(ended) || WEXITSTATUS(ended) > 1))
        status = fm_fail(error, FM_ERR_SYSTEM, "journalctl failed");
    return status ? status : fm_ingest_commit(ingest, error);
}
