/* SPDX-License-Identifier: BSD-3-Clause */
/* A mail as bytes (RFC 5322, 2045, 2047): headers, a plain part and an HTML part. All of it is printable ASCII in lines of
 * at most 76 characters (longer addresses excepted) that end with a line feed, whatever the texts contain. Texts may come from anybody: control
 * characters never reach a header, and no text can begin or end a part. */
#ifndef FM_SITE_MAIL_MIME_H
#define FM_SITE_MAIL_MIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/writer.h"

struct fm_mail_message {
    const char *from_name;     /* any text; may be "" */
    const char *from, *to;     /* addresses that fm_mail_address_good accepts */
    const char *const *copies; /* Bcc, likewise; ended by NULL; may be NULL */
    const char *subject;       /* any text */
    const char *id;            /* without < >; letters, digits, '.', '-' and one '@' */
    const char *unsubscribe;   /* as fm_mail_unsubscribe_good accepts; "": none */
    int64_t date;              /* seconds since 1970 */
    const char *text, *html;   /* UTF-8 with line feeds */
};

/* A writer that has failed tells so at the end. */
void fm_mail_message_write(struct fm_writer *out, const struct fm_mail_message *message);

/* The parts of it. A text becomes words of RFC 2047 if it must; it is cut to FM_MAIL_HEADER_COLUMNS. */
enum { FM_MAIL_HEADER_COLUMNS = 200 };
void fm_mail_header_write(struct fm_writer *out, const char *name, const char *text);
void fm_mail_quoted_printable(struct fm_writer *out, const char *text);

#endif
