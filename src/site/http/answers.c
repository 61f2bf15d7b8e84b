/* SPDX-License-Identifier: BSD-3-Clause */
/* What the answers have in common. */
#include "site/http/answers.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/writer.h"
#include "site/store/classes.h"

enum { DAY_S = 86400 };

struct fm_site_scope fm_site_scope_of(const struct fm_site_request *request)
{
    const char *asked = request->parameters.values[FM_SITE_PARAMETER_user];
    struct fm_site_scope scope = {.user = asked};
    if (request->viewer.staff)
        return scope;
    scope.owner = scope.user = request->viewer.name;
    scope.nothing = asked && strcmp(asked, scope.owner) != 0;
    return scope;
}

enum fm_status fm_site_refuse(struct fm_site_answering *answering, unsigned code, const char *sentence)
{
    answering->code = code;
    answering->sentence = sentence;
    return FM_OK;
}

enum fm_status fm_site_months(struct fm_site_answering *answering, const char **list, struct fm_error *error)
{
    struct fm_writer text = {.arena = &answering->arena};
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, answering->db, "SELECT DISTINCT day FROM month_classes ORDER BY day",
                                          error);
    if (status)
        return status;
    fm_write(&text, "-1");
    while (!(status = fm_query_next(query, &row, error)) && row)
        fm_write(&text, ", %lld", (long long)fm_column_whole(query, 0));
    fm_query_close(query);
    *list = fm_writer_text(&text);
    return status || *list ? status : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a list of months");
}

const char *fm_site_day_text(int64_t day, char text[16])
{
    time_t seconds = (time_t)(day * DAY_S);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(text, 16, "%Y-%m-%d", &tm))
        strcpy(text, "?");
    return text;
}

void fm_site_json_day(struct fm_json *json, const char *key, int64_t day)
{
    char text[16];
    fm_json_text(json, key, fm_site_day_text(day, text));
}

void fm_site_text_or_null(struct fm_json *json, const char *key, const char *text)
{
    if (text && *text)
        fm_json_text(json, key, text);
    else
        fm_json_null(json, key);
}

void fm_site_hide_few(const struct fm_site_answering *answering, struct fm_reference *references)
{
    for (int i = 0; i < FM_REFERENCE_FIGURES && !answering->request->viewer.staff; i++)
        if (fm_reference_is_private(&references[i]))
            fm_reference_hide(&references[i]);
}

bool fm_site_days(struct fm_site_answering *answering, int64_t usual, int64_t *from, int64_t *until)
{
    const char *const *values = answering->request->parameters.values;
    const char *first = values[FM_SITE_PARAMETER_from], *last = values[FM_SITE_PARAMETER_to];
    *until = fm_day_of((int64_t)time(NULL));
    bool right = !last || fm_site_day_read(last, until);
    ++*until;
    *from = *until - usual;
    right = right && (!first || fm_site_day_read(first, from));
    if (right && *from < *until)
        return true;
    fm_site_refuse(answering, 400, "from and to must be days such as 2026-11-18, the first one before the other");
    return false;
}
