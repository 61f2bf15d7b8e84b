/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/html.h"

#include <stdlib.h>

#include "pages/bundle.h"
#include "render/gzip.h"
#include "render/xml.h"
#include "report/views.h"

const char fm_no_bundle[] =
    "this fathom has no web pages, because they could not be built; install node and npm and build it "
    "again, or use a release";

/* The highest level makes large slices 3 % smaller than the usual one, and takes more than five times as long. */
enum { LEVEL = 9, LEVEL_OF_LARGE = 6, LARGE_BYTES = 4 << 20 };

static void print_base64(FILE *out, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16;
        group |= i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0;
        group |= i + 2 < n ? bytes[i + 2] : 0;
        char text[4] = {
            digits[group >> 18],
            digits[group >> 12 & 63],
            i + 1 < n ? digits[group >> 6 & 63] : '=',
            i + 2 < n ? digits[group & 63] : '=',
        };
        fwrite(text, 1, sizeof text, out);
    }
}

enum fm_status fm_html_begin(FILE *out, const char *title, const char *headline, struct fm_error *error)
{
    if (!fm_bundle.js_bytes)
        return fm_fail(error, FM_ERR_SYSTEM, "%s", fm_no_bundle);
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-%s'; "
            "style-src 'sha256-%s'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"Fathom " FM_VERSION "\">\n<title>",
            fm_bundle.js_sha256, fm_bundle.css_sha256);
    fm_xml_text(out, title);
    fputs(" - Fathom</title>\n<style>", out);
    fwrite(fm_bundle.css, 1, fm_bundle.css_bytes, out);
    fputs("</style>\n</head>\n<body data-source=\"file\">\n<div id=\"app\">\n<noscript><p>", out);
    fm_xml_text(out, headline);
    fputs("</p><p>This report needs a browser with JavaScript.</p></noscript>\n</div>\n", out);
    return FM_OK;
}

enum fm_status fm_html_slice(FILE *out, const char *name,
                             enum fm_status (*write)(void *context, FILE *out, struct fm_error *error), void *context,
                             struct fm_error *error)
{
    char *text = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&text, &n);
    if (!memory)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a page");
    enum fm_status status = write(context, memory, error);
    bool failed = fclose(memory) != 0;
    struct fm_gzip packed = {0};
    if (!status && !failed)
        packed = fm_gzip(text, n, n > LARGE_BYTES ? LEVEL_OF_LARGE : LEVEL);
    free(text);
    if (status)
        return status;
    if (!packed.bytes)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a page");
    fprintf(out, "<script type=\"application/gzip\" data-slice=\"%s\">", name);
    print_base64(out, packed.bytes, packed.n);
    fputs("</script>\n", out);
    free(packed.bytes);
    return FM_OK;
}

void fm_html_end(FILE *out)
{
    fputs("<script>", out);
    fwrite(fm_bundle.js, 1, fm_bundle.js_bytes, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

/* ---- a report ---- */

struct page {
    struct fm_slices *slices;
    FILE *out;
    const char *name; /* of the slice that is being written */
};

static enum fm_status write_slice(void *context, FILE *out, struct fm_error *error)
{
    const struct page *page = context;
    return fm_slice_write(page->slices, page->name, out, error);
}

static enum fm_status print_slice(void *context, const char *name, struct fm_error *error)
{
    struct page *page = context;
    page->name = name;
    return fm_html_slice(page->out, name, write_slice, page, error);
}

enum fm_status fm_html_write(struct fm_slices *slices, FILE *out, struct fm_error *error)
{
    struct page page = {.slices = slices, .out = out};
    enum fm_status status = fm_html_begin(out, slices->report->summary.name, fm_headline(slices->report), error);
    if (!status)
        status = fm_slices_visit(slices, print_slice, &page, error);
    if (!status)
        fm_html_end(out);
    return status;
}
