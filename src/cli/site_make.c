/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/site_make.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/encode.h"
#include "report/report.h"
#include "site/make/make.h"
#include "symbols/symbols.h"

enum { USER_CHARS = 256 };

static bool is_excluded(const void *context, const char *user, const char *program)
{
    const struct fm_site_config *config = context;
    return fm_site_config_lists(config->exclude_users, user) || fm_site_config_lists(config->exclude_programs, program);
}

enum fm_status fm_site_rules(const struct fm_site_config *config, struct fm_record_rules *rules, struct fm_error *error)
{
    *rules = (struct fm_record_rules){.arguments = config->arguments != 0,
                                      .hash_names = config->hash_names != 0,
                                      .excluded = is_excluded,
                                      .context = config,
                                      .thin_below_s = config->thin_below_s,
                                      .thin_one_in = (unsigned)config->thin_one_in};
    return rules->hash_names ? fm_record_key_read(config->hash_key, &rules->hash_key, error) : FM_OK;
}

static enum fm_status write_record(const struct fm_profile *profile, const struct fm_record_rules *rules, double weight,
                                   struct fm_site_text *made, struct fm_error *error)
{
    struct fm_report report;
    struct fm_record record;
    const struct fm_report_options options = {.fold_mpi = true};
    struct fm_symbols *symbols = fm_symbols_for(profile, getenv("FATHOM_DEBUG_PATH"), NULL, NULL);
    enum fm_status status = fm_report_open(&report, profile, symbols, &options, error);
    if (!status) {
        status = fm_record_make(&record, &report, rules, weight, error);
        fm_report_close(&report);
    }
    fm_symbols_destroy(symbols);
    if (status)
        return status;
    made->length = fm_record_write(&record, made->text);
    fm_record_job_key(profile, made->key);
    fm_record_destroy(&record);
    return FM_OK;
}

/* As 'fathom site ingest' names users. */
static void name_user(uid_t owner, char user[USER_CHARS])
{
    const struct passwd *entry = getpwuid(owner);
    if (entry && *entry->pw_name)
        snprintf(user, USER_CHARS, "%s", entry->pw_name);
    else
        snprintf(user, USER_CHARS, "%u", (unsigned)owner);
}

enum fm_status fm_site_make(const char *path, uid_t owner, const struct fm_record_rules *rules,
                            struct fm_site_text *made, struct fm_error *error)
{
    struct fm_profile *profile;
    double weight;
    char user[USER_CHARS];
    enum fm_status status = fm_profile_read(path, &profile, error);
    if (status)
        return status;
    name_user(owner, user);
    profile->job.user = user;
    made->wanted = fm_record_wanted(rules, profile, &weight);
    if (made->wanted)
        status = write_record(profile, rules, weight, made, error);
    fm_profile_destroy(profile);
    return status;
}
