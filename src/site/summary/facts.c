/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/facts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/units.h"
#include "base/writer.h"
#include "render/text.h"
#include "render/xml.h"

static const char *copy(struct fm_facts *facts, const char *text)
{
    const char *copied = fm_arena_strndup(facts->arena, text, strlen(text));
    facts->failed |= !copied;
    return copied ? copied : "";
}

void fm_fact_add(struct fm_facts *facts, const char *name, const char *number, const char *format, ...)
{
    struct fm_writer written = {.arena = facts->arena};
    va_list values;
    va_start(values, format);
    fm_write_list(&written, format, values);
    va_end(values);
    const char *text = fm_writer_text(&written);
    struct fm_fact *items = fm_arena_grow(facts->arena, facts->items, &facts->capacity, facts->n + 1, sizeof *items);
    if (!items || !text) {
        facts->failed = true;
        return;
    }
    facts->items = items;
    items[facts->n++] = (struct fm_fact){copy(facts, name), number ? copy(facts, number) : NULL, text};
}

void fm_fact_number(struct fm_facts *facts, const char *name, double number, unsigned decimals, const char *unit)
{
    char text[FM_UNIT_CHARS];
    if (isfinite(number))
        fm_fact_add(facts, name, fm_decimal_text(text, number, decimals), "%s", unit);
}

void fm_fact_hours(struct fm_facts *facts, const char *name, double seconds, double of_s, const char *of)
{
    char text[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    if (!isfinite(seconds))
        return;
    bool hours = seconds >= 3600 || seconds == 0;
    if (hours)
        fm_decimal_text(text, seconds / 3600, 2);
    else
        fm_time_text(text, seconds * 1e9);
    const char *unit = hours ? "h" : "";
    if (of_s > 0)
        fm_fact_add(facts, name, text, "%s%s%s of %s", unit, hours ? "  " : "", fm_percent_fine(share, seconds / of_s),
                    of);
    else
        fm_fact_add(facts, name, text, "%s", unit);
}

void fm_facts_text(const struct fm_facts *facts, FILE *out)
{
    for (size_t i = 0; i < facts->n; i++) {
        const struct fm_fact *fact = &facts->items[i];
        fprintf(out, "  %-26s ", fact->name);
        if (fact->number)
            fprintf(out, "%14s%s", fact->number, *fact->text ? "  " : "");
        fm_print_text(out, fact->text);
        fputc('\n', out);
    }
}

void fm_facts_html(const struct fm_facts *facts, FILE *out)
{
    if (!facts->n)
        return;
    fputs("<table class=\"facts\">\n", out);
    for (size_t i = 0; i < facts->n; i++) {
        const struct fm_fact *fact = &facts->items[i];
        size_t depth = strspn(fact->name, " ");
        fprintf(out, "<tr><th style=\"padding-left:%zuem\">", depth / 2);
        fm_xml_text(out, fact->name + depth);
        fputs(fact->number ? "</th><td class=\"n\">" : "</th><td colspan=\"2\">", out);
        if (fact->number) {
            fm_xml_text(out, fact->number);
            fputs("</td><td>", out);
        }
        fm_xml_text(out, fact->text);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}
