/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/who.h"

#include <arpa/inet.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/small_file.h"

enum { WORD = 256, GROUPS = 1024, NSS_BYTES = 65536 };
#define STAFF_NS 60000000000ull
#define USER_WORD "user:"

const char *const fm_site_ways[] = {[FM_SITE_LOCAL] = "host", [FM_SITE_TOKENS] = "token", [FM_SITE_HEADER] = "proxy"};

/* ---- lists ---- */

/* The next word of a list; false at its end, or if it is too long to be one. */
static bool next_word(const char **list, char word[WORD])
{
    *list += strspn(*list, " \t,");
    size_t length = strcspn(*list, " \t,");
    if (!length || length >= WORD)
        return false;
    memcpy(word, *list, length);
    word[length] = 0;
    *list += length;
    return true;
}

static bool user_number(const char *name, long *uid)
{
    char bytes[4096];
    struct passwd entry, *found = NULL;
    if (getpwnam_r(name, &entry, bytes, sizeof bytes, &found) != 0 || !found)
        return false;
    *uid = (long)found->pw_uid;
    return true;
}

/* "10.1.2.3", "10.1.0.0/16". */
static bool read_network(const char *word, uint32_t *network, uint32_t *mask)
{
    char address[32];
    struct in_addr in;
    const char *slash = strchr(word, '/');
    size_t length = slash ? (size_t)(slash - word) : strlen(word);
    unsigned long bits = 32;
    if (length >= sizeof address)
        return false;
    memcpy(address, word, length);
    address[length] = 0;
    if (slash) {
        size_t digits = strspn(slash + 1, "0123456789");
        bits = strtoul(slash + 1, NULL, 10);
        if (digits < 1 || digits > 2 || slash[1 + digits] || bits > 32 || bits == 0)
            return false;
    }
    if (inet_pton(AF_INET, address, &in) != 1)
        return false;
    *mask = ~0u << (32 - bits);
    *network = ntohl(in.s_addr) & *mask;
    return true;
}

const char *fm_site_trusted_wrong(const char *list)
{
    char word[WORD];
    uint32_t network, mask;
    long uid;
    while (*(list += strspn(list, " \t,"))) {
        const char *start = list;
        if (!next_word(&list, word))
            return start;
        if (strncmp(word, USER_WORD, sizeof USER_WORD - 1) == 0
                ? !user_number(word + sizeof USER_WORD - 1, &uid)
                : !read_network(word, &network, &mask) || network >> 24 == IN_LOOPBACKNET)
            return start;
    }
    return NULL;
}

bool fm_site_is_trusted(const char *list, const struct fm_site_asks *asks)
{
    char word[WORD];
    uint32_t network, mask;
    long uid;
    while (next_word(&list, word)) {
        if (strncmp(word, USER_WORD, sizeof USER_WORD - 1) == 0) {
            if (asks->is_here && asks->peer >= 0 && user_number(word + sizeof USER_WORD - 1, &uid) && uid == asks->peer)
                return true;
        } else if (!asks->is_here && read_network(word, &network, &mask) && (asks->address & mask) == network) {
            return true;
        }
    }
    return false;
}

/* ---- where a request comes from ---- */

static bool same_host(const char *name, const char *host, size_t length)
{
    return strlen(name) == length && strncasecmp(name, host, length) == 0;
}

bool fm_site_host_is_ours(const char *hosts, unsigned port, const char *host)
{
    char word[WORD];
    const char *colon = strrchr(host, ':');
    size_t length = colon ? (size_t)(colon - host) : strlen(host);
    if (colon && (strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 || !colon[1]))
        return false;
    if (same_host("localhost", host, length) || same_host("127.0.0.1", host, length))
        return !port || (colon && strtoul(colon + 1, NULL, 10) == port);
    while (next_word(&hosts, word))
        if (same_host(word, host, length) || same_host(word, host, strlen(host)))
            return true;
    return false;
}

/* A page of this server, under the name by which it is asked now; TLS ends at the proxy. */
static bool origin_is_ours(const char *host, const char *origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(origin, schemes[i], strlen(schemes[i])) == 0 && strcasecmp(origin + strlen(schemes[i]), host) == 0)
            return true;
    return false;
}

static bool site_is_ours(const char *fetch_site)
{
    return strcmp(fetch_site, "same-origin") == 0 || strcmp(fetch_site, "none") == 0;
}

/* ---- staff ---- */

static bool in_group(const char *user, const char *group)
{
    char bytes[4096];
    gid_t groups[GROUPS], wanted;
    int n = GROUPS;
    struct passwd entry, *found = NULL;
    struct group line, *of = NULL;
    char *room = malloc(NSS_BYTES);
    bool is_known = room && getgrnam_r(group, &line, room, NSS_BYTES, &of) == 0 && of;
    wanted = is_known ? of->gr_gid : 0;
    free(room);
    if (!is_known || getpwnam_r(user, &entry, bytes, sizeof bytes, &found) != 0 || !found ||
        getgrouplist(user, found->pw_gid, groups, &n) < 0)
        return false;
    for (int i = 0; i < n; i++)
        if (groups[i] == wanted)
            return true;
    return false;
}

