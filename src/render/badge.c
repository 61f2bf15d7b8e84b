/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/badge.h"

#include "render/xml.h"

enum { HEIGHT = 20, PADDING = 6, FONT = 11 };

static double width_of(const char *text)
{
    return 2 * PADDING + FONT * fm_xml_width(text);
}

static void draw_field(FILE *out, double x, double width, const char *colour)
{
    fputs("  <rect y=\"0\" rx=\"2\"", out);
    fm_xml_attribute(out, "x", x);
    fm_xml_attribute(out, "width", width);
    fm_xml_attribute(out, "height", HEIGHT);
    fprintf(out, " fill=\"%s\"/>\n", colour);
}

static void draw_text(FILE *out, double x, const char *text)
{
    fm_svg_text(out, x, 14, "fill=\"#fff\"", text);
}

void fm_badge_svg(FILE *out, const char *label, const char *text, bool good)
{
    double left = width_of(label), right = width_of(text);
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"", out);
    fm_xml_attribute(out, "width", left + right);
    fm_xml_attribute(out, "height", HEIGHT);
    fprintf(out, " font-family=\"Verdana, DejaVu Sans, sans-serif\" font-size=\"%d\" role=\"img\">\n  <title>", FONT);
    fm_xml_text(out, label);
    fputs(": ", out);
    fm_xml_text(out, text);
    fputs("</title>\n", out);
    draw_field(out, 0, left, "#555");
    draw_field(out, left, right, good ? "#2c7a2c" : "#b3261e");
    draw_text(out, PADDING, label);
    draw_text(out, left + PADDING, text);
    fputs("</svg>\n", out);
}
