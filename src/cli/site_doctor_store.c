/* SPDX-License-Identifier: BSD-3-Clause */
/* The database: whether it can be read, how big it is, and whether records still arrive. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/names.h"
#include "base/units.h"
#include "cli/site_doctor.h"
#include "site/insights/insight.h"
#include "site/store/schema.h"
#include "site/store/store.h"

enum { DAY_S = 86400, SILENT_DAYS = 2, REFUSED_DAYS = 7, STALE_DAYS = 3, BEHIND_BYTES = 64 << 20 };
#define MANY_REFUSED 0.01 /* of the jobs of these days */

/* The first column of the only row; NAN if there is none. */
static double ask(struct fm_db *db, const char *sql, int64_t parameter)
{
    struct fm_query *query;
    struct fm_error error;
    bool row = false;
    double value = NAN;
    if (fm_query_open(&query, db, sql, &error))
        return NAN;
    if (strstr(sql, "$1"))
        fm_query_whole(query, 1, parameter);
    if (!fm_query_next(query, &row, &error) && row && !fm_column_is_null(query, 0))
        value = fm_column_real(query, 0);
    fm_query_close(query);
    return value;
}

static double size_of_files(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    double bytes = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[4096];
        struct stat st;
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        if (stat(name, &st) == 0)
            bytes += (double)st.st_size;
    }
    return bytes;
}

static const char *file_of(const char *address)
{
    return fm_begins_with(address, "sqlite:") ? address + strlen("sqlite:") : address;
}

/* The services have the rights of whoever owns the directory of the database, not those of root who made it. */
static void check_owner(struct fm_site_doctor *site, const char *path, const char *folder)
{
    struct stat file, directory;
    char fix[9000];
    if (stat(path, &file) != 0 || stat(folder, &directory) != 0 || file.st_uid == directory.st_uid)
        return;
    snprintf(fix, sizeof fix, "chown --reference=%s %s*", folder, path);
    fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, fix,
                  "database: %s belongs to uid %u and its directory to uid %u; the services cannot write to it", path,
                  (unsigned)file.st_uid, (unsigned)directory.st_uid);
}

static void check_size(struct fm_site_doctor *site, struct fm_db *db, const char *address)
{
    char bytes[FM_UNIT_CHARS], jobs[FM_UNIT_CHARS], folder[4096];
    bool sqlite = fm_db_kind(db) == FM_DB_SQLITE;
    double size = sqlite ? size_of_files(file_of(address)) : ask(db, "SELECT pg_database_size(current_database())", 0);
    double n = ask(db, "SELECT SUM(jobs) FROM month_classes", 0);
    fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "database: %s, version %d, %s, %s jobs",
                  sqlite ? "SQLite" : "PostgreSQL", FM_SCHEMA_VERSION, fm_bytes_text(bytes, isnan(size) ? 0 : size),
                  fm_count_text(jobs, isnan(n) ? 0 : fm_rounded(n)));
    if (!sqlite)
        return;
    snprintf(folder, sizeof folder, "%s", file_of(address));
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    check_owner(site, file_of(address), slash ? folder : ".");
    fm_site_doctor_space(site, "database", slash ? folder : ".");
}

static void check_last(struct fm_site_doctor *site, struct fm_db *db)
{
    char age[FM_UNIT_CHARS];
    double ended = ask(db, "SELECT ended FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC LIMIT 1", 0);
    double seconds = (double)time(NULL) - ended;
    if (isnan(ended))
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "run an MPI job, then fathom site send and fathom site ingest",
                      "records: there are none yet");
    else if (seconds > SILENT_DAYS * DAY_S)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "fathom site doctor --no-database on a node; is ingest running?",
                      "records: the last job ended %s ago", fm_time_text(age, seconds * 1e9));
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "records: the last job ended %s ago",
                      fm_time_text(age, 1e9 * fmax(0, seconds)));
}

/* "DEVICE:INODE:OFFSET ..." of the place up to which it was read; false if it is of another file. */
static bool read_position(const char *text, const struct stat *st, uint64_t *offset)
{
    uint64_t device, inode;
    return sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64, &device, &inode, offset) == 3 &&
           inode == (uint64_t)st->st_ino && device == (uint64_t)st->st_dev;
}

static void check_log(struct fm_site_doctor *site, struct fm_store *store)
{
    const char *path = site->config.log;
    char resolved[4096], source[4200], text[FM_UNIT_CHARS], *position = NULL;
    struct fm_error error;
    struct stat st;
    uint64_t offset = 0;
    if (!*path)
        return;
    if (stat(path, &st) != 0) {
        if (!site->config.journal)
            fm_doctor_say(&site->doctor, FM_DOCTOR_WARN,
                          "see ADMIN.md, rsyslog; or journal = on, or log = with nothing", "log: %s: %s", path,
                          strerror(errno));
        return;
    }
    snprintf(source, sizeof source, "log:%s", realpath(path, resolved) ? resolved : path);
    if (fm_store_position(store, source, &position, &error))
        return;
    bool known = read_position(position, &st, &offset);
    double behind = (double)st.st_size - (known ? (double)offset : 0);
    fm_bytes_text(text, fmax(0, behind));
    if (behind > BEHIND_BYTES)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "systemctl status fathom-ingest", "log: %s of %s are not read yet",
                      text, path);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "log: %s of %s are not read yet", text, path);
    free(position);
}

