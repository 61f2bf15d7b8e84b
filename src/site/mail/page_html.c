/* SPDX-License-Identifier: BSD-3-Clause */
/* A page as HTML for mail programs: styles in the elements, because many programs remove style sheets; no colours of text
 * and background but those that can be read on white and on black; no scripts, pictures or anything else from elsewhere.
 * What the style sheet adds are narrow windows. Critical lines are marked with "!" as well as by colour. */
#include <string.h>

#include "base/safe_text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "site/mail/page.h"

enum { TEXT_COLUMNS = 500, CELL_COLUMNS = 60, CHUNK = 480 };

#define RED "#d3453b"
#define LINE "#88888866"
#define FAINT "opacity:.72"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"supported-color-schemes\" content=\"light dark\">\n"
    "<style>:root{color-scheme:light dark}"
    "@media (max-width:520px){.w{display:none!important}td,th{padding-right:6px!important;font-size:12px!important}}</style>\n";
static const char body[] = "<body style=\"margin:0;padding:12px 14px;font:15px/1.45 -apple-system,'Segoe UI',Roboto,"
                           "Helvetica,Arial,sans-serif;overflow-wrap:anywhere\">\n"
                           "<div style=\"max-width:760px;margin:0 auto\">\n";

/* Cut in the middle if it is wider. */
static void write_escaped(struct fm_writer *out, const char *text, size_t columns)
{
    struct fm_cut cut = fm_text_cut(text, columns);
    char chunk[CHUNK + FM_SAFE_BYTES];
    size_t n = 0;
    const char *parts[] = {text, cut.tail ? cut.tail : ""};
    size_t lengths[] = {cut.head, strlen(parts[1])};
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = parts[i], *end = at + lengths[i]; at < end;) {
            char safe[FM_SAFE_BYTES];
            size_t bytes = fm_safe_next(FM_SAFE_XML, &at, safe);
            memcpy(chunk + n, safe, bytes);
            n += bytes;
            if (n >= CHUNK) {
                fm_write(out, "%.*s", (int)n, chunk);
                n = 0;
            }
        }
        if (!i && cut.tail) {
            fm_write(out, "%.*s..", (int)n, chunk);
            n = 0;
        }
    }
    fm_write(out, "%.*s", (int)n, chunk);
}

static void write_element(struct fm_writer *out, const char *start, const char *text, const char *end)
{
    fm_write(out, "%s", start);
    write_escaped(out, text, TEXT_COLUMNS);
    fm_write(out, "%s\n", end);
}

/* Addresses are whole, or they lead nowhere. */
static void write_anchor(struct fm_writer *out, const char *address, const char *text, size_t columns)
{
    fm_write(out, "<a style=\"color:inherit\" href=\"");
    write_escaped(out, address, strlen(address));
    fm_write(out, "\">");
    write_escaped(out, text, columns);
    fm_write(out, "</a>");
}

static void write_message(struct fm_writer *out, const struct fm_page_block *block)
{
    fm_write(out, "<div style=\"margin:10px 0;padding:2px 0 2px 10px;border-left:4px solid %s\">",
             block->critical ? RED : "#8a96a3");
    fm_write(out, "%s<b>", block->critical ? "<b style=\"color:" RED "\">!</b> " : "");
    write_escaped(out, block->text, TEXT_COLUMNS);
    fm_write(out, "</b>");
    if (block->more) {
        fm_write(out, "<br>");
        write_escaped(out, block->more, TEXT_COLUMNS);
    }
    if (block->link) {
        fm_write(out, "<br>");
        write_anchor(out, block->link, block->link_text, TEXT_COLUMNS);
    }
    fm_write(out, "</div>\n");
}

/* The cells of a table, because nothing else has a width everywhere; what they mean is below. */
static void write_bar(struct fm_writer *out, const struct fm_page_block *block)
{
    char percent[FM_UNIT_CHARS];
    fm_write(out, "<table role=\"presentation\" width=\"100%%\" cellspacing=\"0\" cellpadding=\"0\" "
                  "style=\"border-collapse:collapse;table-layout:fixed;margin-top:8px\"><tr>");
    for (size_t i = 0; i < block->n_parts; i++)
        if (block->parts[i].fraction >= 0.005)
            fm_write(out,
                     "<td width=\"%.1f%%\" style=\"background:%s;height:16px;font-size:0;padding:0!important\">"
                     "&nbsp;</td>",
                     block->parts[i].fraction * 100, block->parts[i].colour);
    fm_write(out, "</tr></table>\n<div style=\"margin:3px 0 12px;font-size:13px\">");
    for (size_t i = 0; i < block->n_parts; i++) {
        fm_write(out, "<span style=\"white-space:nowrap;margin-right:14px\"><span style=\"color:%s\">&#9632;</span> ",
                 block->parts[i].colour);
        write_escaped(out, block->parts[i].name, CELL_COLUMNS);
        fm_write(out, " %s</span> ", fm_percent_whole(percent, block->parts[i].fraction));
    }
    fm_write(out, "</div>\n");
}