bool fm_site_staff_has(const char *list, const char *user)
{
    char word[WORD];
    while (next_word(&list, word))
        if (*word == '@' ? in_group(user, word + 1) : strcmp(word, user) == 0)
            return true;
    return false;
}

/* Groups may come from a directory on another host: not for every request. */
static bool is_staff(struct fm_site_who *who, const char *user)
{
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    static const struct fm_siphash_key spread = {1, 2};
    size_t i = fm_siphash(&spread, user, strlen(user)) % FM_SITE_STAFF_KNOWN;
    if (strcmp(who->staff[i].user, user) != 0 || now > who->staff[i].until_ns) {
        who->staff[i].staff = fm_site_staff_has(who->config->staff, user);
        who->staff[i].until_ns = now + STAFF_NS;
        strcpy(who->staff[i].user, user);
    }
    return who->staff[i].staff;
}

/* ---- opening ---- */

static bool hex_word(const char *text, uint64_t *word)
{
    char digits[17] = "";
    memcpy(digits, text, 16);
    *word = strtoull(digits, NULL, 16);
    return strspn(digits, "0123456789abcdefABCDEF") == 16;
}

static enum fm_status read_hash_key(struct fm_site_who *who, struct fm_error *error)
{
    char text[64] = "";
    const char *path = who->config->hash_key;
    size_t length = fm_small_file_read(path, text, sizeof text);
    while (length && strchr("\r\n\t ", text[length - 1]))
        length--;
    who->hash_names = true;
    if (length != 32 || !hex_word(text, &who->hash_key.high) || !hex_word(text + 16, &who->hash_key.low))
        return fm_fail(error, FM_ERR_INPUT,
                       "cannot read the key in %s, without which users cannot find their jobs (hash_names)", path);
    return FM_OK;
}

enum fm_status fm_site_who_open(struct fm_site_who *who, const struct fm_site_config *config, const char *tokens,
                                struct fm_error *error)
{
    const char *file = tokens ? tokens : *config->http_tokens ? config->http_tokens : NULL;
    struct in_addr address;
    *who = (struct fm_site_who){.config = config};
    who->way = file ? FM_SITE_TOKENS : *config->http_user_header ? FM_SITE_HEADER : FM_SITE_LOCAL;
    if (file && *config->http_user_header)
        return fm_fail(error, FM_ERR_INPUT, "users are known either by tokens or by the header %s, not by both",
                       config->http_user_header);
    if (inet_pton(AF_INET, config->http_address, &address) != 1)
        return fm_fail(error, FM_ERR_INPUT, "http_address must be an address such as 127.0.0.1, not '%.60s'",
                       config->http_address);
    if (who->way == FM_SITE_LOCAL && ntohl(address.s_addr) >> 24 != IN_LOOPBACKNET)
        return fm_fail(
            error, FM_ERR_INPUT,
            "only users of this host can be known without tokens or a header: http_address must be 127.0.0.1");
    const char *lists[] = {config->http_trusted, config->http_metrics};
    for (size_t i = 0; i < 2; i++)
        if (fm_site_trusted_wrong(lists[i]))
            return fm_fail(error, FM_ERR_INPUT,
                           "%s must have addresses of other hosts, or user:NAME of users of this host, not '%.60s'",
                           i ? "http_metrics" : "http_trusted", fm_site_trusted_wrong(lists[i]));
    if (who->way == FM_SITE_HEADER && !*config->http_trusted)
        return fm_fail(error, FM_ERR_INPUT, "http_trusted must name the proxy that sets %s", config->http_user_header);
    enum fm_status status = config->hash_names ? read_hash_key(who, error) : FM_OK;
    return !status && file ? fm_site_tokens_open(&who->tokens, file, error) : status;
}

void fm_site_who_close(struct fm_site_who *who)
{
    fm_site_tokens_close(&who->tokens);
}

/* ---- users ---- */

static void set_viewer(struct fm_site_who *who, struct fm_site_viewer *viewer, const char *user, bool staff)
{
    viewer->known = true;
    snprintf(viewer->user, sizeof viewer->user, "%s", user);
    if (who->hash_names)
        snprintf(viewer->name, sizeof viewer->name, "h%016" PRIx64, fm_siphash(&who->hash_key, user, strlen(user)));
    else
        strcpy(viewer->name, viewer->user);
    viewer->staff = staff || is_staff(who, viewer->user);
}

