/* Mails as bytes: whatever the texts are, headers and lines stay what they should be. */
#include "site/mail/mime.h"

#include <string.h>

#include "site/mail/address.h"
#include "tap.h"

static struct fm_arena arena;

static const char *header(const char *text)
{
    struct fm_writer out = {.arena = &arena};
    fm_mail_header_write(&out, "Subject", text);
    return fm_writer_text(&out);
}

static const char *body(const char *text)
{
    struct fm_writer out = {.arena = &arena};
    fm_write(&out, "%s", "");
    fm_mail_quoted_printable(&out, text);
    return fm_writer_text(&out);
}

/* Printable ASCII in lines of at most 76; every line but the first of a header begins with a blank. */
static bool sound(const char *text, bool is_header)
{
    size_t column = 0;
    for (const char *at = text; *at; at++) {
        if (*at != '\n' && (*at < ' ' || *at > '~'))
            return false;
        column = *at == '\n' ? 0 : column + 1;
        if (column > 76 || (is_header && *at == '\n' && at[1] && at[1] != ' '))
            return false;
    }
    return !column;
}

static void equal(const char *got, const char *wanted, const char *what)
{
    if (!tap_ok(strcmp(got, wanted) == 0, "%s", what))
        printf("# %s\n", got);
}

static void headers(void)
{
    equal(header("68 % efficient"), "Subject: 68 % efficient\n", "a plain header stays plain");
    equal(header("K\xc3\xa4se = gut"), "Subject: =?utf-8?q?K=C3=A4se_=3D_gut?=\n", "others become encoded words");
    equal(header("a\r\nBcc: x@y.z"), "Subject: a??Bcc: x@y.z\n", "line ends do not begin another header");
    equal(header("=?utf-8?q?x?="), "Subject: =?utf-8?q?=3D=3Futf=2D8=3Fq=3Fx=3F=3D?=\n",
          "nobody sends encoded words of his own");
    equal(header(""), "Subject: \n", "an empty one");
    char text[4000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    tap_ok(sound(header(text), true) && strlen(header(text)) < 600, "a long word is cut and folded");
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xd7\xa9", 2);
    text[sizeof text - 2] = '\0';
    tap_ok(sound(header(text), true), "as is one in Hebrew");
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 7 ? 'a' : ' ';
    text[0] = 'a';
    tap_ok(sound(header(text), true) && strstr(header(text), "\n "), "a long plain header is folded at blanks");
    equal(header("a\xe2\x80\xae"
                 "b\xff"),
          "Subject: a?b?\n", "no change of direction, no invalid bytes");
}

static void bodies(void)
{
    equal(body("a=b \nc\t\n"), "a=3Db=20\nc=09\n", "blanks at the end of a line, tabs, =");
    equal(body(".\nFrom me\n.x"), "=2E\n=46rom me\n=2Ex\n", "what programs on the way change");
    equal(body("\r\n--=_fathom-part\n"), "=0D\n--=3D_fathom-part\n", "a text cannot end its part");
    char text[1000];
    for (size_t i = 0; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "\xe2\x82\xac", 3);
    text[sizeof text - 1] = '\0';
    tap_ok(sound(body(text), false), "long lines are divided");
    for (size_t n = 60; n < 90; n++) {
        memset(text, 'a', n);
        text[n - 1] = n % 2 ? '=' : ' ';
        text[n] = '\0';
        if (!sound(body(text), false))
            tap_ok(false, "a line of %zu bytes", n);
    }
    equal(body(""), "", "nothing");
}

static void addresses(void)
{
    static const char *const good[] = {"a@b", "ann.b+c_d-e@hpc.example.org", "4711@x1"};
    static const char *const bad[] = {"",           "a",      "@b",        "a@",          "a b@c",  "a@b,c@d",
                                      "a@b\n",      "a@b c",  "<a@b>",     "a@b@c",       "-f@b",   "a..b@c",
                                      ".a@b",       "a@b.",   "\"a\"@b.c", "a\xc3\xa4@b", "a@-b.c", "a;b@c.d",
                                      "a@b.c\rBcc", "a(b)@c", "a\\@b"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        tap_ok(fm_mail_address_good(good[i]), "an address: %s", good[i]);
    size_t accepted = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        accepted += fm_mail_address_good(bad[i]);
    tap_ok(accepted == 0, "no addresses: %zu accepted", accepted);
    tap_ok(fm_mail_unsubscribe_good("mailto:a@b?subject=no%20mails") && !fm_mail_unsubscribe_good("javascript:x") &&
               !fm_mail_unsubscribe_good("https://a\nb") && !fm_mail_unsubscribe_good("mailto:a>,<b"),
           "where to say no");
    struct fm_mail_addresses list = {.domain = "example.org"};
    struct fm_mail_address items[] = {{"ann", "ann.miller@example.com"}};
    list.items = items;
    list.n = 1;
    equal(fm_mail_address_of(&list, "ann", &arena), "ann.miller@example.com", "of the file");
    equal(fm_mail_address_of(&list, "bob", &arena), "bob@example.org", "of the domain");
    tap_ok(!fm_mail_address_of(&list, "*", &arena) && !fm_mail_address_of(&list, "a b", &arena) &&
               !fm_mail_address_of(&list, "a@b", &arena) && !fm_mail_address_of(&list, "x\r\nBcc: y", &arena) &&
               !fm_mail_address_of(&list, "", &arena),
           "who has no plain name has none");
    list.domain = "";
    tap_ok(!fm_mail_address_of(&list, "bob", &arena), "and no others without a domain");
    const char *const *found;
    struct fm_error error = {0};
    tap_ok(!fm_mail_address_list("a@b, c@d  e@f", "x", &arena, &found, &error) && strcmp(found[2], "e@f") == 0 &&
               !found[3],
           "a list");
    tap_ok(fm_mail_address_list("a@b c", "mail_staff", &arena, &found, &error) && strstr(error.text, "mail_staff"),
           "one that is none is named: %s", error.text);
}

static void messages(void)
{
    const char *const copies[] = {"x@y", "z@y", NULL};
    const struct fm_mail_message message = {
        .from_name = "F\xc3\xa4thom, \"Ltd\"",
        .from = "f@x",
        .to = "a@b",
        .copies = copies,
        .subject = "s",
        .id = "1@x",
        .unsubscribe = "mailto:f@x",
        .date = 1763424000,
        .text = "t",
        .html = "<p>h</p>",
    };
    struct fm_writer out = {.arena = &arena};
    fm_mail_message_write(&out, &message);
    equal(
        fm_writer_text(&out),
        "From: =?utf-8?q?F=C3=A4thom=2C_=22Ltd=22?= <f@x>\nTo: <a@b>\nBcc: <x@y>,\n <z@y>\nSubject: s\n"
        "Date: Tue, 18 Nov 2025 00:00:00 +0000\nMessage-ID: <1@x>\nAuto-Submitted: auto-generated\n"
        "List-Unsubscribe: <mailto:f@x>\nMIME-Version: 1.0\nContent-Type: multipart/alternative;\n"
        " boundary=\"=_fathom-part\"\n\n--=_fathom-part\nContent-Type: text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n\nt\n\n--=_fathom-part\nContent-Type: text/html; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n\n<p>h</p>\n\n--=_fathom-part--\n",
        "a whole message");
}

int main(void)
{
    headers();
    bodies();
    addresses();
    messages();
    fm_arena_destroy(&arena);
    return tap_done();
}
