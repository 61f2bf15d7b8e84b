/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_counters.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/settings.h"

/* Resolves a name that only libpfm4 knows, such as L2_RQSTS:MISS. Returns NULL, or what is wrong. */
static const char *resolve(const char *name, struct fm_perf_event *event)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    pfm_perf_encode_arg_t found = {.attr = &attributes, .size = sizeof found};
    int result = pfm_initialize();
    if (result == PFM_SUCCESS)
        result = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &found);
    if (result != PFM_SUCCESS)
        return pfm_strerror(result);
    *event = (struct fm_perf_event){attributes.type, attributes.config, attributes.config1, attributes.config2, ""};
    return NULL;
}

static enum fm_status add_name(const char *name, size_t length, struct fm_perf_events *events, struct fm_error *error)
{
    char text[FM_EVENT_NAME];
    if (events->n == FM_COUNTERS)
        return fm_fail(error, FM_ERR_INPUT, "at most %d counters can be counted at once", FM_COUNTERS);
    struct fm_perf_event *event = &events->list[events->n];
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    const char *wrong = length >= sizeof text ? "name too long" : NULL;
    if (!wrong && !fm_perf_event_named(name, length, event))
        wrong = resolve(text, event);
    if (wrong)
        return fm_fail(
            error, FM_ERR_INPUT,
            "unknown counter '%s' (%s); known are the names of libpfm4 for this processor, and instructions, "
            "cycles, cache-misses, branches, task-clock, page-faults, context-switches, migrations",
            text, wrong);
    snprintf(event->name, sizeof event->name, "%s", text);
    events->n++;
    return FM_OK;
}

/* ---- the default ---- */

#define FP_256 \
    "FP_ARITH:SCALAR_DOUBLE:SCALAR_SINGLE:128B_PACKED_DOUBLE:128B_PACKED_SINGLE:256B_PACKED_DOUBLE:256B_PACKED_SINGLE"

/* Names differ between processors; the first that this one has is used. Intel counts instructions, each of which can
 * stand for several operations. `also` is counted with it: libpfm4 does not let all units of an event be combined. */
static const struct {
    const char *name, *event, *also;
} floating[] =
    {
        {"fp-operations", "RETIRED_SSE_AVX_FLOPS:ANY", NULL},
        {"fp-instructions", "FP_ARITH_INST_RETIRED:SCALAR", "FP_ARITH_INST_RETIRED:VECTOR"},
        {"fp-instructions", FP_256 ":512B_PACKED_DOUBLE:512B_PACKED_SINGLE", NULL},
        {"fp-instructions", FP_256, NULL},
        {"fp-instructions", "VFP_SPEC", NULL},
},
  level_2[] = {
      {"l2-misses", "L2_RQSTS:MISS", NULL},
      {"l2-misses", "L2_RQSTS:ALL_DEMAND_MISS", NULL},
      {"l2-misses", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", NULL},
      {"l2-misses", "L2D_CACHE_REFILL", NULL},
};
#define ADD_FIRST(list, events) add_first(list, sizeof(list) / sizeof *(list), events)

static void add_first(const __typeof__(*floating) *list, size_t n, struct fm_perf_events *events)
{
    struct fm_perf_event *event = &events->list[events->n], other = {0};
    for (size_t i = 0; i < n; i++) {
        if (resolve(list[i].event, event) || (list[i].also && resolve(list[i].also, &other)))
            continue;
        if (list[i].also)
            event->config |= other.config;
        snprintf(event->name, sizeof event->name, "%s", list[i].name);
        events->n++;
        return;
    }
}

static void add_default(struct fm_perf_events *events)
{
    struct fm_perf_events usual;
    fm_perf_events_hardware(&usual);
    size_t last = usual.n - 1; /* the misses of the last level come after those of the second */
    *events = usual;
    events->n = last;
    ADD_FIRST(floating, events);
    ADD_FIRST(level_2, events);
    if (events->n == last) { /* the runtime's own default */
        events->n = 0;
        return;
    }
    events->list[events->n++] = usual.list[last];
}

enum fm_status fm_run_counters(const char *names, char text[FM_EVENTS_TEXT], struct fm_error *error)
{
    struct fm_perf_events events = {0};
    bool on = true;
    *text = 0;
    if (!names || !*names || fm_setting_switch(names, &on)) {
        if (on)
            add_default(&events);
    } else {
        for (size_t length; *names; names += length + (names[length] == ',')) {
            length = strcspn(names, ",");
            enum fm_status status = length ? add_name(names, length, &events, error) : FM_OK;
            if (status)
                return status;
        }
    }
    return !events.n || fm_perf_events_write(&events, text)
               ? FM_OK
               : fm_fail(error, FM_ERR_INPUT, "the names of the counters are too long");
}
