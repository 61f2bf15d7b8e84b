/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/compose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyse/findings/finding.h"
#include "site/mail/links.h"
#include "site/mail/words.h"
#include "site/store/classes.h"

enum {
    NAME = 40,
    SUBJECT_PART = 100,
    TOP_PROGRAMS = 8,
    TOP_ROUTINES = 6,
    TOP_INSIGHTS = 5,
    TOP_CHANGES = 4,
    LEAST_RUNS = 5
};

#define CRITICAL_COST 0.05 /* of the user's time */
#define WORTH_SAYING 0.02
#define LARGE_PROGRAM 0.05
#define LARGE_PART 0.3
#define LARGE_CHANGE 0.03 /* of efficiency */

struct mail {
    struct fm_page *page;
    struct fm_mail_people *people;
    const struct fm_mail_row *user;
    const struct fm_mail_details *details;
    const struct fm_mail_texts *texts;
    const struct fm_mail_row *programs;
    size_t n_programs;
    const struct fm_mail_sums *before;     /* NULL: no jobs */
    const struct fm_mail_finding *finding; /* that is worth saying, or NULL */
    struct fm_reference among_users[FM_REFERENCE_FIGURES];
};

static bool enough_users(const struct fm_reference *reference)
{
    return reference->others >= FM_REFERENCE_LEAST_OTHERS;
}

static bool enough_runs(const struct fm_reference *reference)
{
    return reference->n >= LEAST_RUNS && !fm_reference_is_private(reference);
}

/* ---- the first lines ---- */

static const char *jobs_and_hours(struct mail *mail)
{
    const struct fm_mail_sums *sums = &mail->user->sums;
    return fm_page_print(mail->page, "%s job%s, %s core-hours", fm_words_count(mail->page, sums->jobs),
                         sums->jobs == 1 ? "" : "s", fm_words_hours(mail->page, sums->cpu_s));
}

/* " (site median 74 %, week before 71 %)" */
static const char *compared(struct mail *mail)
{
    const struct fm_reference *efficiency = &mail->among_users[FM_REFERENCE_PARALLEL];
    double before = mail->before ? fm_mail_efficiency(mail->before) : NAN;
    bool users = enough_users(efficiency) && !isnan(efficiency->median);
    if (!users && isnan(before))
        return "";
    return fm_page_print(mail->page, " (%s%s%s%s%s%s)", users ? "site median " : "",
                         users ? fm_words_percent(mail->page, efficiency->median) : "",
                         users && !isnan(before) ? ", " : "", isnan(before) ? "" : mail->people->period.before_name,
                         isnan(before) ? "" : " ", fm_words_percent(mail->page, before));
}

static void add_lead(struct mail *mail)
{
    double efficiency = fm_mail_efficiency(&mail->user->sums);
    fm_page_add(mail->page, FM_PAGE_LEAD,
                fm_page_print(mail->page, "%s: %s%s%s%s",
                              fm_words_when(mail->page, &mail->people->period, mail->texts, true), jobs_and_hours(mail),
                              isnan(efficiency) ? "" : ", parallel efficiency ",
                              fm_words_percent(mail->page, efficiency), isnan(efficiency) ? "" : compared(mail)));
}

/* "pop loses 1,100 core-hours (9 %) at pcg.f90:118" */
static const char *loss(struct mail *mail)
{
    const struct fm_mail_finding *finding = mail->finding;
    const char *place = fm_words_place(mail->page, finding->file, finding->line, finding->function);
    return fm_page_print(mail->page, "%s loses %s core-hours (%s)%s%s",
                         fm_words_name(mail->page, finding->program, NAME), fm_words_hours(mail->page, finding->cost_s),
                         fm_words_percent(mail->page, finding->cost_s / mail->user->sums.cpu_s), *place ? " at " : "",
                         place);
}

static void add_finding(struct mail *mail)
{
    const struct fm_mail_finding *finding = mail->finding;
    bool critical = finding->cost_s > CRITICAL_COST * mail->user->sums.cpu_s;
    const char *advice = fm_finding_advice(finding->rule);
    fm_page_message(mail->page, critical, loss(mail),
                    fm_page_print(mail->page, "%s. In %s job%s; most in one on %lld rank%s.%s%s",
                                  fm_words_name(mail->page, *finding->text ? finding->text : finding->rule, 240),
                                  fm_words_count(mail->page, finding->jobs), finding->jobs == 1 ? "" : "s",
                                  (long long)finding->ranks, finding->ranks == 1 ? "" : "s",
                                  advice ? " What to try: " : "", advice ? advice : ""));
    fm_page_message_link(mail->page, "The job in which it costs most",
                         fm_mail_link_job(mail->page, mail->texts, finding->job));
}

