/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/html.h"

#include "render/xml.h"

static const char STYLE[] =
    ":root{color-scheme:light dark;--line:#d8d8d8;--soft:#666;--bar:#cfe1f5;--link:#0b5cad}\n"
    "@media(prefers-color-scheme:dark){:root{--line:#3a3f45;--soft:#a5abb3;--bar:#274766;--link:#7db8f5}}\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;padding:0 1.5em;max-width:84em}\n"
    "h1{font-size:1.5em;font-weight:600;margin:0 0 .6em}\n"
    "h2{font-size:1.05em;font-weight:600;margin:2em 0 .4em}\n"
    "nav{color:var(--soft);margin:0 0 1.5em}\n"
    "nav a{margin-right:1em;white-space:nowrap}\n"
    "a{color:var(--link);text-decoration:none}\n"
    "a:hover{text-decoration:underline}\n"
    "p{color:var(--soft)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.16em .7em;text-align:left;border-bottom:1px solid var(--line);overflow-wrap:anywhere;"
    "vertical-align:baseline}\n"
    "th{font-weight:600;color:var(--soft)}\n"
    "thead th{white-space:nowrap;overflow-wrap:normal}\n"
    "tbody td:first-child{font-weight:500}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    ".p{background:linear-gradient(to right,var(--bar) var(--p),transparent 0)}\n"
    ".facts th{white-space:nowrap}\n"
    ".facts td{white-space:pre-wrap}\n"
    "section{margin-bottom:4em}\n"
    "@media print{:root{color-scheme:light}body{font-size:9px;margin:0;padding:0;max-width:none}nav{display:none}"
    "h2{break-after:avoid}tr{break-inside:avoid}thead{display:table-header-group}"
    ".p{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

void fm_summary_page_start(FILE *out, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
          "<title>",
          out);
    fm_xml_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", STYLE);
}

void fm_summary_page_contents(FILE *out, const struct fm_sheet *sheets, size_t n)
{
    fputs("<nav>", out);
    for (size_t i = 0; i < n; i++)
        if (sheets[i].n_rows) {
            fprintf(out, "<a href=\"#%s\">", sheets[i].key);
            fm_xml_text(out, sheets[i].title);
            fputs("</a> ", out);
        }
    fputs("</nav>\n", out);
}

void fm_summary_page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}
