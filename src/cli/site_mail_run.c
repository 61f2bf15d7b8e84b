/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/siphash.h"
#include "base/units.h"
#include "cli/site_mail.h"
#include "render/text.h"
#include "site/mail/address.h"
#include "site/mail/deliver.h"
#include "site/mail/mime.h"
#include "site/mail/state.h"

enum { HOUR_S = 3600, FAILURES_IN_A_ROW = 10, FILE_NAME_BYTES = 200 };

struct run {
    const struct fm_site_mail_request *request;
    const struct fm_site_config *config;
    struct fm_db *db;
    struct fm_mail_people people;
    struct fm_mail_texts texts;
    struct fm_mail_addresses addresses;
    struct fm_mail_states states, refusals;
    char *const *command;
    const char *from;
    const char *const *copies, *const *staff;
    struct fm_mail_counts counts;
    size_t already, pending, tried, failures; /* failures: in a row */
    bool stopped;
    struct fm_arena arena;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* The mail that is being sent is finished; the next one is not begun. */
static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for mails");
}

/* ---- preparing ---- */

static enum fm_status settle_addresses(struct run *run, struct fm_error *error)
{
    const struct fm_site_config *config = run->config;
    const char *domain = config->mail_domain, *path = *config->path ? config->path : "the configuration";
    if (!*domain && !*config->mail_addresses) {
        if (fm_site_mail_is_real(run->request))
            return fm_fail(error, FM_ERR_INPUT, "users have no addresses: set mail_domain or mail_addresses in %s",
                           path);
        domain = "localhost"; /* for trying */
    }
    enum fm_status status = fm_mail_addresses_open(&run->addresses, config->mail_addresses, domain, error);
    if (status)
        return status;
    run->from = *config->mail_from ? config->mail_from : fm_written(&run->arena, "fathom@%s", domain);
    if (!run->from)
        return no_memory(error);
    if (!fm_mail_address_good(run->from))
        return fm_fail(error, FM_ERR_INPUT, "mail_from must be an address, not '%.80s', in %s", run->from, path);
    if (*config->mail_unsubscribe && !fm_mail_unsubscribe_good(config->mail_unsubscribe))
        return fm_fail(error, FM_ERR_INPUT, "mail_unsubscribe must be mailto:... or https://..., not '%.80s', in %s",
                       config->mail_unsubscribe, path);
    if (*config->mail_url && !fm_mail_url_good(config->mail_url))
        return fm_fail(error, FM_ERR_INPUT, "mail_url must be https://... or http://..., not '%.80s', in %s",
                       config->mail_url, path);
    return FM_OK;
}

static enum fm_status prepare(struct run *run, struct fm_error *error)
{
    const struct fm_site_config *config = run->config;
    const struct fm_mail_period *period = &run->request->period;
    run->texts = (struct fm_mail_texts){config->mail_machine, config->mail_url, config->mail_footer,
                                        config->mail_unsubscribe};
    enum fm_status status = settle_addresses(run, error);
    if (!status)
        status = fm_mail_address_list(config->mail_staff, "mail_staff", &run->arena, &run->staff, error);
    if (!status)
        status = fm_mail_address_list(config->mail_copies, "mail_copies", &run->arena, &run->copies, error);
    if (!status)
        status = fm_mail_command_split(config->mail_command, &run->arena, &run->command, error);
    if (!status && run->request->directory && mkdir(run->request->directory, 0700) != 0 && errno != EEXIST)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot make %s: %s", run->request->directory, strerror(errno));
    if (!status)
        status = fm_mail_refusals_read(run->db, &run->arena, &run->refusals, error);
    if (!status && fm_site_mail_is_real(run->request))
        status = fm_mail_states_read(run->db, period->name, &run->arena, &run->states, error);
    if (!status)
        status = fm_mail_people_open(&run->people, run->db, period, error);
    return status;
}

/* ---- one mail ---- */

/* The same for every attempt at a mail, so that programs can tell that they have it already; and for two machines of a
 * site different. */
