/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/json_parts.h"

#include "base/basename.h"
#include "base/units.h"

void fm_json_text_or_null(struct fm_json *json, const char *key, const char *text)
{
    if (text[0])
        fm_json_text(json, key, text);
    else
        fm_json_null(json, key);
}

static void write_field(struct fm_json *json, const struct fm_field *field, const void *item)
{
    uint64_t value = field->kind == FM_FIELD_TEXT ? 0 : fm_field_get(field, item);
    if (field->kind == FM_FIELD_TEXT)
        fm_json_text(json, field->key, *fm_field_text(field, item));
    else if ((field->kind == FM_FIELD_MAYBE && !value) || (field->kind == FM_FIELD_U64 && value == FM_UNKNOWN))
        fm_json_null(json, field->key);
    else if (field->unit == FM_UNIT_NS)
        fm_json_seconds(json, field->key, value - (field->kind == FM_FIELD_MAYBE));
    else
        fm_json_whole(json, field->key, value - (field->kind == FM_FIELD_MAYBE));
}

void fm_json_whole_or_null(struct fm_json *json, const char *key, bool known, uint64_t value)
{
    if (known)
        fm_json_whole(json, key, value);
    else
        fm_json_null(json, key);
}

void fm_json_fields(struct fm_json *json, const struct fm_fields *fields, const void *item)
{
    for (size_t i = 0; i < fields->n; i++)
        if (*fields->list[i].key && fields->list[i].kind != FM_FIELD_RETIRED)
            write_field(json, &fields->list[i], item);
}

static void write_place(struct fm_json *json, const struct fm_symbol *place)
{
    fm_json_text_or_null(json, "function", place->function);
    fm_json_text_or_null(json, "file", place->file);
    if (place->line)
        fm_json_whole(json, "line", place->line);
    else
        fm_json_null(json, "line");
    fm_json_bool(json, "approximate_line", place->approximate);
    fm_json_text_or_null(json, "path", place->path);
}

void fm_json_site(struct fm_report *report, struct fm_json *json, const struct fm_site *site, const char *routine)
{
    static const struct fm_symbol unknown = {.function = "", .path = "", .file = ""};
    const struct fm_site_frames found = fm_site_frames(report, site, routine);
    const struct fm_frames frames = found.frames;
    write_place(json, frames.known ? &frames.items[frames.n - 1] : &unknown);
    fm_json_array(json, "inlined_into", FM_JSON_INLINE);
    for (size_t i = frames.n; i-- > 1;) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        write_place(json, &frames.items[i - 1]);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_bool(json, "inferred", found.inferred);
    fm_json_bool(json, "callers_missing", found.callers_missing);
    fm_json_text_or_null(json, "module", site->module);
    fm_json_text_or_null(json, "build_id", site->build_id);
    fm_json_whole(json, "offset", site->offset);
}

void fm_json_ranks(struct fm_report *report, struct fm_json *json, const struct fm_rankset *ranks)
{
    const char *text = fm_rankset_text(ranks, &report->arena, 0);
    fm_json_text(json, "ranks", text ? text : "");
}

void fm_json_item_fields(struct fm_report *report, struct fm_json *json, const struct fm_list *list, const void *item)
{
    fm_json_fields(json, list->fields, item);
    for (size_t i = 0; i < list->compounds->n; i++)
        if (list->compounds->list[i].kind == FM_FIELD_RANKS)
            fm_json_ranks(report, json, fm_field_at(&list->compounds->list[i], item));
}

void fm_json_item(struct fm_report *report, struct fm_json *json, const struct fm_list *list, const void *item)
{
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_item_fields(report, json, list, item);
    fm_json_end(json);
}

void fm_json_extreme(struct fm_json *json, const char *key, const struct fm_extreme *extreme)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_seconds(json, "time_s", extreme->ns);
    fm_json_whole(json, "rank", extreme->rank);
    fm_json_whole(json, "event", extreme->event);
    fm_json_end(json);
}

void fm_json_spread_seconds(struct fm_json *json, const char *key, const struct fm_spread *spread)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_seconds(json, "min", spread->min);
    fm_json_whole(json, "min_rank", spread->min_rank);
    fm_json_seconds(json, "max", spread->max);
    fm_json_whole(json, "max_rank", spread->max_rank);
    fm_json_seconds(json, "avg", spread->ranks ? (spread->sum + spread->ranks / 2) / spread->ranks : 0);
    fm_json_end(json);
}

void fm_json_spread(struct fm_json *json, const char *key, const struct fm_spread *spread)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_whole(json, "min", spread->min);
    fm_json_whole(json, "min_rank", spread->min_rank);
    fm_json_whole(json, "max", spread->max);
    fm_json_whole(json, "max_rank", spread->max_rank);
    fm_json_number(json, "avg", fm_ratio((double)spread->sum, spread->ranks));
    fm_json_end(json);
}

void fm_json_place(struct fm_json *json, const struct fm_context_id *id)
{
    fm_json_text_or_null(json, "file", fm_basename(id->path));
    if (id->line)
        fm_json_whole(json, "line", id->line);
    else
        fm_json_null(json, "line");
    fm_json_text_or_null(json, "path", id->path);
}