static const char *refused_fix(const char *why)
{
    if (strcmp(why, "incomplete") == 0)
        return "chunks are lost: limits of the log daemon, or a relay; see ADMIN.md, Losses";
    if (strcmp(why, "oversized") == 0)
        return "lines are longer than the daemon may pass on: chunk_bytes";
    if (strcmp(why, "no uid") == 0)
        return "the daemon does not vouch for senders: see ADMIN.md, rsyslog";
    if (strcmp(why, "in the future") == 0 || strcmp(why, "before the first day") == 0)
        return "the clock of a node is wrong";
    if (strcmp(why, "beyond capacity") == 0)
        return "somebody makes records up, or the configuration has too few processors";
    return "somebody writes into the log who is not Fathom; see ADMIN.md, What to do when";
}

static void check_refused(struct fm_site_doctor *site, struct fm_db *db)
{
    struct fm_query *query;
    struct fm_error error;
    int64_t day = time(NULL) / DAY_S - REFUSED_DAYS;
    double jobs = ask(db, "SELECT SUM(jobs) FROM day_classes WHERE day >= $1", day);
    size_t reasons = 0;
    if (fm_query_open(&query, db,
                      "SELECT why, SUM(records) AS n FROM refused WHERE day >= $1 GROUP BY why ORDER BY n DESC, why",
                      &error))
        return;
    fm_query_whole(query, 1, day);
    for (bool more = true; !fm_query_next(query, &more, &error) && more; reasons++) {
        char count[FM_UNIT_CHARS];
        const char *why = fm_column_text(query, 0);
        double n = fm_column_real(query, 1);
        bool many = !(n <= MANY_REFUSED * (isnan(jobs) ? 0 : jobs));
        fm_doctor_say(&site->doctor, many ? FM_DOCTOR_WARN : FM_DOCTOR_OK, many ? refused_fix(why) : NULL,
                      "refused: %s %s in the last %d days", fm_count_text(count, fm_rounded(n)), why, REFUSED_DAYS);
    }
    fm_query_close(query);
    if (!reasons)
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "refused: nothing in the last %d days", REFUSED_DAYS);
}

static void check_analysis(struct fm_site_doctor *site, struct fm_db *db)
{
    struct fm_arena arena = {0};
    struct fm_insight_list list;
    struct fm_error error;
    char age[FM_UNIT_CHARS];
    if (!fm_insights_read(db, NULL, NULL, &arena, &list, &error)) {
        double seconds = list.analysed < 0 ? NAN : difftime(time(NULL), (time_t)list.analysed);
        if (isnan(seconds))
            fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "fathom site analyse, or its timer",
                          "analysis: there was none yet");
        else
            fm_doctor_say(&site->doctor, seconds > STALE_DAYS * DAY_S ? FM_DOCTOR_WARN : FM_DOCTOR_OK,
                          seconds > STALE_DAYS * DAY_S ? "systemctl status fathom-analyse" : NULL,
                          "analysis: %s ago, %zu insights", fm_time_text(age, 1e9 * fmax(0, seconds)), list.n);
    }
    fm_arena_destroy(&arena);
}

static void check_mails(struct fm_site_doctor *site, struct fm_db *db)
{
    char age[FM_UNIT_CHARS];
    double last = ask(db, "SELECT MAX(at) FROM mails", 0);
    if (isnan(last))
        return; /* whether a site sends mails is its own choice */
    double seconds = fmax(0, (double)time(NULL) - last);
    bool late = seconds > 9 * DAY_S;
    fm_doctor_say(&site->doctor, late ? FM_DOCTOR_WARN : FM_DOCTOR_OK, late ? "fathom site mail --week last" : NULL,
                  "mails: the last one %s ago", fm_time_text(age, seconds * 1e9));
}

void fm_site_doctor_store(struct fm_site_doctor *site)
{
    struct fm_store *store;
    struct fm_error error;
    const char *address = site->store ? site->store : site->config.database;
    if (fm_store_open(&store, address, FM_DB_READ, &error)) {
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "fathom site init; on a node: fathom site doctor --no-database",
                      "database: %s", error.text);
        return;
    }
    struct fm_db *db = fm_store_db(store);
    check_size(site, db, address);
    check_last(site, db);
    check_log(site, store);
    check_refused(site, db);
    check_analysis(site, db);
    check_mails(site, db);
    fm_store_close(store);
}
