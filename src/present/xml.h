/* What SVG files share: text made safe for XML, and how wide it will be. */
#ifndef FM_PRESENT_XML_H
#define FM_PRESENT_XML_H

#include <stdio.h>

/* For elements and attributes. What XML cannot hold (control characters, bytes that are not UTF-8) becomes U+FFFD. */
void fm_xml_text(FILE *out, const char *text);
/* A number with one digit after the point, whatever the locale is. */
void fm_xml_number(FILE *out, double number);
/* In px, at a size of 1 px, as a wide sans-serif face has it: the viewer's own face is not known. */
double fm_xml_width(const char *text);

#endif
