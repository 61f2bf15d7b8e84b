/* SPDX-License-Identifier: BSD-3-Clause */
/* The pprof format: a Protocol Buffers message (profile.proto), compressed with gzip. Contains only what call paths
 * need: strings, functions, locations (a function and a line), load modules, and samples as lists of locations. */
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "render/gzip.h"

/* ---- Protocol Buffers ---- */

enum wire { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

/* A message in a growing buffer. */
struct message {
    FILE *out;
    char *bytes;
    size_t size;
    bool failed;
};

static void open_message(struct message *message)
{
    *message = (struct message){0};
    message->out = open_memstream(&message->bytes, &message->size);
    message->failed = !message->out;
}

static void put_varint(struct message *message, uint64_t number)
{
    if (message->failed)
        return;
    for (; number >= 0x80; number >>= 7)
        putc_unlocked((int)(number & 0x7f) | 0x80, message->out);
    putc_unlocked((int)number, message->out);
}

static void put_number(struct message *message, unsigned field, uint64_t number)
{
    put_varint(message, field << 3 | WIRE_NUMBER);
    put_varint(message, number);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t size)
{
    put_varint(message, field << 3 | WIRE_BYTES);
    put_varint(message, size);
    if (!message->failed && size)
        message->failed = fwrite(bytes, 1, size, message->out) != size;
}

/* Flushes the message to memory. */
static void close_message(struct message *message)
{
    if (message->out)
        message->failed |= fclose(message->out) != 0;
    message->out = NULL;
}

/* Appends a part as a field, and frees it. */
static void put_message(struct message *message, unsigned field, struct message *part)
{
    close_message(part);
    message->failed |= part->failed;
    if (!message->failed)
        put_bytes(message, field, part->bytes, part->size);
    free(part->bytes);
}

/* ---- profile.proto ---- */

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_INLINE = 10 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4, FUNCTION_LINE = 5 };

struct pprof_writer {
    struct message whole;
    struct fm_arena *arena;
    struct fm_intern strings, modules; /* number: index */
    struct fm_calltree table;          /* functions with their lines as children; `mark` is the id */
    uint32_t n_functions, n_locations, n_modules;
    bool failed;
};

/* The index of a string, which is written if it is new. Index 0 is the empty string. */
static uint64_t string_of(struct pprof_writer *writer, const char *text)
{
    if (!text[0])
        return 0;
    struct fm_intern_slot *slot = fm_intern_put(&writer->strings, writer->arena, text, false);
    if (!slot) {
        writer->failed = true;
        return 0;
    }
    if (!slot->number) {
        slot->number = (uint32_t)writer->strings.n;
        struct message part;
        open_message(&part);
        if (!part.failed)
            fm_print_safe(part.out, FM_SAFE_PLAIN, text, strlen(text));
        put_message(&writer->whole, PROFILE_STRING, &part);
    }
    return slot->number;
}

static void put_type(struct pprof_writer *writer, enum profile_field field)
{
    uint64_t type = string_of(writer, "time"), unit = string_of(writer, "nanoseconds");
    struct message part;
    open_message(&part);
    put_number(&part, TYPE_TYPE, type);
    put_number(&part, TYPE_UNIT, unit);
    put_message(&writer->whole, field, &part);
}

static uint64_t module_of(struct pprof_writer *writer, const char *path)
{
    struct fm_intern_slot *slot = path[0] ? fm_intern_put(&writer->modules, writer->arena, path, false) : NULL;
    if (!slot)
        return 0;
    if (!slot->number) {
        slot->number = ++writer->n_modules;
        uint64_t file = string_of(writer, path);
        struct message part;
        open_message(&part);
        put_number(&part, MAPPING_ID, slot->number);
        put_number(&part, MAPPING_FILE, file);
        for (unsigned has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINE; has++)
            put_number(&part, has, 1); /* no need to symbolize again */
        put_message(&writer->whole, PROFILE_MAPPING, &part);
    }
    return slot->number;
}

static struct fm_context *function_of(struct pprof_writer *writer, const struct fm_context *context)
{
    struct fm_context_id id = context->id;
    id.path = "";
    id.line = 0;
    id.inlined = false;
    struct fm_context *function = fm_context_below(&writer->table, writer->table.root, &id);
    if (function->mark)
        return function;
    function->mark = ++writer->n_functions;
    uint64_t name = string_of(writer, id.name), file = string_of(writer, id.defined);
    struct message part;
    open_message(&part);
    put_number(&part, FUNCTION_ID, function->mark);
    put_number(&part, FUNCTION_NAME, name);
    put_number(&part, FUNCTION_SYSTEM_NAME, name);
    put_number(&part, FUNCTION_FILE, file);
    put_number(&part, FUNCTION_LINE, context->facts.defined_line);
    put_message(&writer->whole, PROFILE_FUNCTION, &part);
    return function;
}

