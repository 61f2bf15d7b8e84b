/* Who may ask a site's server: tokens, the proxy's header, users of the host. */
#include "site/http/who.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static const struct fm_site_asks usual = {
    .method = "GET", .host = "127.0.0.1:80", .hosts = 1, .peer = 0, .is_here = true, .address = 0x7f000001};

static void lists(void)
{
    struct fm_site_asks asks = {.address = 0x0a010203, .peer = -1};
    tap_ok(fm_site_is_trusted("10.1.2.3", &asks) && fm_site_is_trusted("192.168.0.1, 10.1.0.0/16", &asks) &&
               !fm_site_is_trusted("10.1.2.4 10.2.0.0/16", &asks) && !fm_site_is_trusted("", &asks),
           "addresses and networks");
    tap_ok(!fm_site_is_trusted("user:root", &asks), "a user is of this host");
    tap_ok(fm_site_is_trusted("user:root", &usual), "by the owner of the connection");
    asks = usual;
    asks.peer = -1;
    tap_ok(!fm_site_is_trusted("user:root 127.0.0.1 0.0.0.0/1", &asks), "who is unknown on this host is nobody");
    tap_ok(!fm_site_trusted_wrong("10.1.2.3 10.0.0.0/8,user:root"), "a list");
    static const char *const bad[] = {"10.1.2", "10.1.2.3/33",       "10.1.2.3/0", "127.0.0.1",
                                      "user:",  "user:no-such-user", "ann",        "::1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(fm_site_trusted_wrong(bad[i]), "'%s' is wrong", bad[i]);
    tap_ok(fm_site_host_is_ours("fathom.example.org", 80, "Fathom.Example.org") &&
               fm_site_host_is_ours("fathom.example.org", 80, "fathom.example.org:443") &&
               fm_site_host_is_ours("", 80, "localhost:80"),
           "names of the server");
    tap_ok(!fm_site_host_is_ours("fathom.example.org", 80, "example.org") &&
               !fm_site_host_is_ours("", 80, "localhost:81") && !fm_site_host_is_ours("", 80, "localhost") &&
               !fm_site_host_is_ours("a", 80, "a:x") && !fm_site_host_is_ours("a", 80, ""),
           "names of others");
}

static void token_lines(void)
{
    struct fm_site_token token;
    struct fm_error error;
    bool has;
    char line[512] = "", made[FM_SITE_TOKEN_CHARS + 1];
    unsigned char digest[FM_SHA256_BYTES];
    FILE *out = fmemopen(line, sizeof line, "w");
    tap_ok(!fm_site_token_make("ann", true, out, made, &error) && strlen(made) == FM_SITE_TOKEN_CHARS,
           "a token is made");
    fclose(out);
    fm_sha256(made, strlen(made), digest);
    tap_ok(!fm_site_token_read(line, &token, &has, &error) && has && token.staff && strcmp(token.user, "ann") == 0 &&
               memcmp(digest, token.digest, sizeof digest) == 0 && !strstr(line, made),
           "and read again; the file has its hash");
    tap_ok(!fm_site_token_read("bob 0123456789abcdef # plain\n", &token, &has, &error) && has && !token.staff,
           "a token itself");
    tap_ok(!fm_site_token_read("# comment\n", &token, &has, &error) && !has &&
               !fm_site_token_read(" \n", &token, &has, &error) && !has,
           "comments");
    static const char *const bad[] = {
        "ann",           "ann short",
        "ann sha256:12", "ann 0123456789abcdef chief",
        "a b c d",       "ann sha256:zz23456789012345678901234567890123456789012345678901234567890123"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(fm_site_token_read(bad[i], &token, &has, &error) == FM_ERR_INPUT && !strstr(error.text, "0123456"),
               "'%s' is wrong", bad[i]);
}

static unsigned code_of(struct fm_site_who *who, const struct fm_site_asks *asks, struct fm_site_viewer *viewer)
{
    return fm_site_who_check(who, asks, viewer).code;
}

static void by_header(void)
{
    struct fm_site_config config;
    struct fm_site_who who;
    struct fm_site_viewer viewer;
    struct fm_error error;
    char path[] = "/tmp/fathom-who-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("http_user_header = X-User\nhttp_trusted = user:root\nstaff = boss @root\n", file);
    fclose(file);
    tap_ok(!fm_site_config_read(&config, path, &error) && !fm_site_who_open(&who, &config, NULL, &error) &&
               who.way == FM_SITE_HEADER,
           "a proxy's header");
    who.port = 80;
    struct fm_site_asks asks = usual;
    asks.user = "ann";
    asks.users = 1;
    tap_ok(!code_of(&who, &asks, &viewer) && viewer.known && !viewer.staff && strcmp(viewer.name, "ann") == 0,
           "is believed");
    asks.user = "boss";
    tap_ok(!code_of(&who, &asks, &viewer) && viewer.staff, "the staff");
    asks.user = "root";
    tap_ok(!code_of(&who, &asks, &viewer) && viewer.staff, "by their group");
    asks.users = 2;
    tap_ok(code_of(&who, &asks, &viewer) == 400 && !viewer.known, "twice");
    asks.users = 1;
    asks.peer = 12345;
    tap_ok(code_of(&who, &asks, &viewer) == 403 && !viewer.known, "from another user of this host");
    asks.is_here = false;
    asks.address = 0x08080808;
    tap_ok(code_of(&who, &asks, &viewer) == 403, "from another host");
    asks = usual;
    tap_ok(code_of(&who, &asks, &viewer) == 401, "without it nobody is known");
    asks.is_open = true;
    tap_ok(!code_of(&who, &asks, &viewer) && !viewer.known, "but gets the page");
    asks = usual;
    asks.user = "a b";
    asks.users = 1;
    tap_ok(code_of(&who, &asks, &viewer) == 400, "no name");
    asks.user = "ann";
    asks.method = "POST";
    tap_ok(code_of(&who, &asks, &viewer) == 405, "POST of what is read");
    asks.is_action = true;
    tap_ok(code_of(&who, &asks, &viewer) == 403, "an action of an unknown page");
    asks.origin = "https://127.0.0.1:80";
    tap_ok(!code_of(&who, &asks, &viewer), "of a page of this server; TLS ends at the proxy");
    asks.origin = "https://127.0.0.1:81";
    tap_ok(code_of(&who, &asks, &viewer) == 403, "of another one");
    fm_site_who_close(&who);
    fm_site_config_destroy(&config);
    unlink(path);
}

int main(void)
{
    lists();
    token_lines();
    by_header();
    return tap_done();
}