static const char *message_id(struct run *run, const char *user, struct fm_arena *arena)
{
    static const struct fm_siphash_key key = {0x66617468, 0x6f6d};
    const char *test = run->request->test ? fm_written(arena, "%" PRIu64, fm_clock_ns(CLOCK_REALTIME)) : "";
    const char *text = fm_written(arena, "%s\n%s\n%s", run->texts.machine, user, test ? test : "");
    uint64_t hash = text ? fm_siphash(&key, text, strlen(text)) : 0;
    return fm_written(arena, "fathom-%s-%016" PRIx64 "@%s", run->request->period.name, hash,
                      strchr(run->from, '@') + 1);
}

/* The bytes of a mail. */
static enum fm_status make_mail(struct run *run, const struct fm_page *page, const char *user, const char *address,
                                const char *const *copies, const char **mail, struct fm_error *error)
{
    struct fm_writer text = {.arena = page->arena}, html = {.arena = page->arena};
    fm_page_write_text(&text, page);
    fm_page_write_html(&html, page);
    const struct fm_mail_message message = {
        .from_name = "Fathom",
        .from = run->from,
        .to = run->request->test ? run->request->test : address,
        .copies = run->request->test ? NULL : copies,
        .subject = page->subject,
        .id = message_id(run, user, page->arena),
        .unsubscribe = strcmp(user, FM_MAIL_STAFF) == 0 ? "" : run->texts.unsubscribe,
        .date = (int64_t)time(NULL),
        .text = fm_writer_text(&text),
        .html = fm_writer_text(&html),
    };
    if (!message.text || !message.html || !message.id)
        return no_memory(error);
    struct fm_writer bytes = {.arena = page->arena};
    fm_mail_message_write(&bytes, &message);
    *mail = fm_writer_text(&bytes);
    return *mail ? FM_OK : no_memory(error);
}

/* Letters, digits and a few others; the rest as %XX. "@staff" is no name of a user. */
static void write_file_name(struct fm_writer *out, const char *user)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+.";
    if (strcmp(user, FM_MAIL_STAFF) == 0) {
        fm_write(out, "@staff");
        return;
    }
    for (size_t i = 0; user[i] && i < FILE_NAME_BYTES / 3; i++)
        if (strchr(plain, user[i]) && (i || user[i] != '.'))
            fm_write(out, "%c", user[i]);
        else
            fm_write(out, "%%%02X", (unsigned char)user[i]);
}

/* With the line ends of RFC 5322. */
static bool write_crlf(int file, const char *mail)
{
    FILE *out = fdopen(dup(file), "w");
    if (!out)
        return false;
    for (; *mail; mail++) {
        if (*mail == '\n')
            fputc('\r', out);
        fputc(*mail, out);
    }
    bool failed = ferror(out);
    return fclose(out) == 0 && !failed;
}

static enum fm_status write_file(struct run *run, const char *user, const char *mail, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer path = {.arena = &arena};
    fm_write(&path, "%s/", run->request->directory);
    write_file_name(&path, user);
    fm_write(&path, ".eml");
    const char *name = fm_writer_text(&path);
    struct fm_atomic_file file;
    enum fm_status status = FM_OK;
    if (!name) {
        status = no_memory(error);
    } else if (!fm_atomic_file_open(&file, name, 0600, false)) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", name, strerror(errno));
    } else {
        bool written = write_crlf(file.fd, mail) && fm_atomic_file_publish(&file, name, true);
        if (!written) {
            status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", name, strerror(errno));
            fm_atomic_file_discard(&file);
        }
        close(file.fd);
    }
    fm_arena_destroy(&arena);
    return status;
}

