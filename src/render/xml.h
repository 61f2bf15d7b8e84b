/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for SVG files: text made safe for XML, and its width. */
#ifndef FM_RENDER_XML_H
#define FM_RENDER_XML_H

#include <stdio.h>

enum { FM_SVG_MARGIN = 20, FM_SVG_HEAD = 52 }; /* px: around a picture, and for its title */

/* For elements and attributes. Invalid in XML (control characters, bytes that are not UTF-8) becomes U+FFFD. */
void fm_xml_text(FILE *out, const char *text);
/* Prints a number with one decimal, independent of the locale. */
void fm_xml_number(FILE *out, double number);
/* ' name="12.5"' */
void fm_xml_attribute(FILE *out, const char *name, double value);
/* Starts an SVG file: the <svg> element, which the caller must close, a <title>, a white background and the same title
 * as text. */
void fm_svg_start(FILE *out, double width, double height, const char *title);
/* The page width that the title needs, in px. */
double fm_svg_title_width(const char *title);
/* A <text> element; `style`: further attributes. */
void fm_svg_text(FILE *out, double x, double y, const char *style, const char *text);
/* Estimated width in px at a font size of 1 px, for a wide sans-serif font: the font of the viewer is unknown. */
double fm_xml_width(const char *text);

#endif
