/* SPDX-License-Identifier: BSD-3-Clause */
/* As syslog(3) writes it, but to a socket of our choice and without waiting for ever: "<14>Nov 18 17:00:00 fathom: ...". */
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <time.h>

#include "site/record/chunk.h"
#include "site/send/ways.h"

enum { HEAD_BYTES = 64 };

/* Month names must not depend on the locale. */
static int write_head(char head[HEAD_BYTES])
{
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm tm = {.tm_mday = 1};
    time_t now = time(NULL);
    localtime_r(&now, &tm);
    return snprintf(head, HEAD_BYTES, "<%d>%s %2d %02d:%02d:%02d fathom: ", LOG_USER | LOG_INFO, months[tm.tm_mon],
                    tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

enum fm_status fm_send_syslog(const struct fm_site_config *config, const char *key, const char *text, size_t length,
                              struct fm_error *error)
{
    struct fm_datagrams to;
    size_t line_bytes = (size_t)config->chunk_bytes;
    char *line = malloc(HEAD_BYTES + line_bytes + 1);
    if (!line)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a line of the log");
    enum fm_status status = fm_datagrams_open(&to, config->syslog_socket, config->send_seconds, error);
    unsigned total = fm_chunks(length, line_bytes);
    for (unsigned number = 1; number <= total && !status; number++) {
        size_t head = (size_t)write_head(line);
        size_t chunk = fm_chunk_write(key, text, length, number, line_bytes, line + head);
        status = fm_datagrams_send(&to, line, head + chunk, error);
    }
    fm_datagrams_close(&to);
    free(line);
    return status;
}