static struct fm_site_refusal refuse(unsigned code, const char *sentence)
{
    return (struct fm_site_refusal){code, sentence};
}

static struct fm_site_refusal find_by_token(struct fm_site_who *who, const struct fm_site_asks *asks,
                                            struct fm_site_viewer *viewer)
{
    static const char scheme[] = "Bearer ";
    const char *given = asks->authorization ? asks->authorization : asks->cookie;
    if (!given)
        return refuse(asks->is_login ? 401 : 0, "a token is needed");
    if (asks->authorization && strncmp(given, scheme, sizeof scheme - 1) != 0)
        return refuse(401, "a token is needed, as Authorization: Bearer");
    if (asks->authorization)
        given += sizeof scheme - 1;
    const struct fm_site_token *token = fm_site_tokens_find(&who->tokens, given);
    if (token)
        set_viewer(who, viewer, token->user, token->staff);
    else if (!asks->is_open || asks->is_login)
        return refuse(401, "the token is wrong");
    return refuse(0, NULL);
}

static struct fm_site_refusal find_by_header(struct fm_site_who *who, const struct fm_site_asks *asks,
                                             struct fm_site_viewer *viewer)
{
    if (!fm_site_is_trusted(who->config->http_trusted, asks)) {
        if (asks->users)
            return refuse(403, "the header with the user is not believed from here");
        return refuse(asks->is_metrics ? 0 : 403, "this server is asked through its proxy");
    }
    if (asks->users > 1)
        return refuse(400, "the header with the user is there more than once");
    if (!asks->users || !*asks->user)
        return refuse(0, NULL);
    if (!fm_site_user_is_name(asks->user))
        return refuse(400, "the header does not have the name of a user");
    set_viewer(who, viewer, asks->user, false);
    return refuse(0, NULL);
}

static struct fm_site_refusal find_local(struct fm_site_who *who, const struct fm_site_asks *asks,
                                         struct fm_site_viewer *viewer)
{
    char bytes[4096], number[24];
    struct passwd entry, *found = NULL;
    if (!asks->is_here || asks->peer < 0)
        return refuse(403, "this server answers users of its own host only");
    getpwuid_r((uid_t)asks->peer, &entry, bytes, sizeof bytes, &found);
    snprintf(number, sizeof number, "%ld", asks->peer);
    set_viewer(who, viewer, found ? found->pw_name : number, asks->peer == 0);
    return refuse(0, NULL);
}

static struct fm_site_refusal check_form(const struct fm_site_who *who, const struct fm_site_asks *asks)
{
    bool posts = strcmp(asks->method, "POST") == 0,
         gets = strcmp(asks->method, "GET") == 0 || strcmp(asks->method, "HEAD") == 0;
    if (asks->is_action ? !posts : !gets)
        return refuse(405, asks->is_action ? "only POST is allowed here" : "only GET and HEAD are allowed");
    if (asks->has_body)
        return refuse(400, "a request must not have a body");
    if (asks->hosts != 1 || !asks->host || !fm_site_host_is_ours(who->config->http_hosts, who->port, asks->host))
        return refuse(403, "the request is for another host; its name must be among http_hosts");
    if (asks->origin && !origin_is_ours(asks->host, asks->origin))
        return refuse(403, "pages of other sites may not ask this server");
    if (asks->fetch_site && !site_is_ours(asks->fetch_site) && !asks->is_open)
        return refuse(403, "pages of other sites may not ask this server");
    /* a browser says which page asks; a program sends a token */
    if (posts && !asks->origin && !(who->way == FM_SITE_TOKENS && asks->authorization))
        return refuse(403, "the request does not say which page it comes from");
    return refuse(0, NULL);
}

struct fm_site_refusal fm_site_who_check(struct fm_site_who *who, const struct fm_site_asks *asks,
                                         struct fm_site_viewer *viewer)
{
    *viewer = (struct fm_site_viewer){0};
    struct fm_site_refusal refusal = check_form(who, asks);
    if (refusal.code)
        return refusal;
    refusal = who->way == FM_SITE_TOKENS   ? find_by_token(who, asks, viewer)
              : who->way == FM_SITE_HEADER ? find_by_header(who, asks, viewer)
                                           : find_local(who, asks, viewer);
    if (refusal.code || asks->is_open)
        return refusal;
    if (asks->is_metrics) {
        bool allowed = viewer->known ? viewer->staff : fm_site_is_trusted(who->config->http_metrics, asks);
        return allowed || (who->way == FM_SITE_LOCAL && fm_site_is_trusted(who->config->http_metrics, asks))
                   ? refuse(0, NULL)
                   : refuse(403, "only the staff and those in http_metrics may read this");
    }
    if (!viewer->known)
        return refuse(401, who->way == FM_SITE_TOKENS ? "a token is needed" : "the proxy does not say who asks");
    return refuse(0, NULL);
}
