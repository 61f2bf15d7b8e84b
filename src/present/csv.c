#include "present/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"

static void start_field(struct fm_csv *csv)
{
    if (csv->within_row)
        fputc(',', csv->out);
    csv->within_row = true;
}

void fm_csv_text(struct fm_csv *csv, const char *text)
{
    start_field(csv);
    if (!strpbrk(text, "\",\r\n")) {
        fputs(text, csv->out);
        return;
    }
    fputc('"', csv->out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv->out);
        fputc(*text, csv->out);
    }
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
