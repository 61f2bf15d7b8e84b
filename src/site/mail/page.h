/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of a mail, written once and shown twice: as text and as HTML. A page is a list of blocks: headings,
 * paragraphs, messages, tables, a bar. Any text may come from anybody: whoever shows a page escapes all of it.
 *
 * Memory comes from the page's arena. If it runs out the page is marked as failed. */
#ifndef FM_SITE_MAIL_PAGE_H
#define FM_SITE_MAIL_PAGE_H

#include "base/writer.h"

enum fm_page_kind {
    FM_PAGE_LEAD,    /* the first line */
    FM_PAGE_HEADING, /* of what follows */
    FM_PAGE_TEXT,    /* a paragraph */
    FM_PAGE_MESSAGE, /* something to be known: `text` in one line, and `more` */
    FM_PAGE_BAR,     /* parts of a whole */
    FM_PAGE_TABLE,
    FM_PAGE_LINK, /* `more` is the address */
    FM_PAGE_NOTE  /* small print */
};

enum { FM_PAGE_COLUMNS = 10, FM_PAGE_PARTS = 6 };

enum {
    FM_PAGE_TEXTS = 1, /* else numbers, aligned to the right */
    FM_PAGE_SPARE = 2, /* left out where there is little room */
    FM_PAGE_WRAPS = 4, /* texts that may be cut, or take several lines in HTML */
};
struct fm_page_column {
    const char *heading;
    unsigned flags;
};

struct fm_page_part {
    const char *name;
    double fraction;
    const char *colour; /* "#rrggbb", as in the pages */
};

struct fm_page_row {
    bool critical;
    const char *link;                   /* address behind the first cell, where there are links; NULL: none */
    const char *cells[FM_PAGE_COLUMNS]; /* "": nothing */
};

struct fm_page_block {
    enum fm_page_kind kind;
    bool critical;
    const char *text, *more;      /* NULL: none */
    const char *link, *link_text; /* of a message */
    struct fm_page_column columns[FM_PAGE_COLUMNS];
    size_t n_columns;
    struct fm_page_row *rows;
    size_t n_rows, rows_capacity;
    struct fm_page_part parts[FM_PAGE_PARTS];
    size_t n_parts;
};

struct fm_page {
    struct fm_arena *arena;
    const char *subject; /* of the mail, and title of the HTML */
    struct fm_page_block *blocks;
    size_t n, capacity;
    bool failed;
};

/* A text for the page: never NULL. */
const char *fm_page_print(struct fm_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Texts must live as long as the page. */
void fm_page_add(struct fm_page *page, enum fm_page_kind kind, const char *text);
void fm_page_message(struct fm_page *page, bool critical, const char *text, const char *more);
/* To the last message: an address where there is more about it; NULL: nothing. */
void fm_page_message_link(struct fm_page *page, const char *text, const char *address);
void fm_page_link(struct fm_page *page, const char *text, const char *address);
void fm_page_bar(struct fm_page *page, const struct fm_page_part *parts, size_t n);
/* A table; columns end with one without heading. Rows are added to the last one. */
void fm_page_table(struct fm_page *page, const struct fm_page_column *columns);
void fm_page_row(struct fm_page *page, const struct fm_page_row *row);

void fm_page_write_text(struct fm_writer *out, const struct fm_page *page);
void fm_page_write_html(struct fm_writer *out, const struct fm_page *page);

#endif
