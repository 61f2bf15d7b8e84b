/* SPDX-License-Identifier: BSD-3-Clause */
/* What the last analysis found. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "site/http/insight_list.h"

static void write_document(struct fm_json *json, const char *document)
{
    json_t *parsed = json_loads(document, 0, NULL);
    char *text = parsed ? json_dumps(parsed, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (text)
        fm_json_raw(json, "details", text);
    else
        fm_json_null(json, "details");
    free(text);
    json_decref(parsed);
}

void fm_site_write_insights(struct fm_json *json, const struct fm_insight_list *list)
{
    fm_json_array(json, "insights", FM_JSON_LINES);
    for (size_t i = 0; i < list->n; i++) {
        const struct fm_insight *insight = &list->insights[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "kind", insight->kind);
        fm_site_text_or_null(json, "user", insight->user);
        fm_site_text_or_null(json, "program", insight->program);
        fm_site_text_or_null(json, "host", insight->host);
        fm_site_json_day(json, "day", insight->day);
        fm_json_real(json, "cost_s", insight->cost_s);
        fm_json_real(json, "certainty", insight->certainty);
        fm_json_text(json, "sentence", insight->sentence);
        write_document(json, insight->document);
        fm_json_end(json);
    }
    fm_json_end(json);
}

enum fm_status fm_site_answer_insights(struct fm_site_answering *answering, struct fm_error *error)
{
    struct fm_insight_list list = {.analysed = -1};
    const char *program = answering->request->parameters.values[FM_SITE_PARAMETER_program];
    enum fm_status status = FM_OK;
    if (!answering->scope.nothing)
        status = fm_insights_read(answering->db, answering->scope.user, program, &answering->arena, &list, error);
    if (status)
        return status;
    struct fm_json json = {.out = answering->out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    if (list.analysed >= 0)
        fm_json_signed(&json, "analysed_at", list.analysed);
    else
        fm_json_null(&json, "analysed_at");
    fm_site_write_insights(&json, &list);
    fm_json_end(&json);
    return FM_OK;
}
