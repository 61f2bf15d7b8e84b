/* Names of events, and the form in which resolved events are passed on. */
#include "base/perf_names.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static bool refuses(const char *text)
{
    struct fm_perf_events events;
    return !fm_perf_events_read(text, &events);
}

/* Not their padding. */
static bool same(const struct fm_perf_event *a, const struct fm_perf_event *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 && a->config2 == b->config2 &&
           strcmp(a->name, b->name) == 0;
}

int main(void)
{
    struct fm_perf_events events, again;
    char text[FM_EVENTS_TEXT], other[FM_EVENTS_TEXT];
    size_t length;
    tap_ok(!fm_perf_events_parse("cycles,,page-faults,", &events, &length) && events.n == 2 &&
               strcmp(events.list[1].name, "page-faults") == 0 && fm_perf_event_is_software(&events.list[1]),
           "generic names");
    const char *wrong = fm_perf_events_parse("cycles,foo,task-clock", &events, &length);
    tap_ok(wrong && length == 3 && strncmp(wrong, "foo", 3) == 0 && events.n == 2 &&
               strcmp(events.list[1].name, "task-clock") == 0,
           "an unknown name is told, and the others are there");
    wrong = fm_perf_events_parse("cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,branches", &events, &length);
    tap_ok(wrong && strcmp(wrong, "branches") == 0 && events.n == FM_COUNTERS, "one too many, too");
    fm_perf_events_hardware(&events);
    tap_ok(events.by_default && events.n == 3 && !fm_perf_event_is_software(&events.list[0]), "the default");

    events.list[events.n++] = (struct fm_perf_event){4, 0x5301b7, 3, 1, "OFFCORE:ANY:u"};
    tap_ok(fm_perf_events_write(&events, text) && fm_perf_events_read(text, &again) &&
               again.n == (fm_processor_kind() ? 4 : 3) && same(&events.list[1], &again.list[1]) && again.by_default,
           "what was written is read: %s", text);
    tap_ok(!fm_processor_kind() || same(&events.list[3], &again.list[3]), "with the numbers of the hardware");
    snprintf(other, sizeof other, "cpu:%x,4:5301b7:0:0:X,0:1:0:0:instructions", fm_processor_kind() + 1);
    tap_ok(fm_perf_events_read(other, &again) && again.n == 1 && strcmp(again.list[0].name, "instructions") == 0,
           "numbers of another processor are left out");
    tap_ok(refuses("0:1:0:0:") && refuses("0:1:0") && refuses("x:1:0:0:y") && refuses("123456789:1:0:0:y") &&
               refuses("nonsense"),
           "damaged text is refused");
    memset(other, 'x', sizeof other - 1);
    memcpy(other, "0:1:0:0:", 8);
    other[sizeof other - 1] = 0;
    tap_ok(refuses(other), "so is a name that is too long");
    return tap_done();
}
