/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/text.h"

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    fm_print_safe(out, FM_SAFE_JSON, text, strlen(text));
    fputc('"', out);
}

/* Documents consist of millions of them: several times as fast as printf. */
static void print_whole(FILE *out, uint64_t number)
{
    char digits[20], *at = digits + sizeof digits;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    fwrite(at, 1, (size_t)(digits + sizeof digits - at), out);
}

/* Indentation is limited: deep trees would otherwise be mostly blanks. */
static void start_line(const struct fm_json *json)
{
    enum { MAX_INDENT = 16 };
    fprintf(json->out, "\n%*s", (int)(2 * (json->depth < MAX_INDENT ? json->depth : MAX_INDENT)), "");
}

static void start_value(struct fm_json *json, const char *key)
{
    if (json->depth > 0) {
        bool on_one_line = json->levels[json->depth - 1].inline_;
        if (json->levels[json->depth - 1].used)
            fputc(',', json->out);
        if (on_one_line)
            fputc(' ', json->out);
        else
            start_line(json);
        json->levels[json->depth - 1].used = true;
    }
    if (key) {
        print_string(json->out, key);
        fputs(": ", json->out);
    }
}

static void open_container(struct fm_json *json, const char *key, char open, char close, enum fm_json_style style)
{
    start_value(json, key);
    fputc(open, json->out);
    bool inherited = json->depth > 0 && json->levels[json->depth - 1].inline_;
    json->levels[json->depth].close = close;
    json->levels[json->depth].inline_ = inherited || style == FM_JSON_INLINE;
    json->levels[json->depth++].used = false;
}

void fm_json_object(struct fm_json *json, const char *key, enum fm_json_style style)
{
    open_container(json, key, '{', '}', style);
}

void fm_json_array(struct fm_json *json, const char *key, enum fm_json_style style)
{
    open_container(json, key, '[', ']', style);
}

void fm_json_end(struct fm_json *json)
{
    json->depth--;
    if (json->levels[json->depth].used) {
        if (json->levels[json->depth].inline_)
            fputc(' ', json->out);
        else
            start_line(json);
    }
    fputc(json->levels[json->depth].close, json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
}

void fm_json_text(struct fm_json *json, const char *key, const char *text)
{
    start_value(json, key);
    print_string(json->out, text);
}

void fm_json_whole(struct fm_json *json, const char *key, uint64_t number)
{
    start_value(json, key);
    print_whole(json->out, number);
}

void fm_json_signed(struct fm_json *json, const char *key, int64_t number)
{
    start_value(json, key);
    if (number < 0)
        fputc('-', json->out);
    print_whole(json->out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void fm_json_number(struct fm_json *json, const char *key, double number)
{
    start_value(json, key);
    if (isfinite(number))
        fprintf(json->out, "%.6f", number);
    else
        fputs("null", json->out);
}

void fm_json_real(struct fm_json *json, const char *key, double number)
{
    start_value(json, key);
    char digits[40] = "null";
    for (int precision = 15; precision <= 17 && isfinite(number); precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    fputs(digits, json->out);
}

void fm_json_seconds(struct fm_json *json, const char *key, uint64_t ns)
{
    start_value(json, key);
    fm_print_seconds(json->out, ns);
}

void fm_json_bool(struct fm_json *json, const char *key, bool value)
{
    start_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void fm_json_raw(struct fm_json *json, const char *key, const char *document)
{
    start_value(json, key);
    fputs(document, json->out);
}

void fm_json_null(struct fm_json *json, const char *key)
{
    start_value(json, key);
    fputs("null", json->out);
}

void fm_json_number_or_null(struct fm_json *json, const char *key, bool known, double number)
{
    if (known)
        fm_json_number(json, key, number);
    else
        fm_json_null(json, key);
}
