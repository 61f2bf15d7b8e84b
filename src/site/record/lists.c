/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/record/lists.h"

#define FIELD(kind, key, item, member)                                              \
    {                                                                               \
        FM_RECORD_KIND_##kind, NULL, key, #member, offsetof(struct item, member), 0 \
    }
#define PLACE(items, item) offsetof(struct fm_record, items), offsetof(struct fm_record, n_##items), sizeof(struct item)

/* clang-format off */
const struct fm_record_list fm_record_lists[FM_RECORD_N_LISTS] = {
    [FM_RECORD_TIMERS] = {NULL, "timers", PLACE(timers, fm_record_span), 0, 3, 0, {
        FIELD(TEXT, "name", fm_record_span, name),
        FIELD(SECONDS, "time_s", fm_record_span, wall_s),
        FIELD(WHOLE, "events", fm_record_span, entries)}},
    [FM_RECORD_REGIONS] = {"mpi", "regions", PLACE(regions, fm_record_span), 0, 4, 0, {
        FIELD(TEXT, "path", fm_record_span, name),
        FIELD(SECONDS, "wall_s", fm_record_span, wall_s),
        FIELD(SECONDS, "mpi_s", fm_record_span, mpi_s),
        FIELD(WHOLE, "entries", fm_record_span, entries)}},
    [FM_RECORD_SETTINGS] = {"job", "environment", PLACE(settings, fm_record_setting), 0, 2, 1, {
        FIELD(TEXT, "name", fm_record_setting, name),
        FIELD(TEXT, "value", fm_record_setting, value)}},
    [FM_RECORD_HOSTS] = {NULL, "hosts", PLACE(host_list, fm_record_host), 0, 3, 0, {
        FIELD(TEXT, "name", fm_record_host, name),
        FIELD(WHOLE, "ranks", fm_record_host, ranks),
        FIELD(FRACTION, "slowness", fm_record_host, slowness)}},
    [FM_RECORD_FINDINGS] = {NULL, "findings", PLACE(findings, fm_record_finding), 1, 7, 0, {
        FIELD(TEXT, "rule", fm_record_finding, rule),
        FIELD(TEXT, "text", fm_record_finding, text),
        FIELD(SECONDS, "cost_s", fm_record_finding, cost_s),
        FIELD(FLAG, "measured", fm_record_finding, measured),
        FIELD(TEXT, "function", fm_record_finding, function),
        FIELD(TEXT, "file", fm_record_finding, file),
        FIELD(WHOLE, "line", fm_record_finding, line)}},
    [FM_RECORD_ROUTINES] = {"mpi", "routines", PLACE(routines, fm_record_routine), 0, 6, 0, {
        FIELD(TEXT, "name", fm_record_routine, name),
        FIELD(WHOLE, "calls", fm_record_routine, calls),
        FIELD(SECONDS, "time_s", fm_record_routine, time_s),
        FIELD(WHOLE, "bytes", fm_record_routine, bytes),
        FIELD(WHOLE, "count_arguments", fm_record_routine, counts),
        FIELD(WHOLE, "comm_calls", fm_record_routine, comm_calls)}},
};
/* clang-format on */

_Static_assert(sizeof(struct fm_record_finding) <= FM_RECORD_ITEM_MAX, "the largest item");
