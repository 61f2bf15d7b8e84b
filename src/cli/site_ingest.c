/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site ingest`: records from logs, the journal and spool directories into the database. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "site/ingest/source_journal.h"
#include "site/ingest/source_log.h"
#include "site/ingest/source_spool.h"
#include "site/make/rules.h"
#include "site/store/classes.h"

enum { MOST_SOURCES = 64, DAY_S = 86400 };

struct ingest_source {
    const char *path; /* NULL: the system's journal */
    char name[4200];  /* in the database */
    enum fm_status (*read)(struct fm_ingest *ingest, const char *path, struct fm_error *error);
    struct fm_ingest *ingest;
};

struct ingest_request {
    const char *config, *store;
    bool follow, journal, quiet;
    size_t batch;
    const char *journal_directory;
    struct ingest_source sources[MOST_SOURCES];
    size_t n_sources;
};

static void print_help(void)
{
    puts("fathom site ingest [OPTION...] [FILE|DIRECTORY...]: put the records of jobs into the database.\n"
         "\n"
         "  FILE                 a log that rsyslog writes, read from where it was left, also when it was rotated\n"
         "  DIRECTORY            a spool with records, NAME.json; they are removed when they are in the database\n"
         "                       Nothing given: the log and the journal that the configuration names\n"
         "  --journal            read the journal of systemd\n"
         "  --journal-directory D  read the journal files in directory D\n"
         "  --follow             go on until a signal comes; otherwise end when everything is read\n"
         "  --batch N            records of a transaction (default 5000)\n"
         "  --quiet              print nothing but errors\n"
         "  --store ADDRESS      database (default: FATHOM_STORE, else that of the configuration)\n"
         "  --config FILE        configuration (default: /etc/fathom/site.conf)\n"
         "  -h, --help           show this help\n"
         "\n"
         "Every record is added once, however often it is read. What is refused is counted with the reason.\n"
         "\n"
         "Example:\n"
         "  fathom site ingest --follow /var/log/fathom/records.log");
}

static int add_source(struct ingest_request *request, const char *path, const char *kind,
                      enum fm_status (*read)(struct fm_ingest *, const char *, struct fm_error *))
{
    if (request->n_sources == MOST_SOURCES)
        return fm_usage_error("site ingest", "more than %d sources", MOST_SOURCES);
    struct ingest_source *source = &request->sources[request->n_sources++];
    source->path = path;
    source->read = read;
    char full[4096];
    snprintf(source->name, sizeof source->name, "%s:%s", kind, !path ? "" : realpath(path, full) ? full : path);
    return FM_EXIT_NOT_YET;
}

static int parse(struct ingest_request *request, int argc, char **argv)
{
    *request = (struct ingest_request){.batch = FM_INGEST_BATCH};
    const struct fm_option options[] = {
        {"store", .text = &request->store},   {"config", .text = &request->config},
        {"journal", .on = &request->journal}, {"journal-directory", .text = &request->journal_directory},
        {"follow", .on = &request->follow},   {"batch", .count = &request->batch, .most = 100000},
        {"quiet", .on = &request->quiet},     {0},
    };
    int status = fm_parse_options("site ingest", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (request->journal)
        status = add_source(request, NULL, "journal", fm_source_journal_read);
    if (request->journal_directory && status == FM_EXIT_NOT_YET)
        status = add_source(request, request->journal_directory, "journal", fm_source_journal_read);
    for (int i = optind; status == FM_EXIT_NOT_YET && i < argc; i++) {
        struct stat file;
        bool directory = stat(argv[i], &file) == 0 && S_ISDIR(file.st_mode);
        status = add_source(request, argv[i], directory ? "spool" : "log",
                            directory ? fm_source_spool_read : fm_source_log_read);
    }
    return status;
}

/* What the configuration says, if nothing else was given. */
static int add_configured(struct ingest_request *request, const struct fm_site_config *config)
{
    int status = FM_EXIT_NOT_YET;
    if (request->n_sources)
        return status;
    if (*config->log)
        status = add_source(request, config->log, "log", fm_source_log_read);
    if (config->journal && status == FM_EXIT_NOT_YET)
        status = add_source(request, NULL, "journal", fm_source_journal_read);
    if (!request->n_sources)
        return fm_usage_error("site ingest", "nothing to read: give a log, a spool directory or --journal");
    return status;
}

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static void print_counts(const struct ingest_request *request)
{
    for (size_t i = 0; i < request->n_sources; i++) {
        const struct ingest_source *source = &request->sources[i];
        const struct fm_ingest_counts *counts = fm_ingest_counts(source->ingest);
        fm_print_line(stdout, "%s: %llu added", source->path ? source->path : "journal",
                      (unsigned long long)counts->added);
        const struct {
            const char *what;
            uint64_t n;
        } others[] = {
            {"replaced", counts->replaced}, {"known already", counts->known},      {"too old", counts->old},
            {"refused", counts->refused},   {"not complete yet", counts->waiting},
        };
        for (size_t j = 0; j < sizeof others / sizeof *others; j++)
            if (others[j].n)
                printf(", %llu %s", (unsigned long long)others[j].n, others[j].what);
        putchar('\n');
    }
}

static enum fm_status find_limits(const struct fm_site_config *config, struct fm_record_limits *limits,
                                  struct fm_error *error)
{
    int64_t day = 0;
    if (*config->first_day && !fm_day_parse(config->first_day, &day))
        return fm_fail(error, FM_ERR_INPUT, "first_day must be a day such as 2026-11-01, not '%.40s', in %s",
                       config->first_day, config->path);
    *limits = (struct fm_record_limits){.since = day * DAY_S, .processors = config->processors};
    return FM_OK;
}

static enum fm_status read_all(struct ingest_request *request, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    do {
        for (size_t i = 0; !status && !ended && i < request->n_sources; i++) {
            const struct ingest_source *source = &request->sources[i];
            /* A service may start before the log is there, and a log that is being rotated is away for a moment. */
            bool later = request->follow && source->path && access(source->path, F_OK) < 0 && errno == ENOENT;
            if (!later)
                status = source->read(source->ingest, source->path, error);
        }
        if (request->follow && !status && !ended)
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    } while (request->follow && !status && !ended);
    return status;
}

int fm_site_cmd_ingest(int argc, char **argv)
{
    static struct ingest_request request;
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    struct fm_error error;
    struct fm_site_store site;
    struct fm_siphash_key key;
    struct fm_record_limits limits;
    enum fm_status status = fm_site_store_open(&site, request.config, request.store, FM_DB_WRITE, &error);
    if (status)
        return fm_command_error("site ingest", &error);
    bool has_key = site.config.hash_names && fm_record_key_read(site.config.hash_key, &key, NULL) == FM_OK;
    exit_status = add_configured(&request, &site.config);
    if (exit_status != FM_EXIT_NOT_YET) {
        fm_site_store_close(&site);
        return exit_status;
    }
    status = find_limits(&site.config, &limits, &error);
    for (size_t i = 0; !status && i < request.n_sources; i++) {
        status = fm_ingest_open(&request.sources[i].ingest, site.store, request.sources[i].name, &error);
        if (status)
            break;
        fm_ingest_limit_batch(request.sources[i].ingest, request.batch);
        fm_ingest_limit_records(request.sources[i].ingest, &limits);
        fm_ingest_take_names(request.sources[i].ingest, site.config.hash_names);
        if (has_key)
            fm_ingest_hash_names(request.sources[i].ingest, &key);
    }
    if (!status)
        status = read_all(&request, &error);
    if (!status && !request.quiet)
        print_counts(&request);
    for (size_t i = 0; i < request.n_sources; i++)
        fm_ingest_close(request.sources[i].ingest);
    fm_site_store_close(&site);
    return status ? fm_command_error("site ingest", &error) : FM_EXIT_OK;
}
