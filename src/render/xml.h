/* SPDX-License-Identifier: BSD-3-Clause */
/* What SVG files share: text made safe for XML, and how wide it will be. */
#ifndef FM_RENDER_XML_H
#define FM_RENDER_XML_H

#include <stdio.h>

enum { FM_SVG_MARGIN = 20, FM_SVG_HEAD = 52 }; /* px: around a picture, and for its title */

/* For elements and attributes. What XML cannot hold (control characters, bytes that are not UTF-8) becomes U+FFFD. */
void fm_xml_text(FILE *out, const char *text);
/* A number with one digit after the point, whatever the locale is. */
void fm_xml_number(FILE *out, double number);
/* ' name="12.5"' */
void fm_xml_attribute(FILE *out, const char *name, double value);
/* The start of an SVG file: its element, to be closed, a title, a white page and the same title on it. */
void fm_svg_start(FILE *out, double width, double height, const char *title);
/* px: how wide a page must be for its title. */
double fm_svg_title_width(const char *title);
/* A <text>; `style` are further attributes. */
void fm_svg_text(FILE *out, double x, double y, const char *style, const char *text);
/* In px, at a size of 1 px, as a wide sans-serif face has it: the viewer's own face is not known. */
double fm_xml_width(const char *text);

#endif
