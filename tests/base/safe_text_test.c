/* What stands for characters that mean something to what they are written into. */
#include "base/safe_text.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static const char *const names[] = {"terminal", "CSV", "JSON", "XML", "DOT", "collapsed", "plain"};

static void all_as(enum fm_safe kind, const char *text, const char *wanted, const char *what)
{
    char got[256];
    size_t n = 0;
    for (const char *end = text + strlen(text); text < end;)
        n += fm_safe_next(kind, &text, got + n);
    got[n] = 0;
    tap_ok(strcmp(got, wanted) == 0, "%s: %s", names[kind], what);
}

#define GONE "\xef\xbf\xbd"

int main(void)
{
    static const struct {
        const char *what, *text, *as[7]; /* by kind */
    } cases[] = {
        {"ordinary text", "gr\xc3\xbc\xc3\x9f \xe6\xb5\xb7 \xf0\x9f\x8c\x8a", {NULL}},
        {"escape",
         "a\x1b[31mb",
         {"a?[31mb", "a?[31mb", "a\\u001b[31mb", "a&#xfffd;[31mb", "a" GONE "[31mb", "a [31mb", "a" GONE "[31mb"}},
        {"a C1 control",
         "\xc2\x9b"
         "1m",
         {"?1m", "?1m", "\\u009b1m", "&#xfffd;1m", GONE "1m", " 1m", GONE "1m"}},
        {"a byte that is C1",
         "\x9b"
         "1m",
         {"?1m", "?1m", GONE "1m", "&#xfffd;1m", GONE "1m", " 1m", GONE "1m"}},
        {"delete", "\x7f", {"?", "?", "\\u007f", "&#xfffd;", GONE, " ", GONE}},
        {"the end of a line", "a\nb", {"a?b", "a?b", "a\\u000ab", "a&#10;b", "a\\nb", "a b", "a" GONE "b"}},
        {"a turn of direction", "\xe2\x80\xae", {"?", "?", "\\u202e", "&#xfffd;", GONE, " ", GONE}},
        {"an isolate", "\xe2\x81\xa6", {"?", "?", "\\u2066", "&#xfffd;", GONE, " ", GONE}},
        {"a line separator", "\xe2\x80\xa8", {"?", "?", "\\u2028", "&#xfffd;", GONE, " ", GONE}},
        {"an Arabic letter mark", "\xd8\x9c", {"?", "?", "\\u061c", "&#xfffd;", GONE, " ", GONE}},
        {"a tag", "\xf3\xa0\x81\x81", {"?", "?", "\\udb40\\udc41", "&#xfffd;", GONE, " ", GONE}},
        {"a lone surrogate",
         "\xed\xa0\x80",
         {"???", "???", GONE GONE GONE, "&#xfffd;&#xfffd;&#xfffd;", GONE GONE GONE, "   ", GONE GONE GONE}},
        {"a sequence cut short",
         "a\xe2\x80",
         {"a??", "a??", "a" GONE GONE, "a&#xfffd;&#xfffd;", "a" GONE GONE, "a  ", "a" GONE GONE}},
        {"an overlong one", "\xc0\xaf", {"??", "??", GONE GONE, "&#xfffd;&#xfffd;", GONE GONE, "  ", GONE GONE}},
        {"no character", "\xef\xbf\xbf", {NULL, NULL, NULL, "&#xfffd;", NULL, NULL, NULL}},
        {"marks",
         "<\"'&\\;>",
         {NULL, "<\"\"'&\\;>", "<\\\"'&\\\\;>", "&#60;&#34;&#39;&#38;\\;&#62;", "<\\\"'&\\\\;>", "<\"'&\\:>", NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum fm_safe kind = FM_SAFE_TERMINAL; kind <= FM_SAFE_PLAIN; kind++)
            all_as(kind, cases[i].text, cases[i].as[kind] ? cases[i].as[kind] : cases[i].text, cases[i].what);
    return tap_done();
}