static enum fm_status wait_for_turn(struct run *run, struct fm_error *error)
{
    int64_t now_us = (int64_t)(fm_clock_ns(CLOCK_REALTIME) / 1000), start_us = now_us;
    enum fm_status status = FM_OK;
    if (fm_site_mail_is_real(run->request))
        status = fm_mail_turn(run->db, run->config->mail_per_minute, now_us, &start_us, error);
    else if (run->counts.sent + run->counts.failed && run->config->mail_per_minute > 0) /* of a test */
        start_us += (int64_t)(60e6 / run->config->mail_per_minute);
    struct timespec rest = {(start_us - now_us) / 1000000, (start_us - now_us) % 1000000 * 1000};
    while (!status && !interrupted && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
    return status;
}

/* A mail that could not be delivered is no failure of ours: it is told, and the next run tries again. */
static enum fm_status deliver(struct run *run, const char *user, const char *mail, struct fm_error *error)
{
    struct fm_error why = {0};
    bool real = fm_site_mail_is_real(run->request), claimed = true;
    const char *period = run->request->period.name;
    int64_t now = (int64_t)time(NULL);
    int64_t retry_before = run->request->retry ? now - (int64_t)(2 * run->config->mail_seconds) : 0;
    enum fm_status status = real ? fm_mail_claim(run->db, period, user, now, retry_before, &claimed, error) : FM_OK;
    if (status || !claimed) {
        run->already += !claimed;
        return status;
    }
    bool sent = fm_mail_deliver(run->command, mail, strlen(mail), run->config->mail_seconds, &why) == FM_OK;
    if (real)
        status = fm_mail_settle(run->db, period, user, sent, (int64_t)time(NULL), error);
    run->counts.sent += sent;
    run->counts.failed += !sent;
    run->failures = sent ? 0 : run->failures + 1;
    if (!sent)
        fm_print_line(stderr, "fathom site mail: the mail of %s: %s.\n",
                      strcmp(user, FM_MAIL_STAFF) == 0 ? "the staff" : user, why.text);
    return status;
}

static enum fm_status hand_over(struct run *run, const struct fm_page *page, const char *user, const char *address,
                                const char *const *copies, struct fm_error *error)
{
    if (run->request->dry_run) {
        fm_print_line(stdout, "%s  %s\n", address, page->subject);
        run->counts.sent++;
        return FM_OK;
    }
    const char *mail = "";
    enum fm_status status = make_mail(run, page, user, address, copies, &mail, error);
    if (status)
        return status;
    if (run->request->directory) {
        status = write_file(run, user, mail, error);
        run->counts.sent += !status;
        return status;
    }
    status = wait_for_turn(run, error);
    return status || interrupted ? status : deliver(run, user, mail, error);
}

/* ---- users ---- */

static enum fm_status mail_user(struct run *run, const struct fm_mail_row *user, const char *address,
                                struct fm_arena *arena, struct fm_error *error)
{
    struct fm_page page = {.arena = arena};
    struct fm_mail_details details;
    enum fm_status status = fm_mail_details_read(&details, run->db, user->user, &run->request->period, arena, error);
    if (!status)
        status = fm_mail_compose(&page, &run->people, user, &details, &run->texts, error);
    if (!status)
        status = hand_over(run, &page, user->user, address, run->copies, error);
    return status;
}

/* Whether a user gets a mail now; counts why not. */
static bool is_wanted(struct run *run, const struct fm_mail_row *user)
{
    const struct fm_mail_state *state = fm_mail_state_of(&run->states, user->user);
    if (state && strcmp(state->state, FM_MAIL_SENT) == 0) {
        run->already++;
    } else if (state && strcmp(state->state, FM_MAIL_SENDING) == 0 && !run->request->retry) {
        run->pending++;
    } else if (fm_mail_state_of(&run->refusals, user->user)) {
        run->counts.refused++;
    } else if (user->sums.cpu_s < run->config->mail_least_hours * HOUR_S) {
        run->counts.small++;
    } else {
        return true;
    }
    return false;
}

static enum fm_status visit(struct run *run, const struct fm_mail_row *user, struct fm_error *error)
{
    if (!is_wanted(run, user))
        return FM_OK;
    struct fm_arena arena = {0};
    enum fm_status status = FM_OK;
    const char *address = fm_mail_address_of(&run->addresses, user->user, &arena);
    if (!address)
        run->counts.unknown++;
    else if (run->request->limit && run->tried >= run->request->limit)
        run->stopped = true;
    else {
        run->tried++;
        status = mail_user(run, user, address, &arena, error);
    }
    fm_arena_destroy(&arena);
    return status;
}

static enum fm_status visit_all(struct run *run, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    size_t found = 0;
    for (size_t i = 0; !status && !run->stopped && i < run->people.users.n; i++) {
        const struct fm_mail_row *user = &run->people.users.items[i];
        if (run->request->user && strcmp(run->request->user, user->user) != 0)
            continue;
        found++;
        status = visit(run, user, error);
        run->stopped = run->stopped || interrupted || run->failures >= FAILURES_IN_A_ROW;
    }
    if (!status && run->request->user && !found)
        status = fm_fail(error, FM_ERR_INPUT, "user %.80s has no jobs in this time", run->request->user);
    return status;
}

/* ---- staff ---- */

static enum fm_status read_refused(struct run *run, double *records, struct fm_error *error)
{
    struct fm_query *query;
    bool row = false;
    enum fm_status status = fm_query_open(&query, run->db,
                                          "SELECT SUM(records) FROM refused WHERE day >= $1 AND day < $2", error);
    if (status)
        return status;
    fm_query_whole(query, 1, run->request->period.from);
    fm_query_whole(query, 2, run->request->period.until);
    status = fm_query_next(query, &row, error);
    *records = row && !fm_column_is_null(query, 0) ? fm_column_real(query, 0) : 0;
    fm_query_close(query);
    return status;
}

static enum fm_status mail_staff(struct run *run, struct fm_error *error)
{
    const struct fm_mail_state *state = fm_mail_state_of(&run->states, FM_MAIL_STAFF);
    bool sending = state && strcmp(state->state, FM_MAIL_SENDING) == 0;
    if (state && strcmp(state->state, FM_MAIL_SENT) == 0)
        return FM_OK;
    if (sending && !run->request->retry) {
        run->pending++;
        return FM_OK;
    }
    struct fm_arena arena = {0};
    struct fm_page page = {.arena = &arena};
    struct fm_mail_counts counts = run->counts;
    double refused = 0;
    counts.sent += run->already;
    counts.failed += run->pending;
    enum fm_status status = read_refused(run, &refused, error);
    if (!status)
        status = fm_mail_compose_staff(&page, &run->people, refused,
                                       fm_site_mail_is_real(run->request) ? &counts : NULL, &run->texts, error);
    if (!status)
        status = hand_over(run, &page, FM_MAIL_STAFF, run->staff[0], run->staff + 1, error);
    fm_arena_destroy(&arena);
    return status;
}

/* ---- all of it ---- */

static void print_counts(const struct run *run)
{
    char sent[FM_UNIT_CHARS];
    const struct fm_mail_counts *counts = &run->counts;
    const struct {
        size_t n;
        const char *what;
    } others[] = {
        {counts->failed, "failed"},
        {run->already, "sent before"},
        {counts->refused, "want none"},
        {counts->unknown, "without an address"},
        {counts->small, "with too few core-hours"},
    };
    printf("%s %s %s", fm_count_text(sent, counts->sent), counts->sent == 1 ? "mail" : "mails",
           run->request->dry_run     ? "would be sent"
           : run->request->directory ? "written"
                                     : "sent");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].n)
            printf(", %zu %s", others[i].n, others[i].what);
    printf(" (%s)\n", run->request->period.name);
}

