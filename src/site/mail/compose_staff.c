/* SPDX-License-Identifier: BSD-3-Clause */
/* The mail for the staff: all jobs of the machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/mail/compose.h"
#include "site/mail/links.h"
#include "site/mail/words.h"
#include "site/store/classes.h"

enum { NAME = 40, TOP = 10, TOP_INSIGHTS = 12 };

#define WORTH_SAYING 0.05

static double loss(const struct fm_mail_row *row)
{
    return fm_mail_wasted_s(&row->sums);
}

static int by_loss(const void *a, const void *b)
{
    double x = loss(*(const struct fm_mail_row *const *)a), y = loss(*(const struct fm_mail_row *const *)b);
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x < y) - (x > y); /* unknown ones at the end */
}

/* The rows that waste most; NULL if out of memory. */
static const struct fm_mail_row **sorted(struct fm_page *page, const struct fm_mail_rows *rows)
{
    const struct fm_mail_row **found = fm_arena_alloc(page->arena, rows->n * sizeof *found);
    for (size_t i = 0; found && i < rows->n; i++)
        found[i] = &rows->items[i];
    if (found && rows->n)
        qsort(found, rows->n, sizeof *found, by_loss);
    page->failed = page->failed || !found;
    return found;
}

static void add_lead(struct fm_page *page, const struct fm_mail_people *people, const struct fm_mail_texts *texts)
{
    const struct fm_mail_sums *all = &people->all;
    double efficiency = fm_mail_efficiency(all), before = fm_mail_efficiency(&people->all_before);
    double wasted_s = fm_mail_wasted_s(all);
    const char *what = fm_page_print(page, "%zu users, %s jobs, %s core-hours%s%s%s", people->users.n,
                                     fm_words_count(page, all->jobs), fm_words_hours(page, all->cpu_s),
                                     isnan(wasted_s) ? "" : ", of which ", fm_words_hours(page, wasted_s),
                                     isnan(wasted_s) ? "" : " are wasted");
    page->subject = fm_page_print(page, "%s, all jobs: %s", fm_words_when(page, &people->period, texts, false), what);
    fm_page_add(page, FM_PAGE_LEAD,
                fm_page_print(page, "%s: %s; parallel efficiency %s%s%s%s%s%s",
                              fm_words_when(page, &people->period, texts, true), what,
                              fm_words_percent(page, efficiency), isnan(before) ? "" : " (",
                              isnan(before) ? "" : people->period.before_name, isnan(before) ? "" : " ",
                              fm_words_percent(page, before), isnan(before) ? "" : ")"));
}

/* "ocean0 of user000 wastes 4,834 core-hours, 30 % of all that is wasted" */
static void add_worst(struct fm_page *page, const struct fm_mail_people *people, const struct fm_mail_texts *texts)
{
    const struct fm_mail_row **most = sorted(page, &people->programs);
    double wasted_s = people->all.wasted_s;
    if (!most || !people->programs.n || !(loss(most[0]) > WORTH_SAYING * wasted_s))
        return;
    fm_page_message(page, true,
                    fm_page_print(page, "%s of %s wastes %s core-hours, %s of all that is wasted",
                                  fm_words_name(page, most[0]->name, NAME), fm_words_name(page, most[0]->user, NAME),
                                  fm_words_hours(page, loss(most[0])),
                                  fm_words_percent(page, loss(most[0]) / wasted_s)),
                    NULL);
    fm_page_message_link(page, "The program", fm_mail_link_program(page, texts, most[0]->name, most[0]->user));
}

static void add_insights(struct fm_page *page, const struct fm_mail_people *people, const struct fm_mail_texts *texts)
{
    const struct fm_insight_list *list = &people->insights;
    size_t shown = 0;
    for (size_t i = 0; i < list->n && shown < TOP_INSIGHTS; i++)
        if (list->insights[i].day < people->period.until ||
            strcmp(list->insights[i].kind, fm_insight_words[FM_INSIGHT_SCALING]) == 0) {
            if (!shown++)
                fm_page_add(page, FM_PAGE_HEADING, "What stands out");
            fm_mail_insight(page, &list->insights[i], people->all.cpu_s, true);
            fm_mail_link_insight(page, texts, &list->insights[i]);
        }
}

