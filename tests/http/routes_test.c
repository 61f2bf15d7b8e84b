/* What paths ask for; everything else is nothing. */
#include "http/routes.h"

#include <string.h>

#include "tap.h"

#define ID "0123456789abcdef"

static void is(const char *path, enum fm_route_kind kind, const char *id, const char *slice)
{
    struct fm_route route = fm_route_of(path);
    tap_ok(route.kind == kind && (!kind || (strcmp(route.id, id) == 0 && strcmp(route.slice, slice) == 0)), "%.60s",
           path);
}

static void lists(const char *list, int wanted, bool is_wrong)
{
    char id[FM_ID_CHARS + 1];
    bool wrong = false;
    int n = 0;
    for (const char *at = list; fm_route_next_id(&at, id, &wrong);)
        n += strlen(id) == FM_ID_CHARS;
    tap_ok(n == wanted && wrong == is_wrong, "list '%.60s'", list);
}

int main(void)
{
    char long_path[64 + FM_SLICE_BYTES] = "/api/profile/" ID "/";
    is("/", FM_ROUTE_PAGE, "", "");
    is("/assets/app.js", FM_ROUTE_SCRIPT, "", "");
    is("/assets/app.css", FM_ROUTE_STYLE, "", "");
    is("/api/list", FM_ROUTE_LIST, "", "");
    is("/api/jobs", FM_ROUTE_JOBS, "", "");
    is("/api/scale", FM_ROUTE_SCALE, "", "");
    is("/api/profile/" ID "/summary", FM_ROUTE_SLICE, ID, "summary");
    is("/api/profile/" ID "/tree/calls/17", FM_ROUTE_SLICE, ID, "tree/calls/17");
    is("/api/job/ompi-1-Ab_c/ranks", FM_ROUTE_JOB_SLICE, "ompi-1-Ab_c", "ranks");
    is("/api/job/a/stream", FM_ROUTE_JOB_STREAM, "a", "stream");
    is("/api/job/a/sample", FM_ROUTE_JOB_SAMPLE, "a", "sample");
    is("/api/job/a/stop", FM_ROUTE_JOB_STOP, "a", "stop");
    tap_ok(fm_route_is_action(FM_ROUTE_JOB_STOP) && fm_route_is_action(FM_ROUTE_JOB_SAMPLE) &&
               !fm_route_is_action(FM_ROUTE_JOB_STREAM) && !fm_route_is_action(FM_ROUTE_NONE),
           "what is done, and what is only looked at");
    is("/api/job/a/stream/x", FM_ROUTE_JOB_SLICE, "a", "stream/x");
    const char *const nothing[] = {"",
                                   "//",
                                   "/api",
                                   "/api/",
                                   "/api/list/",
                                   "/api/list%00",
                                   "/API/list",
                                   "/api/profile/",
                                   "/api/profile/" ID,
                                   "/api/profile/" ID "/",
                                   "/api/profile/" ID "0/summary",
                                   "/api/profile/0123456789abcde/summary",
                                   "/api/profile/0123456789ABCDEF/summary",
                                   "/api/profile/" ID "/../x",
                                   "/api/profile/" ID "/%2e%2e",
                                   "/api/profile/" ID "/a b",
                                   "/api/profile/" ID "/a\\b",
                                   "/api/profile/../" ID "/summary",
                                   "/api/job//summary",
                                   "/api/job/../summary",
                                   "/api/job/a.b/summary",
                                   "/api/job/a/",
                                   "/api/job/a",
                                   "/assets/",
                                   "/assets/../api/list"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        is(nothing[i], FM_ROUTE_NONE, "", "");
    memset(long_path + strlen(long_path), 'a', FM_SLICE_BYTES);
    is(long_path, FM_ROUTE_NONE, "", "");
    lists("", 0, false);
    lists(ID, 1, false);
    lists(ID "," ID, 2, false);
    lists(ID "%2C" ID "%2c" ID, 3, false);
    lists(ID ",", 0, true);
    lists("," ID, 0, true);
    lists(ID "," ID "x", 1, true);
    lists(ID ";" ID, 0, true);
    lists("0123", 0, true);
    lists(ID "0", 0, true);
    return tap_done();
}