/* What somebody should look at. */
static void warn(const struct run *run)
{
    if (run->pending)
        fprintf(
            stderr,
            "fathom site mail: %zu mails were being sent when a run ended, or are being sent now; --retry sends them "
            "again.\n",
            run->pending);
    if (run->failures >= FAILURES_IN_A_ROW)
        fprintf(stderr, "fathom site mail: stopped after %d failures in a row.\n", FAILURES_IN_A_ROW);
    if (interrupted)
        fprintf(stderr, "fathom site mail: interrupted; the next run sends the rest.\n");
}

enum fm_status fm_site_mail_run(struct fm_site_store *site, const struct fm_site_mail_request *request, bool *complete,
                                struct fm_error *error)
{
    struct run run = {.request = request, .config = &site->config, .db = fm_store_db(site->store)};
    enum fm_status status = prepare(&run, error);
    if (!status) {
        handle_signals();
        status = visit_all(&run, error);
        bool limited = run.stopped && fm_site_mail_is_real(request);
        if (!status && !request->user && run.staff[0] && !limited && !interrupted)
            status = mail_staff(&run, error);
        print_counts(&run);
        warn(&run);
    }
    *complete = !run.counts.failed && !run.pending && !interrupted;
    fm_mail_people_close(&run.people);
    fm_mail_addresses_close(&run.addresses);
    fm_arena_destroy(&run.arena);
    return status;
}
