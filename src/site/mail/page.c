/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/page.h"

#include <string.h>

const char *fm_page_print(struct fm_page *page, const char *format, ...)
{
    struct fm_writer text = {.arena = page->arena};
    va_list values;
    va_start(values, format);
    fm_write_list(&text, format, values);
    va_end(values);
    const char *written = fm_writer_text(&text);
    page->failed = page->failed || !written;
    return written ? written : "";
}

static struct fm_page_block *add_block(struct fm_page *page, enum fm_page_kind kind)
{
    if (page->n == page->capacity) {
        struct fm_page_block *grown = fm_arena_grow(page->arena, page->blocks, &page->capacity, page->n + 1,
                                                    sizeof *grown);
        page->failed = page->failed || !grown;
        if (!grown)
            return NULL;
        page->blocks = grown;
    }
    struct fm_page_block *block = &page->blocks[page->n++];
    *block = (struct fm_page_block){.kind = kind};
    return block;
}

void fm_page_add(struct fm_page *page, enum fm_page_kind kind, const char *text)
{
    struct fm_page_block *block = add_block(page, kind);
    if (block)
        block->text = text;
}

void fm_page_message(struct fm_page *page, bool critical, const char *text, const char *more)
{
    struct fm_page_block *block = add_block(page, FM_PAGE_MESSAGE);
    if (!block)
        return;
    block->critical = critical;
    block->text = text;
    block->more = more;
}

void fm_page_message_link(struct fm_page *page, const char *text, const char *address)
{
    struct fm_page_block *message = page->n ? &page->blocks[page->n - 1] : NULL;
    if (!message || message->kind != FM_PAGE_MESSAGE)
        return;
    message->link = address;
    message->link_text = text;
}

void fm_page_link(struct fm_page *page, const char *text, const char *address)
{
    struct fm_page_block *block = add_block(page, FM_PAGE_LINK);
    if (!block)
        return;
    block->text = text;
    block->more = address;
}

void fm_page_bar(struct fm_page *page, const struct fm_page_part *parts, size_t n)
{
    struct fm_page_block *block = add_block(page, FM_PAGE_BAR);
    if (!block)
        return;
    block->n_parts = n < FM_PAGE_PARTS ? n : FM_PAGE_PARTS;
    memcpy(block->parts, parts, block->n_parts * sizeof *parts);
}

void fm_page_table(struct fm_page *page, const struct fm_page_column *columns)
{
    struct fm_page_block *block = add_block(page, FM_PAGE_TABLE);
    if (!block)
        return;
    while (block->n_columns < FM_PAGE_COLUMNS && columns[block->n_columns].heading) {
        block->columns[block->n_columns] = columns[block->n_columns];
        block->n_columns++;
    }
}

void fm_page_row(struct fm_page *page, const struct fm_page_row *row)
{
    struct fm_page_block *table = page->n ? &page->blocks[page->n - 1] : NULL;
    if (page->failed || !table || table->kind != FM_PAGE_TABLE)
        return;
    if (table->n_rows == table->rows_capacity) {
        struct fm_page_row *grown = fm_arena_grow(page->arena, table->rows, &table->rows_capacity, table->n_rows + 1,
                                                  sizeof *grown);
        page->failed = page->failed || !grown;
        if (!grown)
            return;
        table->rows = grown;
    }
    table->rows[table->n_rows++] = *row;
}