/* The id of a function at one of its lines. */
static uint64_t location_of(struct pprof_writer *writer, const struct fm_context *context, uint32_t line)
{
    struct fm_context *function = function_of(writer, context);
    struct fm_context_id id = function->id;
    id.kind = FM_CONTEXT_STATEMENT;
    id.line = line;
    struct fm_context *location = fm_context_below(&writer->table, function, &id);
    if (location->mark)
        return location->mark;
    location->mark = ++writer->n_locations;
    uint64_t module = module_of(writer, context->id.module);
    struct message part, place;
    open_message(&part);
    put_number(&part, LOCATION_ID, location->mark);
    put_number(&part, LOCATION_MAPPING, module);
    open_message(&place);
    put_number(&place, LINE_FUNCTION, function->mark);
    put_number(&place, LINE_LINE, line);
    put_message(&part, LOCATION_LINE, &place);
    put_message(&writer->whole, PROFILE_LOCATION, &part);
    return location->mark;
}

/* Writes a leaf with the frames around it, innermost first, each at the line of the call to the previous one. */
static void put_sample(struct pprof_writer *writer, const struct fm_context *leaf)
{
    bool line = leaf->id.kind != FM_CONTEXT_ROUTINE;
    uint32_t at_line = line ? leaf->id.line : 0;
    struct message sample, locations, values;
    open_message(&sample);
    open_message(&locations);
    for (const struct fm_context *at = line ? leaf->parent : leaf; at->parent; at = at->parent) {
        put_varint(&locations, location_of(writer, at, at_line));
        at_line = at->id.line;
    }
    put_message(&sample, SAMPLE_LOCATIONS, &locations);
    open_message(&values);
    put_varint(&values, leaf->own.of.sum_ns);
    put_message(&sample, SAMPLE_VALUES, &values);
    put_message(&writer->whole, PROFILE_SAMPLE, &sample);
}

static void put_profile(struct pprof_writer *writer, const struct fm_report *report, const struct fm_calltree *calls)
{
    const struct fm_profile *profile = report->profile;
    put_bytes(&writer->whole, PROFILE_STRING, "", 0);
    put_type(writer, PROFILE_SAMPLE_TYPE);
    for (const struct fm_context *at = calls->root->first; at; at = fm_context_after(calls->root, at)) {
        bool leaf = at->id.kind == FM_CONTEXT_STATEMENT || at->id.kind == FM_CONTEXT_CALL_SITE ||
                    at->id.kind == FM_CONTEXT_ROUTINE;
        if (leaf && at->own.of.sum_ns)
            put_sample(writer, at);
    }
    put_number(&writer->whole, PROFILE_TIME_NANOS, profile->job.started_real_ns);
    put_number(&writer->whole, PROFILE_DURATION_NANOS, report->summary.wall_ns);
    put_type(writer, PROFILE_PERIOD_TYPE);
    put_number(&writer->whole, PROFILE_PERIOD, profile->paths.period_ns[0]);
}

static enum fm_status compress_to(FILE *out, const struct message *message, struct fm_error *error)
{
    enum { LEVEL = 6 };
    struct fm_gzip packed = fm_gzip(message->bytes, message->size, LEVEL);
    if (!packed.bytes)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to compress the call paths");
    fwrite(packed.bytes, 1, packed.n, out);
    free(packed.bytes);
    return FM_OK;
}

enum fm_status fm_export_pprof(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree calls;
    enum fm_status status = fm_report_calltree(report, FM_CALLTREE_CALLS, &calls, error);
    if (status)
        return status;
    struct pprof_writer writer = {.arena = &report->arena};
    open_message(&writer.whole);
    if (fm_calltree_start(&writer.table, &report->arena, calls.ranks))
        put_profile(&writer, report, &calls);
    close_message(&writer.whole);
    if (writer.failed || writer.whole.failed || writer.table.failed)
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    else
        status = compress_to(out, &writer.whole, error);
    free(writer.whole.bytes);
    return status;
}
