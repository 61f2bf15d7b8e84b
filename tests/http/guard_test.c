/* Tokens, and what the guard says before anything else is looked at. tests/http/security_test.py asks a real server. */
#include "http/guard.h"

#include <string.h>

#include "tap.h"

static void tokens(void)
{
    struct fm_guard guard, other;
    tap_ok(fm_guard_make(&guard, 8080) && strspn(guard.token, "0123456789abcdef") == FM_TOKEN_CHARS &&
               !guard.token[FM_TOKEN_CHARS] && strcmp(guard.cookie, "fathom-8080") == 0,
           "a token and a name");
    tap_ok(fm_guard_make(&other, 0) && strcmp(guard.token, other.token) != 0 && strlen(other.cookie) == 15,
           "another one for each server");
    tap_ok(fm_token_equal(guard.token, guard.token), "equal");
    size_t refused = 0;
    for (size_t i = 0; i < FM_TOKEN_CHARS; i++) {
        char given[FM_TOKEN_CHARS + 2];
        strcpy(given, guard.token);
        given[i] ^= 1;
        refused += !fm_token_equal(guard.token, given);
        given[i] = 0;
        refused += !fm_token_equal(guard.token, given);
    }
    tap_ok(refused == 2 * FM_TOKEN_CHARS, "any character that differs, or is missing");
    char longer[FM_TOKEN_CHARS + 2];
    snprintf(longer, sizeof longer, "%s0", guard.token);
    tap_ok(!fm_token_equal(guard.token, longer) && !fm_token_equal(guard.token, ""), "longer, and empty");
}

static void order(void)
{
    struct fm_guard guard;
    fm_guard_make(&guard, 8080);
    struct fm_asked good = {.method = "GET", .path = "/api/list", .host = "127.0.0.1:8080", .hosts = 1};
    good.cookie = guard.token;
    tap_ok(!fm_guard_check(&guard, &good).refused && !fm_guard_check(&guard, &good).welcome, "allowed");
    struct fm_asked asked = good;
    asked.other_user = true;
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "another user, whatever is asked");
    asked = good;
    asked.method = "POST";
    tap_ok(fm_guard_check(&guard, &asked).refused == 405, "a method that changes things");
    asked.is_action = true;
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "for an action, a cookie is not enough");
    asked.origin = "http://127.0.0.1:8080";
    tap_ok(!fm_guard_check(&guard, &asked).refused, "but a page of this server may ask for it");
    asked.origin = "http://127.0.0.1:8081";
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "and no other");
    asked.origin = "http://127.0.0.1:8080";
    asked.method = "GET";
    tap_ok(fm_guard_check(&guard, &asked).refused == 405, "an action is no document");
    asked = good;
    asked.hosts = 2;
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "two hosts");
    asked = good;
    asked.host = NULL;
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "no host");
    asked = good;
    asked.path = "/";
    asked.token = "wrong";
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "a wrong token is wrong, even with the cookie");
    asked.token = guard.token;
    asked.cookie = NULL;
    tap_ok(fm_guard_check(&guard, &asked).welcome, "the right token needs no cookie");
    asked.origin = "http://attacker.example";
    tap_ok(fm_guard_check(&guard, &asked).refused == 403, "but not from another site");
}

int main(void)
{
    tokens();
    order();
    return tap_done();
}
