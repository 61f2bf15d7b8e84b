/* SPDX-License-Identifier: BSD-3-Clause */
/* A file per record, which appears complete. Its owner is who sends it: the file system vouches for the uid. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "site/send/ways.h"

static bool write_file(const char *path, const char *text, size_t length)
{
    struct fm_atomic_file file;
    if (!fm_atomic_file_open(&file, path, 0600, true))
        return false;
    bool written = write(file.fd, text, length) == (ssize_t)length && fm_atomic_file_publish(&file, path, true);
    int why = errno;
    if (!written)
        fm_atomic_file_discard(&file);
    close(file.fd);
    errno = why;
    return written;
}

enum fm_status fm_send_record_spool(const struct fm_site_config *config, const char *key, const char *text,
                                    size_t length, struct fm_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3000s/%.64s.json", config->record_spool, key);
    if (write_file(path, text, length))
        return FM_OK;
    if (errno == EPERM || errno == EACCES || errno == EEXIST) { /* somebody else has taken the name */
        snprintf(path, sizeof path, "%.3000s/%.64s-%u.json", config->record_spool, key, (unsigned)geteuid());
        if (write_file(path, text, length))
            return FM_OK;
    }
    return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
}