/* row: of which it is the first cell; else NULL. */
static void write_cell(struct fm_writer *out, const struct fm_page_column *column, const struct fm_page_row *row,
                       const char *text)
{
    fm_write(out, "<td%s%s style=\"padding:3px 14px 3px 0;border-top:1px solid " LINE "%s\">",
             (column->flags & FM_PAGE_SPARE) ? " class=\"w\"" : "",
             (column->flags & FM_PAGE_TEXTS) ? "" : " align=\"right\"",
             (column->flags & FM_PAGE_WRAPS) ? ";overflow-wrap:anywhere" : ";white-space:nowrap");
    if (row && row->critical)
        fm_write(out, "<b style=\"color:" RED "\">!</b> ");
    fm_write(out, "<bdi>");
    if (row && row->link)
        write_anchor(out, row->link, text, CELL_COLUMNS);
    else
        write_escaped(out, text, CELL_COLUMNS);
    fm_write(out, "</bdi></td>");
}

static void write_table(struct fm_writer *out, const struct fm_page_block *table)
{
    fm_write(out, "<div style=\"overflow-x:auto\"><table cellspacing=\"0\" style=\"border-collapse:collapse;"
                  "margin-bottom:14px;font-size:14px;font-variant-numeric:tabular-nums;overflow-wrap:normal\">\n<tr>");
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct fm_page_column *column = &table->columns[i];
        fm_write(
            out,
            "<th%s align=\"%s\" valign=\"bottom\" style=\"padding:3px 14px 3px 0;font-weight:normal;font-size:13px;" FAINT
            "\">",
            (column->flags & FM_PAGE_SPARE) ? " class=\"w\"" : "", (column->flags & FM_PAGE_TEXTS) ? "left" : "right");
        write_escaped(out, column->heading, CELL_COLUMNS);
        fm_write(out, "</th>");
    }
    fm_write(out, "</tr>\n");
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct fm_page_row *row = &table->rows[i];
        fm_write(out, "<tr valign=\"top\">");
        for (size_t j = 0; j < table->n_columns; j++)
            write_cell(out, &table->columns[j], j ? NULL : row, row->cells[j]);
        fm_write(out, "</tr>\n");
    }
    fm_write(out, "</table></div>\n");
}

static void write_link(struct fm_writer *out, const struct fm_page_block *block)
{
    fm_write(out, "<p style=\"margin:18px 0 6px\">");
    write_anchor(out, block->more, block->text, TEXT_COLUMNS);
    fm_write(out, "</p>\n");
}

static void write_block(struct fm_writer *out, const struct fm_page_block *block)
{
    switch (block->kind) {
    case FM_PAGE_LEAD:
        write_element(out, "<p style=\"margin:4px 0 12px;font-size:18px;line-height:1.35\">", block->text, "</p>");
        break;
    case FM_PAGE_HEADING:
        write_element(out, "<h2 style=\"margin:18px 0 6px;font-size:16px\">", block->text, "</h2>");
        break;
    case FM_PAGE_TEXT:
        write_element(out, "<p style=\"margin:6px 0\">", block->text, "</p>");
        break;
    case FM_PAGE_MESSAGE:
        write_message(out, block);
        break;
    case FM_PAGE_BAR:
        write_bar(out, block);
        break;
    case FM_PAGE_TABLE:
        write_table(out, block);
        break;
    case FM_PAGE_LINK:
        write_link(out, block);
        break;
    case FM_PAGE_NOTE:
        write_element(out, "<p style=\"margin:14px 0 0;font-size:13px;" FAINT "\">", block->text, "</p>");
        break;
    }
}

void fm_page_write_html(struct fm_writer *out, const struct fm_page *page)
{
    fm_write(out, "%s", head);
    write_element(out, "<title>", page->subject, "</title>\n</head>");
    fm_write(out, "%s", body);
    for (size_t i = 0; i < page->n; i++)
        write_block(out, &page->blocks[i]);
    fm_write(out, "</div>\n</body>\n</html>\n");
}
