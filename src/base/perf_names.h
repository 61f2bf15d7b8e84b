/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that can be counted: names that need no library, and the form in which `fathom run` passes resolved events to
 * the runtime (FATHOM_EVENTS):
 *
 *     default,cpu:9f3a12bc,0:1:0:0:instructions,4:1c7:0:0:FP_ARITH:SCALAR_DOUBLE
 *
 * `default` marks a list that the user did not choose; it may be replaced by software events. Then follow the
 * processor for which numbers of the hardware were resolved, and the events: type, config, config1 and config2 of
 * perf_event_open in hexadecimal, and the name. libc only, no malloc. */
#ifndef FM_BASE_PERF_NAMES_H
#define FM_BASE_PERF_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_COUNTERS = 8, FM_EVENT_NAME = 64, FM_EVENTS_TEXT = 1024 };

struct fm_perf_event {
    uint32_t type;
    uint64_t config, config1, config2;
    char name[FM_EVENT_NAME];
};

struct fm_perf_events {
    bool by_default; /* not chosen by the user */
    size_t n;
    struct fm_perf_event list[FM_COUNTERS];
};

/* The event with one of perf's generic names, such as instructions or page-faults. Returns false if there is none. */
bool fm_perf_event_named(const char *name, size_t length, struct fm_perf_event *event);
/* Whether it is counted by the kernel instead of the processor. Async-signal-safe. */
static inline bool fm_perf_event_is_software(const struct fm_perf_event *event)
{
    return event->type == PERF_TYPE_SOFTWARE;
}
/* Whether its number means something only on one kind of processor. */
bool fm_perf_event_is_raw(const struct fm_perf_event *event);

/* The defaults: of the hardware, without what only some processors have; and where there is no hardware counter. */
void fm_perf_events_hardware(struct fm_perf_events *events);
void fm_perf_events_software(struct fm_perf_events *events);

/* A list of generic names, separated by commas. Returns the first that is unknown, or one too many, with its length; NULL
 * if all are known. The others are in `events`. */
const char *fm_perf_events_parse(const char *names, struct fm_perf_events *events, size_t *length);

/* Reads and writes the form above. Events for another processor than this one are left out. */
bool fm_perf_events_read(const char *text, struct fm_perf_events *events);
/* Returns false if it does not fit. */
bool fm_perf_events_write(const struct fm_perf_events *events, char text[FM_EVENTS_TEXT]);

/* Identifies the kind of processor; 0 if unknown. */
uint32_t fm_processor_kind(void);

#endif
