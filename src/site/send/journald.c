/* SPDX-License-Identifier: BSD-3-Clause */
/* journald's own protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): a datagram per entry, lines NAME=value. Chunks have no
 * line feeds, so nothing has to be encoded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/record/chunk.h"
#include "site/send/ways.h"

static const char head[] = "SYSLOG_IDENTIFIER=fathom\nPRIORITY=6\nMESSAGE=";

enum fm_status fm_send_journald(const struct fm_site_config *config, const char *key, const char *text, size_t length,
                                struct fm_error *error)
{
    struct fm_datagrams to;
    size_t line_bytes = (size_t)config->chunk_bytes, head_bytes = sizeof head - 1;
    char *entry = malloc(head_bytes + line_bytes + 2);
    if (!entry)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for an entry of the journal");
    memcpy(entry, head, head_bytes);
    enum fm_status status = fm_datagrams_open(&to, config->journald_socket, config->send_seconds, error);
    unsigned total = fm_chunks(length, line_bytes);
    for (unsigned number = 1; number <= total && !status; number++) {
        size_t end = head_bytes + fm_chunk_write(key, text, length, number, line_bytes, entry + head_bytes);
        entry[end++] = '\n';
        status = fm_datagrams_send(&to, entry, end, error);
    }
    fm_datagrams_close(&to);
    free(entry);
    return status;
}
