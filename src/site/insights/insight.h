/* SPDX-License-Identifier: BSD-3-Clause */
/* Insights: what an analysis of many records found, one row of the table `insights` each. `fathom site analyse` replaces
 * them all; mails, pages and reports read them. doc/SITE.md describes the documents. */
#ifndef FM_SITE_INSIGHTS_INSIGHT_H
#define FM_SITE_INSIGHTS_INSIGHT_H

#include "base/arena.h"
#include "site/store/engine.h"
#include "site/summary/sheet.h"

/* Kinds: the word in the table, and what it is. */
#define FM_INSIGHT_KINDS(X)                             \
    X(SLOWER, "slower", "programs that became slower")  \
    X(SCALING, "scaling", "programs that stop scaling") \
    X(SLOW_HOST, "slow-host", "hosts on which programs are slow")
#define X(kind, word, title) FM_INSIGHT_##kind,
enum fm_insight_kind { FM_INSIGHT_KINDS(X) FM_N_INSIGHT_KINDS };
#undef X
extern const char *const fm_insight_words[FM_N_INSIGHT_KINDS + 1], *const fm_insight_titles[FM_N_INSIGHT_KINDS];

struct fm_insight {
    const char *kind;                  /* a word of FM_INSIGHT_KINDS */
    const char *user, *program, *host; /* NULL: does not apply */
    int64_t day;                       /* since 1970: since when, or the last day that was looked at */
    double cost_s;                     /* CPU seconds that it cost within the time that was looked at */
    double certainty;                  /* 0 to 1 */
    const char *sentence;              /* one plain sentence, without a full stop at the end */
    const char *document;              /* JSON: the numbers behind it */
};

struct fm_insight_list {
    struct fm_insight *insights; /* highest cost first */
    size_t n;
    int64_t analysed; /* when, seconds since 1970; -1: never */
};

/* Of a user, a program, or both; NULL is any. Insights without user (hosts) are among those of any user only. Memory comes
 * from the arena. */
enum fm_status fm_insights_read(struct fm_db *db, const char *user, const char *program, struct fm_arena *arena,
                                struct fm_insight_list *list, struct fm_error *error);

#define FM_INSIGHTS_KEY "insights"
/* As a table of a report, for CSV and JSON, and as sentences; rows: at most, 0 is all. */
enum fm_status fm_insights_sheet(const struct fm_insight_list *list, struct fm_sheet *sheet, struct fm_arena *arena,
                                 struct fm_error *error);
void fm_insights_text(const struct fm_insight_list *list, size_t rows, FILE *out);

/* Replaces all insights, in one transaction. */
enum fm_status fm_insights_write(struct fm_db *db, const struct fm_insight_list *list, struct fm_error *error);

#endif
