/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/xml.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "render/text.h"

enum { TITLE_SIZE = 15 };

void fm_xml_text(FILE *out, const char *text)
{
    fm_print_safe(out, FM_SAFE_XML, text, strlen(text));
}

void fm_xml_number(FILE *out, double number)
{
    uint64_t tenths = fm_rounded((number < 0 ? -number : number) * 10);
    fprintf(out, "%s%" PRIu64 ".%" PRIu64, number < 0 && tenths ? "-" : "", tenths / 10, tenths % 10);
}

double fm_xml_width(const char *text)
{
    double width = 0;
    while (*text) {
        uint32_t code = fm_utf8_next(&text);
        if (code >= 0x80)
            width += 0.8 * (double)fm_utf8_width(code);
        else if (strchr("iljt.,:;|!'[]() ", (int)code))
            width += 0.38;
        else if (strchr("mwMW@%", (int)code))
            width += 0.96;
        else
            width += code >= 'A' && code <= 'Z' ? 0.74 : 0.64;
    }
    return width;
}

void fm_xml_attribute(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"", name);
    fm_xml_number(out, value);
    fputc('"', out);
}

void fm_svg_text(FILE *out, double x, double y, const char *style, const char *text)
{
    fputs("<text", out);
    fm_xml_attribute(out, "x", x);
    fm_xml_attribute(out, "y", y);
    fprintf(out, "%s%s>", style[0] ? " " : "", style);
    fm_xml_text(out, text);
    fputs("</text>", out);
}

double fm_svg_title_width(const char *title)
{
    return TITLE_SIZE * fm_xml_width(title) + 2 * FM_SVG_MARGIN;
}

void fm_svg_start(FILE *out, double width, double height, const char *title)
{
    char style[48];
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"", out);
    fm_xml_attribute(out, "width", width);
    fm_xml_attribute(out, "height", height);
    fputs(" viewBox=\"0 0 ", out);
    fm_xml_number(out, width);
    fputc(' ', out);
    fm_xml_number(out, height);
    fputs("\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>", out);
    fm_xml_text(out, title);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
    snprintf(style, sizeof style, "font-size=\"%d\" fill=\"#1b2733\"", TITLE_SIZE);
    fm_svg_text(out, FM_SVG_MARGIN, 28, style, title);
    fputc('\n', out);
}