static bool has_much_mpi(const struct mail *mail)
{
    return fm_mail_mpi_fraction(&mail->user->sums) > FM_CRITICAL_MPI;
}

/* "58 % of the time is in MPI, 37 % in MPI_Allreduce alone" */
static const char *much_mpi(struct mail *mail)
{
    size_t n;
    const struct fm_mail_row *routine = fm_mail_rows_of(&mail->people->routines, mail->user->user, &n);
    const struct fm_mail_sums *sums = &mail->user->sums;
    double share = n ? routine->sums.mpi_s / sums->cpu_s : 0;
    bool named = share > LARGE_PART * fm_mail_mpi_fraction(sums);
    return fm_page_print(mail->page, "%s of the time is in MPI%s%s%s%s",
                         fm_words_percent(mail->page, fm_mail_mpi_fraction(sums)), named ? ", " : "",
                         named ? fm_words_percent(mail->page, share) : "", named ? " in " : "",
                         named ? fm_words_name(mail->page, routine->name, NAME) : "");
}

static bool is_slower(const struct fm_insight *insight)
{
    return strcmp(insight->kind, fm_insight_words[FM_INSIGHT_SLOWER]) == 0;
}

/* An insight about a program that the user has run in this period. Only the day of what became slower is a beginning. */
static bool is_ours(const struct mail *mail, const struct fm_insight *insight)
{
    if (!insight->user || strcmp(insight->user, mail->user->user) != 0 ||
        (is_slower(insight) && insight->day >= mail->people->period.until))
        return false;
    for (size_t i = 0; insight->program && i < mail->n_programs; i++)
        if (strcmp(mail->programs[i].name, insight->program) == 0)
            return true;
    return !insight->program;
}

/* The one that costs most; `news`: of what became slower within the period. */
static const struct fm_insight *worst_insight(const struct mail *mail, bool news)
{
    const struct fm_insight_list *list = &mail->people->insights;
    for (size_t i = 0; i < list->n; i++)
        if (is_ours(mail, &list->insights[i]) &&
            (!news || (is_slower(&list->insights[i]) && list->insights[i].day >= mail->people->period.from)))
            return &list->insights[i];
    return NULL;
}

/* The sentence up to its first comma or bracket. */
static const char *in_short(struct mail *mail, const struct fm_insight *insight)
{
    const char *sentence = insight->sentence, *comma = strstr(sentence, ", "), *bracket = strstr(sentence, " (");
    const char *end = comma && (!bracket || comma < bracket) ? comma : bracket;
    return fm_words_name(
        mail->page, fm_page_print(mail->page, "%.*s", (int)(end ? end - sentence : (long)strlen(sentence)), sentence),
        SUBJECT_PART);
}

/* What is new or can be done, then the size of it all. */
static void make_subject(struct mail *mail)
{
    const struct fm_insight *news = worst_insight(mail, true), *worst = worst_insight(mail, false);
    double efficiency = fm_mail_efficiency(&mail->user->sums);
    const char *all = fm_page_print(mail->page, "%s%s%s%s", jobs_and_hours(mail), isnan(efficiency) ? "" : ", ",
                                    fm_words_percent(mail->page, efficiency), isnan(efficiency) ? "" : " efficient");
    const char *first = news                 ? in_short(mail, news)
                        : mail->finding      ? loss(mail)
                        : worst              ? in_short(mail, worst)
                        : has_much_mpi(mail) ? much_mpi(mail)
                                             : NULL;
    mail->page->subject = fm_page_print(mail->page, "%s: %s%s%s",
                                        fm_words_when(mail->page, &mail->people->period, mail->texts, false),
                                        first ? first : all, first ? "; " : "", first ? all : "");
}

static void add_insights(struct mail *mail)
{
    const struct fm_insight_list *list = &mail->people->insights;
    size_t shown = 0;
    for (size_t i = 0; i < list->n && shown < TOP_INSIGHTS; i++)
        if (is_ours(mail, &list->insights[i])) {
            shown++;
            fm_mail_insight(mail->page, &list->insights[i], mail->user->sums.cpu_s, false);
            fm_mail_link_insight(mail->page, mail->texts, &list->insights[i]);
        }
}

