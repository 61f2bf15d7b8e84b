/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the JSON report that are used in several files. */
#ifndef FM_REPORT_JSON_PARTS_H
#define FM_REPORT_JSON_PARTS_H

#include "model/lists.h"
#include "render/json.h"
#include "report/views.h"

struct fm_topology;

void fm_json_text_or_null(struct fm_json *json, const char *key, const char *text); /* null instead of "" */
void fm_json_whole_or_null(struct fm_json *json, const char *key, bool known, uint64_t value);
/* Writes every field of the schema that has a key. */
void fm_json_fields(struct fm_json *json, const struct fm_fields *fields, const void *item);
/* Writes an item of a list of the schema: its fields and its ranks; as an object, or into the current object. */
void fm_json_item(struct fm_report *report, struct fm_json *json, const struct fm_list *list, const void *item);
void fm_json_item_fields(struct fm_report *report, struct fm_json *json, const struct fm_list *list, const void *item);
/* function, file, line, path, inlined_into, inferred, callers_missing, module, build_id, offset; null if unknown */
void fm_json_site(struct fm_report *report, struct fm_json *json, const struct fm_site *site, const char *routine);
void fm_json_place(struct fm_json *json, const struct fm_context_id *id); /* file, line, path of a context */
void fm_json_ranks(struct fm_report *report, struct fm_json *json, const struct fm_rankset *ranks); /* key "ranks" */
void fm_json_spread(struct fm_json *json, const char *key, const struct fm_spread *spread);
void fm_json_extreme(struct fm_json *json, const char *key, const struct fm_extreme *extreme);
void fm_json_spread_seconds(struct fm_json *json, const char *key, const struct fm_spread *spread);
enum fm_status fm_json_calls(struct fm_report *report, struct fm_json *json, struct fm_error *error);
void fm_json_calls_head(struct fm_report *report, struct fm_json *json); /* its keys before the trees */
enum fm_status fm_json_counters(struct fm_report *report, struct fm_json *json, struct fm_error *error);
enum fm_status fm_json_efficiency(struct fm_report *report, struct fm_json *json, struct fm_error *error);
enum fm_status fm_json_io(struct fm_report *report, struct fm_json *json, struct fm_error *error);
enum fm_status fm_json_findings(struct fm_report *report, struct fm_json *json, struct fm_error *error);
enum fm_status fm_json_job(struct fm_report *report, struct fm_json *json, struct fm_error *error);
void fm_json_processes(struct fm_report *report, struct fm_json *json);
enum fm_status fm_json_modules(struct fm_report *report, struct fm_json *json, struct fm_error *error);
enum fm_status fm_json_mpi(struct fm_report *report, struct fm_json *json, struct fm_error *error);
/* The same without what grows with the number of ranks: topology and balance. */
enum fm_status fm_json_mpi_tables(struct fm_report *report, struct fm_json *json, struct fm_error *error);
/* Traffic between programs; empty unless the job has several. */
enum fm_status fm_json_program_pairs(struct fm_report *report, struct fm_json *json, const char *key,
                                     const struct fm_topology *topology, struct fm_error *error);
void fm_json_balance(struct fm_report *report, struct fm_json *json); /* key "balance", of mpi */
enum fm_status fm_json_sequence(struct fm_report *report, struct fm_json *json, struct fm_error *error);
enum fm_status fm_json_split(struct fm_report *report, struct fm_json *json, struct fm_error *error);
/* Without per_rank. */
enum fm_status fm_json_split_total(struct fm_report *report, struct fm_json *json, struct fm_error *error);
/* Figures of a process that are numbers, or null. */
void fm_json_figure(struct fm_json *json, const char *key, const struct fm_process *process, enum fm_figure figure);
void fm_json_memory(struct fm_report *report, struct fm_json *json);
void fm_json_network(struct fm_report *report, struct fm_json *json);
enum fm_status fm_json_timers(struct fm_report *report, struct fm_json *json, struct fm_error *error);

#endif
