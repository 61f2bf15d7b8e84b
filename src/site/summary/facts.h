/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines at the head of a summary: a name, a number with what follows it, or a text. Shown as text and as HTML.
 *
 * Memory comes from the caller's arena, which also has the texts; if it runs out, lines are missing and `failed` says so. */
#ifndef FM_SITE_SUMMARY_FACTS_H
#define FM_SITE_SUMMARY_FACTS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"

struct fm_fact {
    const char *name;   /* blanks in front: part of the line before */
    const char *number; /* NULL: the line is a text */
    const char *text;   /* what follows the number: its unit, what it is a part of */
};

struct fm_facts {
    struct fm_arena *arena;
    struct fm_fact *items;
    size_t n, capacity;
    bool failed;
};

/* number: NULL for a line of text */
void fm_fact_add(struct fm_facts *facts, const char *name, const char *number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Left out if the number is not finite. */
void fm_fact_number(struct fm_facts *facts, const char *name, double number, unsigned decimals, const char *unit);
/* In hours, below one in seconds, and its share of `of_s`, if that is above 0; left out if it is not finite. */
void fm_fact_hours(struct fm_facts *facts, const char *name, double seconds, double of_s, const char *of);

void fm_facts_text(const struct fm_facts *facts, FILE *out);
void fm_facts_html(const struct fm_facts *facts, FILE *out);

#endif
