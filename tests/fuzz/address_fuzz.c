/* Any bytes as the address of a request to a site's server: path, query, filter. What is accepted must be what was meant: the
 * same values come back from an address that is written anew, and a filter has no condition that was not asked for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "site/http/parameters.h"

enum { MOST = 2048, DAY_S = 86400 }; /* of an address, as http/handler.c has it */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- path ---- */

static void check_route(const char *path, const struct fm_site_route *route)
{
    bool has_job = route->kind == FM_SITE_JOB || route->kind == FM_SITE_TAG || route->kind == FM_SITE_UNTAG ||
                   route->kind == FM_SITE_PROFILE;
    must(route->kind <= FM_SITE_PROFILE);
    must(!has_job || route->job > 0);
    must(memchr(route->slice, 0, sizeof route->slice));
    must(route->kind != FM_SITE_PROFILE || (*route->slice && !strstr(route->slice, "..")));
    /* a path is in use in one form only */
    if (has_job) {
        char again[MOST + 64];
        snprintf(again, sizeof again, "/api/site/%s/%" PRId64 "%s%s",
                 route->kind == FM_SITE_PROFILE ? "profile" : "job", route->job,
                 route->kind == FM_SITE_TAG     ? "/tag"
                 : route->kind == FM_SITE_UNTAG ? "/untag"
                 : *route->slice                ? "/"
                                                : "",
                 route->slice);
        must(strcmp(again, path) == 0);
    }
}

/* ---- query ---- */

/* As libmicrohttpd splits it; names and values stay escaped. Returns what is wrong, or NULL. */
static const char *add_all(struct fm_site_parameters *parameters, enum fm_site_route_kind kind, char *query, size_t *n)
{
    const char *wrong = NULL, *seen[MOST];
    char *rest;
    for (char *pair = strtok_r(query, "&", &rest); pair; pair = strtok_r(NULL, "&", &rest)) {
        char *equals = strchr(pair, '=');
        if (equals)
            *equals = 0;
        seen[(*n)++] = pair;
        if (!wrong)
            wrong = fm_site_parameters_add(parameters, kind, pair, equals ? equals + 1 : NULL);
    }
    for (size_t i = 0; !wrong && i < *n; i++)
        for (size_t j = 0; j < i; j++)
            must(strcmp(seen[i], seen[j]) != 0);
    must(!wrong || (*wrong && strlen(wrong) < FM_SITE_WRONG));
    return wrong;
}

static bool is_inside(const struct fm_site_parameters *parameters, const char *text)
{
    return text >= parameters->text && text + strlen(text) < parameters->text + parameters->used;
}

static void check_text(const char *text)
{
    must(*text);
    while (*text) {
        uint32_t code = fm_utf8_next(&text);
        must(code != FM_UTF8_DAMAGED && code >= ' ' && code != 0x7f);
    }
}

static void check_values(const struct fm_site_parameters *parameters, enum fm_site_route_kind kind, size_t given)
{
    static const char *const names[] = {
#define X(name) #name,
        FM_SITE_PARAMETERS(X)
#undef X
    };
    struct fm_site_parameters again = {0};
    must(parameters->used <= sizeof parameters->text);
    size_t n = 0;
    for (int i = 0; i < FM_SITE_N_PARAMETERS; i++) {
        const char *value = parameters->values[i];
        char escaped[3 * MOST + 1];
        if (!value)
            continue;
        must(is_inside(parameters, value));
        check_text(value);
        for (size_t j = 0; value[j]; j++)
            snprintf(escaped + 3 * j, 4, "%%%02x", (unsigned char)value[j]);
        must(!fm_site_parameters_add(&again, kind, names[i], escaped));
        must(again.values[i] && strcmp(again.values[i], value) == 0);
        must(fm_site_parameters_add(&again, kind, names[i], "twice"));
        n++;
    }
    must(n <= given);
}

/* ---- filter ---- */

static void check_day(const char *text, int64_t seconds)
{
    char day[24] = "";
    struct tm tm;
    time_t time = (time_t)seconds;
    if (!text) {
        must(seconds == -1);
        return;
    }
    must(gmtime_r(&time, &tm) && strftime(day, sizeof day, "%Y-%m-%d", &tm) && strcmp(day, text) == 0);
}

static void check_filter(const struct fm_site_parameters *parameters)
{
    const char *const *values = parameters->values;
    struct fm_jobs_filter filter;
    if (fm_site_filter_make(&filter, parameters))
        return;
    must(!filter.owner && !filter.tag && !filter.among && filter.uid == -1);
    must(filter.user == values[FM_SITE_PARAMETER_user] && filter.program == values[FM_SITE_PARAMETER_program] &&
         filter.account == values[FM_SITE_PARAMETER_account] && filter.host == values[FM_SITE_PARAMETER_host] &&
         filter.partition == values[FM_SITE_PARAMETER_partition] && filter.rule == values[FM_SITE_PARAMETER_rule]);
    must((filter.least_ranks >= 0) == !!values[FM_SITE_PARAMETER_ranks_from] &&
         (filter.most_ranks >= 0) == !!values[FM_SITE_PARAMETER_ranks_to]);
    must((filter.complete >= 0) == !!values[FM_SITE_PARAMETER_state] && filter.complete <= 1);
    must((filter.least_mpi >= 0) == !!values[FM_SITE_PARAMETER_mpi_from] && filter.least_mpi <= 1);
    check_day(values[FM_SITE_PARAMETER_from], filter.from);
    check_day(values[FM_SITE_PARAMETER_to], filter.to < 0 ? filter.to : filter.to - DAY_S);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char address[MOST + 1];
    struct fm_site_parameters parameters = {0};
    size_t given = 0;
    if (size > MOST || memchr(data, 0, size))
        return 0;
    memcpy(address, data, size);
    address[size] = 0;
    char *query = strchr(address, '?');
    if (query)
        *query++ = 0;
    struct fm_site_route route = fm_site_route_of(address);
    check_route(address, &route);
    if (!query || add_all(&parameters, route.kind, query, &given))
        return 0;
    check_values(&parameters, route.kind, given);
    check_filter(&parameters);
    return 0;
}
