/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a batch of records");
}

static enum fm_status check(const struct fm_record *record, struct fm_error *error)
{
    if (!*record->key || strlen(record->key) > FM_RECORD_TEXT)
        return fm_fail(error, FM_ERR_INPUT, "the record of a job without a key");
    if (record->started < 0)
        return fm_fail(error, FM_ERR_INPUT, "the record of a job without its start");
    return FM_OK;
}

/* ---- copies ---- */

static const char *copied(struct fm_arena *arena, const char *text, bool *failed)
{
    if (!text || !*text)
        return "";
    const char *copy = fm_arena_strndup(arena, text, strlen(text));
    *failed |= !copy;
    return copy ? copy : "";
}

static void *copied_items(struct fm_arena *arena, const void *items, size_t n, size_t size, bool *failed)
{
    void *copy = n ? fm_arena_alloc(arena, n * size) : NULL;
    *failed |= n && !copy;
    if (copy)
        memcpy(copy, items, n * size);
    return copy;
}

static void copy_lists(struct fm_record *copy, const struct fm_record *from, struct fm_arena *arena, bool *failed)
{
#define COPY_LIST(items, count) copy->items = copied_items(arena, from->items, from->count, sizeof *from->items, failed)
    COPY_LIST(routines, n_routines);
    COPY_LIST(findings, n_findings);
    COPY_LIST(host_list, n_host_list);
    COPY_LIST(settings, n_settings);
#undef COPY_LIST
    for (size_t i = 0; i < copy->n_routines && !*failed; i++)
        copy->routines[i].name = copied(arena, copy->routines[i].name, failed);
    for (size_t i = 0; i < copy->n_findings && !*failed; i++) {
        struct fm_record_finding *finding = &copy->findings[i];
        finding->rule = copied(arena, finding->rule, failed);
        finding->text = copied(arena, finding->text, failed);
        finding->function = copied(arena, finding->function, failed);
        finding->file = copied(arena, finding->file, failed);
    }
    for (size_t i = 0; i < copy->n_host_list && !*failed; i++)
        copy->host_list[i].name = copied(arena, copy->host_list[i].name, failed);
    for (size_t i = 0; i < copy->n_settings && !*failed; i++) {
        copy->settings[i].name = copied(arena, copy->settings[i].name, failed);
        copy->settings[i].value = "";
    }
}

static bool copy_record(struct fm_record *copy, const struct fm_record *from, struct fm_arena *arena)
{
    bool failed = false;
    *copy = *from;
    copy->arena = (struct fm_arena){0};
    copy->regions = copy->timers = NULL;
    copy->n_regions = copy->n_timers = 0;
#define X(kind, section, key, member, rollup) FM_COPY_##kind(member)
#define FM_COPY_TEXT(member) copy->member = copied(arena, from->member, &failed);
#define FM_COPY_WHOLE(member)
#define FM_COPY_TIME(member)
#define FM_COPY_SECONDS(member)
#define FM_COPY_FRACTION(member)
#define FM_COPY_FLAG(member)
    FM_RECORD_FIELDS(X)
#undef X
    copy_lists(copy, from, arena, &failed);
    if (copy->ended < copy->started) /* unknown, or wrong */
        copy->ended = copy->started;
    return !failed;
}

/* ---- adding ---- */

static double weight_of(const struct fm_record *record, const struct fm_store_source *source)
{
    double weight = source->weight > 0 ? source->weight : record->sample_weight;
    return fm_weight_rounded(weight >= 1 && weight <= FM_RECORD_WEIGHT_MAX ? weight : 1);
}

static bool fill(struct fm_batch *batch, struct fm_batch_item *item, const struct fm_record *record,
                 const struct fm_store_source *source, const unsigned char *document, size_t size)
{
    bool failed = false;
    *item = (struct fm_batch_item){
        .uid = source->uid,
        .weight = weight_of(record, source),
        .thinned = 1,
        .origin = source->origin,
        .document = copied_items(&batch->arena, document, size, 1, &failed),
        .document_size = size,
    };
    item->user = copied(&batch->arena, source->user ? source->user : record->user, &failed);
    return copy_record(&item->record, record, &batch->arena) && !failed;
}

enum fm_status fm_batch_add(struct fm_batch *batch, struct fm_document_packer *packer, const struct fm_record *record,
                            const struct fm_store_source *source, bool *known, struct fm_error *error)
{
    char identity[FM_RECORD_TEXT + 64];
    const unsigned char *document;
    size_t size;
    *known = false;
    enum fm_status status = check(record, error);
    if (status)
        return status;
    snprintf(identity, sizeof identity, "%" PRId64 " %" PRId64 " %s", source->uid, record->started, record->key);
    struct fm_intern_slot *slot = fm_intern_put(&batch->identities, &batch->arena, identity, true);
    if (!slot)
        return no_memory(error);
    struct fm_batch_item *item = slot->number ? &batch->items[slot->number - 1] : NULL;
    if (item && item->origin >= source->origin) {
        *known = true;
        return FM_OK;
    }
    status = fm_document_pack(packer, source->text, source->length, &document, &size, error);
    if (status)
        return status;
    if (!item) {
        if (batch->n == batch->capacity || !batch->items) {
            batch->items = fm_arena_grow(&batch->arena, batch->items, &batch->capacity, batch->n + 1,
                                         sizeof *batch->items);
            if (!batch->items)
                return no_memory(error);
        }
        item = &batch->items[batch->n++];
        slot->number = (uint32_t)batch->n;
    } else {
        *known = true; /* the one before it */
    }
    return fill(batch, item, record, source, document, size) ? FM_OK : no_memory(error);
}

void fm_batch_clear(struct fm_batch *batch)
{
    fm_arena_destroy(&batch->arena);
    *batch = (struct fm_batch){0};
}
