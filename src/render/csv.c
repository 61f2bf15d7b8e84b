/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/text.h"

static void start_field(struct fm_csv *csv)
{
    if (csv->within_row)
        fputc(',', csv->out);
    csv->within_row = true;
}

/* Whether a spreadsheet would evaluate the field as a formula. Numbers are not formulas. */
static bool is_formula(const char *text)
{
    char *end;
    const char *first = text + strspn(text, " ");
    uint32_t code = *first ? fm_utf8_next(&first) : 0;
    if (code >= 0xff01 && code <= 0xff5e)
        code -= 0xff01 - '!'; /* fullwidth form */
    if (code == 0 || code >= 0x80 || !strchr("=+-@", (int)code))
        return false;
    strtod(text, &end);
    return *end != 0;
}

void fm_csv_text(struct fm_csv *csv, const char *text)
{
    start_field(csv);
    bool formula = is_formula(text), quoted = formula || strpbrk(text, "\",");
    if (quoted)
        fputc('"', csv->out);
    if (formula)
        fputc('\'', csv->out);
    fm_print_safe(csv->out, FM_SAFE_CSV, text, strlen(text));
    if (quoted)
        fputc('"', csv->out);
}

void fm_csv_whole(struct fm_csv *csv, uint64_t number)
{
    start_field(csv);
    fprintf(csv->out, "%" PRIu64, number);
}

void fm_csv_number(struct fm_csv *csv, double number)
{
    start_field(csv);
    fprintf(csv->out, "%.6f", number);
}

void fm_csv_seconds(struct fm_csv *csv, uint64_t ns)
{
    start_field(csv);
    fm_print_seconds(csv->out, ns);
}

void fm_csv_end_row(struct fm_csv *csv)
{
    fputs("\r\n", csv->out);
    csv->within_row = false;
}