/* ---- figures and what they are compared with ---- */

static void add_figures(struct mail *mail, const struct fm_reference figures[FM_REFERENCE_FIGURES], const char *title,
                        bool users)
{
    const struct fm_page_column columns[] = {
        {title, FM_PAGE_TEXTS},
        {users ? "you" : "yours", 0},
        {"least", FM_PAGE_SPARE},
        {"average", 0},
        {"most", FM_PAGE_SPARE},
        {"better than", 0},
        {0},
    };
    bool any = false;
    for (int i = 0; i < FM_REFERENCE_FIGURES; i++)
        any = any || !isnan(figures[i].value);
    if (!any)
        return;
    fm_page_table(mail->page, columns);
    for (int i = 0; i < FM_REFERENCE_FIGURES; i++) {
        const struct fm_reference *figure = &figures[i];
        bool known = users ? enough_users(figure) : enough_runs(figure);
        if (!isnan(figure->value))
            fm_page_row(
                mail->page,
                &(struct fm_page_row){
                    .critical = fm_mail_is_critical(i, figure),
                    .cells = {fm_words_figure_names[i], fm_words_figure(mail->page, i, figure->value),
                              known ? fm_words_figure(mail->page, i, figure->min) : "",
                              known ? fm_words_figure(mail->page, i, figure->avg) : "",
                              known ? fm_words_figure(mail->page, i, figure->max) : "",
                              known ? fm_words_better(mail->page, i, figure->percentile, users ? "users" : "runs")
                                    : ""}});
    }
}

static enum fm_status add_all_figures(struct mail *mail, struct fm_error *error)
{
    struct fm_reference runs[FM_REFERENCE_FIGURES];
    const char *program = mail->programs[0].name;
    enum fm_status status = fm_references_program(mail->people->references, mail->user->user, program, runs, error);
    if (status)
        return status;
    fm_page_add(mail->page, FM_PAGE_HEADING, "Compared with others");
    const struct fm_reference *mpi = &mail->among_users[FM_REFERENCE_MPI];
    add_figures(mail, mail->among_users,
                enough_users(mpi) ? fm_page_print(mail->page, "all jobs; %zu users", mpi->of) : "all jobs", true);
    if (!enough_users(mpi))
        fm_page_add(mail->page, FM_PAGE_TEXT,
                    fm_page_print(mail->page, "All jobs are not compared: there are fewer than %d other users.",
                                  FM_REFERENCE_LEAST_OTHERS));
    if (fm_reference_is_private(&runs[FM_REFERENCE_MPI]))
        fm_page_add(mail->page, FM_PAGE_TEXT,
                    fm_page_print(mail->page, "%s is not compared: fewer than %d others have run it.",
                                  fm_words_name(mail->page, program, 20), FM_REFERENCE_LEAST_OTHERS));
    else if (enough_runs(&runs[FM_REFERENCE_MPI]))
        add_figures(mail, runs,
                    fm_page_print(mail->page, "%s; %zu runs", fm_words_name(mail->page, program, 20),
                                  runs[FM_REFERENCE_MPI].of),
                    false);
    return FM_OK;
}

/* ---- since the period before ---- */

static void add_program_change(struct mail *mail, const struct fm_mail_row *program)
{
    const struct fm_mail_row *before = fm_mail_row_of(&mail->people->programs_before, program->user, program->name);
    const char *name = fm_words_name(mail->page, program->name, NAME);
    if (!before) {
        fm_page_message(mail->page, false,
                        fm_page_print(mail->page, "new: %s, %s job%s, %s core-hours", name,
                                      fm_words_count(mail->page, program->sums.jobs),
                                      program->sums.jobs == 1 ? "" : "s",
                                      fm_words_hours(mail->page, program->sums.cpu_s)),
                        NULL);
        return;
    }
    double now = fm_mail_efficiency(&program->sums), was = fm_mail_efficiency(&before->sums);
    if (fabs(now - was) >= LARGE_CHANGE)
        fm_page_message(mail->page, now < was,
                        fm_page_print(mail->page, "%s: parallel efficiency %s, was %s", name,
                                      fm_words_percent(mail->page, now), fm_words_percent(mail->page, was)),
                        NULL);
}