static void add_rows(struct fm_page *page, const struct fm_mail_people *people, const struct fm_mail_texts *texts,
                     const char *title, bool programs)
{
    const struct fm_page_column columns[] = {
        {"user", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {programs ? "program" : "jobs",
         (programs ? FM_PAGE_TEXTS : 0) | (!programs ? FM_PAGE_SPARE : 0) | (programs ? FM_PAGE_WRAPS : 0)},
        {"core-hours", 0},
        {"wasted", 0},
        {"MPI", programs ? FM_PAGE_SPARE : 0},
        {"efficient", 0},
        {0},
    };
    const struct fm_mail_rows *rows = programs ? &people->programs : &people->users;
    const struct fm_mail_row **most = sorted(page, rows);
    fm_page_add(page, FM_PAGE_HEADING, title);
    fm_page_table(page, columns);
    for (size_t i = 0; most && i < rows->n && i < TOP; i++) {
        const struct fm_mail_sums *sums = &most[i]->sums;
        double mpi = fm_mail_mpi_fraction(sums);
        fm_page_row(
            page, &(struct fm_page_row){
                      .critical = mpi > FM_CRITICAL_MPI,
                      .link = programs ? fm_mail_link_program(page, texts, most[i]->name, most[i]->user)
                                       : fm_mail_link_jobs(page, texts, &people->period, most[i]->user),
                      .cells = {fm_words_name(page, most[i]->user, NAME),
                                programs ? fm_words_name(page, most[i]->name, NAME) : fm_words_count(page, sums->jobs),
                                fm_words_hours(page, sums->cpu_s), fm_words_wasted(page, fm_mail_wasted_s(sums)),
                                fm_words_percent(page, mpi), fm_words_percent(page, fm_mail_efficiency(sums))}});
    }
}

/* How the figures of users are distributed. */
static void add_figures(struct fm_page *page, const struct fm_mail_people *people)
{
    static const struct fm_page_column columns[] = {
        {"among users", FM_PAGE_TEXTS},
        {"least", FM_PAGE_SPARE},
        {"lower quarter", 0},
        {"median", 0},
        {"upper quarter", 0},
        {"most", FM_PAGE_SPARE},
        {0},
    };
    const double unknown[FM_REFERENCE_FIGURES] = {NAN, NAN, NAN, NAN, NAN};
    struct fm_reference figures[FM_REFERENCE_FIGURES];
    fm_references_among_users(people->references, NULL, unknown, figures);
    fm_page_add(page, FM_PAGE_HEADING, "Users");
    fm_page_table(page, columns);
    for (int i = 0; i < FM_REFERENCE_FIGURES; i++)
        if (figures[i].n)
            fm_page_row(
                page,
                &(struct fm_page_row){
                    .cells = {fm_words_figure_names[i], fm_words_figure(page, i, figures[i].min),
                              fm_words_figure(page, i, figures[i].p25), fm_words_figure(page, i, figures[i].median),
                              fm_words_figure(page, i, figures[i].p75), fm_words_figure(page, i, figures[i].max)}});
}

static void add_mails(struct fm_page *page, const struct fm_mail_counts *counts, double refused)
{
    if (refused > 0)
        fm_page_add(page, FM_PAGE_TEXT,
                    fm_page_print(page, "%s records were refused (fathom site query \"SELECT * FROM refused\").",
                                  fm_words_count(page, refused)));
    if (counts)
        fm_page_add(
            page, FM_PAGE_TEXT,
            fm_page_print(page,
                          "Mails to users: %zu sent, %zu failed, %zu want none, %zu without an address, %zu with "
                          "too few core-hours.",
                          counts->sent, counts->failed, counts->refused, counts->unknown, counts->small));
}

enum fm_status fm_mail_compose_staff(struct fm_page *page, struct fm_mail_people *people, double refused,
                                     const struct fm_mail_counts *counts, const struct fm_mail_texts *texts,
                                     struct fm_error *error)
{
    add_lead(page, people, texts);
    add_worst(page, people, texts);
    fm_mail_bar(page, &people->all);
    add_insights(page, people, texts);
    fm_page_add(page, FM_PAGE_HEADING, fm_page_print(page, "Since the %s", people->period.before_name));
    fm_mail_changes(page, people, &people->all, &people->all_before);
    add_rows(page, people, texts, "Users who waste most", false);
    add_rows(page, people, texts, "Programs that waste most", true);
    add_figures(page, people);
    if (counts || refused > 0)
        fm_page_add(page, FM_PAGE_HEADING, "Records and mails");
    add_mails(page, counts, refused);
    fm_mail_end(page, texts, fm_mail_link_jobs(page, texts, &people->period, NULL), true);
    return page->failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for a mail") : FM_OK;
}
