/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/mime.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/safe_text.h"

enum { LINE = 76, WORD = 75, LONGEST_PLAIN_WORD = 60 };

/* "=_" cannot be in a quoted-printable body. */
#define BOUNDARY "=_fathom-part"
#define WORD_START "=?utf-8?q?"
#define WORD_END "?="

/* ---- headers ---- */

static bool needs_words(const char *text)
{
    size_t word = 0;
    if (*text == ' ' || (*text && text[strlen(text) - 1] == ' ') || strstr(text, "=?") || strstr(text, "  "))
        return true;
    for (; *text; text++) {
        word = *text == ' ' ? 0 : word + 1;
        if (*text < ' ' || *text > '~' || word > LONGEST_PLAIN_WORD)
            return true;
    }
    return false;
}

/* Folded at blanks. */
static void write_plain(struct fm_writer *out, size_t column, const char *text)
{
    while (*text) {
        size_t word = strcspn(text, " ");
        bool fold = column + 1 + word > LINE;
        fm_write(out, "%s%.*s", fold ? "\n " : " ", (int)word, text);
        column = (fold ? 0 : column) + 1 + word;
        text += word + (text[word] == ' ');
    }
}

static size_t encode(unsigned char byte, char to[4])
{
    bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    return (size_t)(plain         ? snprintf(to, 4, "%c", byte)
                    : byte == ' ' ? snprintf(to, 4, "_")
                                  : snprintf(to, 4, "=%02X", byte));
}

/* Encoded words; a character is never divided. */
static void write_words(struct fm_writer *out, size_t column, const char *text)
{
    char word[WORD + 1];
    size_t n = 0, room = LINE - column - 1;
    fm_write(out, " ");
    while (*text) {
        char character[3 * FM_SAFE_BYTES + 4], safe[FM_SAFE_BYTES];
        size_t bytes = fm_safe_next(FM_SAFE_TERMINAL, &text, safe), length = 0;
        for (size_t i = 0; i < bytes; i++)
            length += encode((unsigned char)safe[i], character + length);
        if (n && strlen(WORD_START WORD_END) + n + length > (room < WORD ? room : WORD)) {
            fm_write(out, WORD_START "%.*s" WORD_END "\n ", (int)n, word);
            n = 0;
            room = LINE - 1;
        }
        memcpy(word + n, character, length);
        n += length;
    }
    fm_write(out, WORD_START "%.*s" WORD_END, (int)n, word);
}

static const char *safe_header(struct fm_arena *arena, const char *text)
{
    struct fm_writer safe = {.arena = arena};
    fm_write_cut(&safe, text, FM_MAIL_HEADER_COLUMNS);
    const char *written = fm_writer_text(&safe);
    return written ? written : "";
}

/* What follows "Name:". */
static void write_value(struct fm_writer *out, size_t column, const char *text)
{
    struct fm_arena arena = {0};
    const char *safe = safe_header(&arena, text);
    if (!*safe)
        fm_write(out, " ");
    else if (needs_words(safe))
        write_words(out, column, safe);
    else
        write_plain(out, column, safe);
    fm_arena_destroy(&arena);
}

void fm_mail_header_write(struct fm_writer *out, const char *name, const char *text)
{
    fm_write(out, "%s:", name);
    write_value(out, strlen(name) + 1, text);
    fm_write(out, "\n");
}

/* A name before an address is a list of words; others than letters, digits and blanks would have to be quoted. */
static void write_from(struct fm_writer *out, const struct fm_mail_message *message)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ";
    struct fm_arena arena = {0};
    const char *name = safe_header(&arena, message->from_name);
    fm_write(out, "From:");
    if (*name && strlen(name) == strspn(name, plain) && !needs_words(name))
        write_plain(out, strlen("From:"), name);
    else if (*name)
        write_words(out, strlen("From:"), name);
    fm_write(out, " <%s>\n", message->from);
    fm_arena_destroy(&arena);
}

static void write_date(struct fm_writer *out, int64_t seconds)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t time = (time_t)seconds;
    struct tm tm = {0};
    gmtime_r(&time, &tm);
    fm_write(out, "Date: %s, %d %s %04d %02d:%02d:%02d +0000\n", days[tm.tm_wday % 7], tm.tm_mday,
             months[tm.tm_mon % 12], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void write_headers(struct fm_writer *out, const struct fm_mail_message *message)
{
    write_from(out, message);
    fm_write(out, "To: <%s>\n", message->to);
    for (size_t i = 0; message->copies && message->copies[i]; i++)
        fm_write(out, "%s <%s>%s\n", i ? "" : "Bcc:", message->copies[i], message->copies[i + 1] ? "," : "");
    fm_mail_header_write(out, "Subject", message->subject);
    write_date(out, message->date);
    fm_write(out, "Message-ID: <%s>\nAuto-Submitted: auto-generated\n", message->id);
    if (*message->unsubscribe)
        fm_write(out, "List-Unsubscribe: <%s>\n", message->unsubscribe);
    fm_write(out, "MIME-Version: 1.0\nContent-Type: multipart/alternative;\n boundary=\"" BOUNDARY "\"\n\n");
}

/* ---- bodies ---- */

void fm_mail_quoted_printable(struct fm_writer *out, const char *text)
{
    char line[LINE + 4];
    size_t n = 0;
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '\n') {
            fm_write(out, "%.*s\n", (int)n, line);
            n = 0;
            continue;
        }
        bool ends = at[1] == '\n' || !at[1];
        /* programs on the way change lines that begin with a dot or with "From " */
        bool special = n == 0 && (byte == '.' || strncmp(at, "From ", 5) == 0);
        bool plain = byte >= ' ' && byte <= '~' && byte != '=' && !(byte == ' ' && ends) && !special;
        size_t length = plain ? 1 : 3;
        if (n + length > LINE - 1) { /* room for "=" */
            fm_write(out, "%.*s=\n", (int)n, line);
            n = 0;
            at--; /* once more, at the start of a line */
            continue;
        }
        if (plain)
            line[n] = (char)byte;
        else
            snprintf(line + n, 4, "=%02X", byte);
        n += length;
    }
    if (n)
        fm_write(out, "%.*s\n", (int)n, line);
}

static void write_part(struct fm_writer *out, const char *type, const char *text)
{
    fm_write(out, "--" BOUNDARY "\nContent-Type: %s; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n",
             type);
    fm_mail_quoted_printable(out, text);
    fm_write(out, "\n");
}

void fm_mail_message_write(struct fm_writer *out, const struct fm_mail_message *message)
{
    write_headers(out, message);
    write_part(out, "text/plain", message->text);
    write_part(out, "text/html", message->html);
    fm_write(out, "--" BOUNDARY "--\n");
}