static void add_changes(struct mail *mail)
{
    fm_page_add(mail->page, FM_PAGE_HEADING,
                fm_page_print(mail->page, "Since the %s", mail->people->period.before_name));
    fm_mail_changes(mail->page, mail->people, &mail->user->sums, mail->before);
    for (size_t i = 0; mail->before && i < mail->n_programs && i < TOP_CHANGES; i++)
        if (mail->programs[i].sums.cpu_s >= LARGE_PROGRAM * mail->user->sums.cpu_s)
            add_program_change(mail, &mail->programs[i]);
}

/* ---- details ---- */

static enum fm_status add_programs(struct mail *mail, struct fm_error *error)
{
    static const struct fm_page_column columns[] = {
        {"program", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {"jobs", FM_PAGE_SPARE},
        {"core-hours", 0},
        {"wasted", 0},
        {"MPI", 0},
        {"efficient", 0},
        {"better than", FM_PAGE_SPARE},
        {0},
    };
    fm_page_add(mail->page, FM_PAGE_HEADING, "Programs");
    fm_page_table(mail->page, columns);
    for (size_t i = 0; i < mail->n_programs && i < TOP_PROGRAMS; i++) {
        const struct fm_mail_row *program = &mail->programs[i];
        struct fm_reference runs[FM_REFERENCE_FIGURES];
        enum fm_status status = fm_references_program(mail->people->references, program->user, program->name, runs,
                                                      error);
        if (status)
            return status;
        const struct fm_reference *parallel = &runs[FM_REFERENCE_PARALLEL];
        double efficiency = fm_mail_efficiency(&program->sums), mpi = fm_mail_mpi_fraction(&program->sums);
        fm_page_row(mail->page,
                    &(struct fm_page_row){
                        .critical = mpi > FM_CRITICAL_MPI,
                        .link = fm_mail_link_program(mail->page, mail->texts, program->name, program->user),
                        .cells = {fm_words_name(mail->page, program->name, NAME),
                                  fm_words_count(mail->page, program->sums.jobs),
                                  fm_words_hours(mail->page, program->sums.cpu_s),
                                  fm_words_wasted(mail->page, fm_mail_wasted_s(&program->sums)),
                                  fm_words_percent(mail->page, mpi), fm_words_percent(mail->page, efficiency),
                                  enough_runs(parallel)
                                      ? fm_words_better(mail->page, FM_REFERENCE_PARALLEL, parallel->percentile, "runs")
                                      : ""}});
    }
    if (mail->n_programs > TOP_PROGRAMS)
        fm_page_add(mail->page, FM_PAGE_TEXT,
                    fm_page_print(mail->page, "and %zu more programs", mail->n_programs - TOP_PROGRAMS));
    return FM_OK;
}

static void add_findings(struct mail *mail)
{
    static const struct fm_page_column columns[] = {
        {"program", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {"where", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {"finding", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {"core-hours", 0},
        {"of all", 0},
        {"jobs", FM_PAGE_SPARE},
        {0},
    };
    double cpu_s = mail->user->sums.cpu_s;
    if (!mail->details->n_findings)
        return;
    fm_page_add(mail->page, FM_PAGE_HEADING, "What costs most");
    fm_page_table(mail->page, columns);
    for (size_t i = 0; i < mail->details->n_findings && i < FM_MAIL_FINDINGS; i++) {
        const struct fm_mail_finding *finding = &mail->details->findings[i];
        fm_page_row(mail->page, &(struct fm_page_row){.critical = finding->cost_s > CRITICAL_COST * cpu_s,
                                                      .link = fm_mail_link_job(mail->page, mail->texts, finding->job),
                                                      .cells = {fm_words_name(mail->page, finding->program, NAME),
                                                                fm_words_place(mail->page, finding->file, finding->line,
                                                                               finding->function),
                                                                fm_words_name(mail->page, finding->rule, 24),
                                                                fm_words_hours(mail->page, finding->cost_s),
                                                                fm_words_percent(mail->page, finding->cost_s / cpu_s),
                                                                fm_words_count(mail->page, finding->jobs)}});
    }
}

static void add_routines(struct mail *mail)
{
    static const struct fm_page_column columns[] = {
        {"MPI routine", FM_PAGE_TEXTS | FM_PAGE_WRAPS}, {"core-hours", 0}, {"of all", 0}, {"calls", FM_PAGE_SPARE}, {0},
    };
    size_t n;
    const struct fm_mail_row *routines = fm_mail_rows_of(&mail->people->routines, mail->user->user, &n);
    double cpu_s = mail->user->sums.cpu_s;
    if (!n)
        return;
    fm_page_add(mail->page, FM_PAGE_HEADING, "MPI routines");
    fm_page_table(mail->page, columns);
    for (size_t i = 0; i < n && i < TOP_ROUTINES; i++)
        fm_page_row(mail->page,
                    &(struct fm_page_row){.critical = routines[i].sums.mpi_s > CRITICAL_COST * cpu_s,
                                          .cells = {fm_words_name(mail->page, routines[i].name, NAME),
                                                    fm_words_hours(mail->page, routines[i].sums.mpi_s),
                                                    fm_words_percent(mail->page, routines[i].sums.mpi_s / cpu_s),
                                                    fm_words_count(mail->page, routines[i].calls)}});
}

static void add_jobs(struct mail *mail)
{
    static const struct fm_page_column columns[] = {
        {"job", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {"ended", FM_PAGE_TEXTS | FM_PAGE_SPARE},
        {"program", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
        {"ranks", 0},
        {"core-hours", 0},
        {"wasted", 0},
        {"MPI", FM_PAGE_SPARE},
        {"where", FM_PAGE_TEXTS | FM_PAGE_SPARE | FM_PAGE_WRAPS},
        {0},
    };
    const struct fm_mail_sums *sums = &mail->user->sums;
    double unfinished = sums->jobs - sums->complete_jobs;
    if (!mail->details->n_jobs)
        return;
    fm_page_add(mail->page, FM_PAGE_HEADING, "Jobs that waste most");
    fm_page_table(mail->page, columns);
    for (size_t i = 0; i < mail->details->n_jobs; i++) {
        const struct fm_mail_job *job = &mail->details->jobs[i];
        fm_page_row(
            mail->page,
            &(struct fm_page_row){
                .critical = job->mpi_fraction > FM_CRITICAL_MPI,
                .link = fm_mail_link_job(mail->page, mail->texts, job->job),
                .cells = {fm_words_name(mail->page, job->id, 20), fm_words_date(mail->page, fm_day_of(job->ended)),
                          fm_words_name(mail->page, job->program, NAME),
                          fm_page_print(mail->page, "%lld%s", (long long)job->ranks, job->complete == 0 ? " *" : ""),
                          fm_words_hours(mail->page, job->cpu_s), fm_words_wasted(mail->page, job->wasted_s),
                          fm_words_percent(mail->page, job->mpi_fraction),
                          fm_words_place(mail->page, job->file, job->line, job->function)}});
    }
    if (unfinished > 0)
        fm_page_add(mail->page, FM_PAGE_TEXT,
                    fm_page_print(mail->page, "%s of %s jobs did not finish (*). %s had more than 15 %% MPI.",
                                  fm_words_count(mail->page, unfinished), fm_words_count(mail->page, sums->jobs),
                                  fm_words_count(mail->page, sums->critical_jobs)));
}

/* ---- all of it ---- */

static void find_out(struct mail *mail)
{
    size_t n;
    const struct fm_mail_row *before = fm_mail_rows_of(&mail->people->users_before, mail->user->user, &n);
    mail->before = n ? &before->sums : NULL;
    mail->programs = fm_mail_rows_of(&mail->people->programs, mail->user->user, &mail->n_programs);
    fm_references_user(mail->people->references, mail->user->user, mail->among_users);
    if (mail->details->n_findings && mail->details->findings[0].cost_s > WORTH_SAYING * mail->user->sums.cpu_s)
        mail->finding = &mail->details->findings[0];
}

enum fm_status fm_mail_compose(struct fm_page *page, struct fm_mail_people *people, const struct fm_mail_row *user,
                               const struct fm_mail_details *details, const struct fm_mail_texts *texts,
                               struct fm_error *error)
{
    struct mail mail = {.page = page, .people = people, .user = user, .details = details, .texts = texts};
    find_out(&mail);
    make_subject(&mail);
    add_lead(&mail);
    if (mail.finding)
        add_finding(&mail);
    add_insights(&mail);
    if (has_much_mpi(&mail))
        fm_page_message(page, true, much_mpi(&mail), NULL);
    fm_mail_bar(page, &user->sums);
    enum fm_status status = add_all_figures(&mail, error);
    if (status)
        return status;
    add_changes(&mail);
    status = add_programs(&mail, error);
    if (status)
        return status;
    add_findings(&mail);
    add_routines(&mail);
    add_jobs(&mail);
    fm_mail_end(page, texts, fm_mail_link_jobs(page, texts, &people->period, user->user), false);
    return page->failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for a mail") : FM_OK;
}
