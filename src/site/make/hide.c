/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "site/make/parts.h"

const char *fm_record_hashed(struct fm_record *record, const struct fm_siphash_key *key, const char *text)
{
    char hash[20];
    if (!*text)
        return "";
    snprintf(hash, sizeof hash, "h%016" PRIx64, fm_siphash(key, text, strlen(text)));
    return fm_record_copy(record, hash);
}

static void hide_spans(struct fm_record *record, const struct fm_siphash_key *key, struct fm_record_span *spans,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        spans[i].name = fm_record_hashed(record, key, spans[i].name);
}

void fm_record_hide_names(struct fm_record *record, const struct fm_siphash_key *key)
{
    record->user = fm_record_hashed(record, key, record->user);
    record->account = fm_record_hashed(record, key, record->account);
    record->program = fm_record_hashed(record, key, record->program);
    record->command = record->tool = "";
    hide_spans(record, key, record->regions, record->n_regions);
    hide_spans(record, key, record->timers, record->n_timers);
    for (size_t i = 0; i < record->n_host_list; i++)
        record->host_list[i].name = fm_record_hashed(record, key, record->host_list[i].name);
    for (size_t i = 0; i < record->n_findings; i++) {
        struct fm_record_finding *finding = &record->findings[i];
        finding->function = fm_record_hashed(record, key, finding->function);
        finding->file = fm_record_hashed(record, key, finding->file);
        finding->text = ""; /* names of functions, files and hosts are in it */
    }
    for (size_t i = 0; i < record->n_settings; i++)
        if (strchr(record->settings[i].value, '/')) /* a path may have a name in it */
            record->settings[i].value = fm_record_hashed(record, key, record->settings[i].value);
}
