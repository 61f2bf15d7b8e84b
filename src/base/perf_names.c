/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/perf_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

#define LAST_LEVEL_READ_MISSES \
    (PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

/* No pointers: each would be a relocation in every process that loads the library. */
static const struct {
    char name[20];
    uint32_t type, config;
} names[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, LAST_LEVEL_READ_MISSES},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

bool fm_perf_event_named(const char *name, size_t length, struct fm_perf_event *event)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) != length || strncmp(names[i].name, name, length) != 0)
            continue;
        *event = (struct fm_perf_event){.type = names[i].type, .config = names[i].config};
        memcpy(event->name, names[i].name, length);
        return true;
    }
    return false;
}

bool fm_perf_event_is_raw(const struct fm_perf_event *event)
{
    return event->type != PERF_TYPE_HARDWARE && event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_HW_CACHE;
}

void fm_perf_events_hardware(struct fm_perf_events *events)
{
    size_t length;
    fm_perf_events_parse("instructions,cycles,LLC-load-misses", events, &length);
    events->by_default = true;
}

void fm_perf_events_software(struct fm_perf_events *events)
{
    size_t length;
    fm_perf_events_parse("task-clock,page-faults,context-switches,migrations", events, &length);
    events->by_default = true;
}

const char *fm_perf_events_parse(const char *text, struct fm_perf_events *events, size_t *length)
{
    const char *wrong = NULL;
    *events = (struct fm_perf_events){0};
    for (size_t own; *text; text += own + (text[own] == ',')) {
        own = strcspn(text, ",");
        if (!own)
            continue;
        if (events->n < FM_COUNTERS && fm_perf_event_named(text, own, &events->list[events->n])) {
            events->n++;
        } else if (!wrong) {
            wrong = text;
            *length = own;
        }
    }
    return wrong;
}

/* ---- resolved events ---- */

static bool read_event(const char *text, size_t length, struct fm_perf_event *event)
{
    uint64_t numbers[4];
    const char *end = text + length;
    for (size_t i = 0; i < 4; i++) {
        char *after;
        numbers[i] = strtoull(text, &after, 16);
        if (after == text || after >= end || *after != ':')
            return false;
        text = after + 1;
    }
    length = (size_t)(end - text);
    if (!length || length >= FM_EVENT_NAME || numbers[0] > UINT32_MAX)
        return false;
    *event = (struct fm_perf_event){(uint32_t)numbers[0], numbers[1], numbers[2], numbers[3], ""};
    memcpy(event->name, text, length);
    return true;
}

bool fm_perf_events_read(const char *text, struct fm_perf_events *events)
{
    uint32_t kind = 0;
    *events = (struct fm_perf_events){0};
    for (size_t length; *text; text += length + (text[length] == ',')) {
        struct fm_perf_event event;
        length = strcspn(text, ",");
        if (strncmp(text, "default", length) == 0 && length)
            events->by_default = true;
        else if (strncmp(text, "cpu:", 4) == 0)
            kind = (uint32_t)strtoul(text + 4, NULL, 16);
        else if (!read_event(text, length, &event) || events->n == FM_COUNTERS)
            return false;
        else if (!fm_perf_event_is_raw(&event) || (kind && kind == fm_processor_kind()))
            events->list[events->n++] = event;
    }
    return true;
}

bool fm_perf_events_write(const struct fm_perf_events *events, char text[FM_EVENTS_TEXT])
{
    int used = snprintf(text, FM_EVENTS_TEXT, "%scpu:%x", events->by_default ? "default," : "", fm_processor_kind());
    for (size_t i = 0; i < events->n; i++) {
        const struct fm_perf_event *event = &events->list[i];
        used += snprintf(text + used, (size_t)(FM_EVENTS_TEXT - used), ",%x:%llx:%llx:%llx:%s", event->type,
                         (unsigned long long)event->config, (unsigned long long)event->config1,
                         (unsigned long long)event->config2, event->name);
        if (used >= FM_EVENTS_TEXT)
            return false;
    }
    return true;
}

/* ---- the processor ---- */

/* The lines of /proc/cpuinfo that tell for which processor event numbers are. */
static bool identifies(const char *line)
{
    static const char keys[][16] = {"vendor_id", "cpu family", "model\t", "CPU implementer", "CPU part"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

uint32_t fm_processor_kind(void)
{
    char text[4096] = "";
    uint32_t hash = 0;
    int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    for (char *line = text; *line && *line != '\n'; line += strcspn(line, "\n"), line += *line == '\n')
        for (const char *at = line; identifies(line) && *at && *at != '\n'; at++)
            hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}
