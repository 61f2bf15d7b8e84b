/* SPDX-License-Identifier: BSD-3-Clause */
/* What was added to the configuration of others: Slurm, rsyslog, systemd. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/site_doctor.h"

/* ---- Slurm ---- */

/* The path after `start` in a word of the line; false if it has none. */
static bool path_in(const char *line, const char *start, const char *end, char path[512])
{
    for (const char *word = line; *(word += strspn(word, " \t\n"));) {
        size_t length = strcspn(word, " \t\n"), skip = strlen(start);
        bool ends = length >= strlen(end) && strncmp(word + length - strlen(end), end, strlen(end)) == 0;
        if (strncmp(word, start, skip) == 0 && ends && length > skip && length - skip < 512) {
            snprintf(path, 512, "%.*s", (int)(length - skip), word + skip);
            return true;
        }
        word += length;
    }
    return false;
}

static void check_plugin(struct fm_site_doctor *site, const char *line)
{
    char plugin[512], library[512];
    path_in(line, "", "spank_fathom.so", plugin);
    if (access(plugin, R_OK) != 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "install fathom-site, or remove the line", "slurm: %s: %s", plugin,
                      strerror(errno));
    else if (path_in(line, "lib=", "", library) && access(library, R_OK) != 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "correct lib= in plugstack.conf", "slurm: %s: %s", library,
                      strerror(errno));
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "slurm: %s loads %s", site->plugstack, plugin);
}

static void check_slurm(struct fm_site_doctor *site)
{
    char line[2048], plugin[512];
    bool found = false;
    if (!site->plugstack)
        return;
    FILE *file = fopen(site->plugstack, "re");
    if (!file) {
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, NULL, "slurm: cannot read %s: %s", site->plugstack,
                      strerror(errno));
        return;
    }
    while (!found && fgets(line, sizeof line, file))
        found = line[strspn(line, " \t")] != '#' && path_in(line, "", "spank_fathom.so", plugin);
    fclose(file);
    if (found)
        check_plugin(site, line);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "see ADMIN.md, Slurm", "slurm: %s does not load the plug-in",
                      site->plugstack);
}

/* ---- rsyslog ---- */

static bool mentions_fathom(const char *folder, const char *name)
{
    char path[1024], line[4096];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = line[strspn(line, " \t")] != '#' && strstr(line, "fathom");
    if (file)
        fclose(file);
    return found;
}

static void check_rsyslog(struct fm_site_doctor *site)
{
    const struct fm_site_config *config = &site->config;
    struct dirent **entries = NULL;
    bool found = false, sends = site->is_node && strcmp(config->send, "syslog") == 0;
    if (!sends && !(site->has_database && *config->log && access(config->log, F_OK) == 0))
        return;
    int n = scandir(site->rsyslog, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(entries[i]->d_name);
        if (!found && length > 5 && strcmp(entries[i]->d_name + length - 5, ".conf") == 0)
            found = mentions_fathom(site->rsyslog, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (found)
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "rsyslog: configured in %s", site->rsyslog);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "copy one of /usr/share/fathom/site/rsyslog/*.conf there",
                      "rsyslog: nothing in %s is about fathom", site->rsyslog);
}

/* ---- systemd ---- */

static void check_unit(struct fm_site_doctor *site, const char *unit, const char *what)
{
    char text[256], fix[128], *enabled[] = {"systemctl", "is-enabled", (char *)unit, NULL},
                              *failed[] = {"systemctl", "is-failed", (char *)unit, NULL};
    int status = fm_doctor_capture(enabled, text, sizeof text);
    text[strcspn(text, "\n")] = 0;
    snprintf(fix, sizeof fix, "systemctl enable --now %s", unit);
    if (status != 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, fix, "units: %s is not enabled (%s): %s", unit,
                      *text ? text : "unknown", what);
    else if (fm_doctor_capture(failed, text, sizeof text) == 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "journalctl -u it says why", "units: %s has failed", unit);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "units: %s is enabled", unit);
}

static void check_units(struct fm_site_doctor *site)
{
    const struct fm_site_config *config = &site->config;
    if (access("/run/systemd/system", F_OK) != 0)
        return;
    if (site->is_node)
        check_unit(site, "fathom-send.timer", "what the Epilog does not send stays in the spool");
    if (!site->has_database)
        return;
    check_unit(site, "fathom-ingest.service", "records do not get into the database");
    check_unit(site, "fathom-analyse.timer", "slower programs and slow hosts are not looked for");
    if (config->keep_days || config->thin_days)
        check_unit(site, "fathom-thin.timer", "old jobs are not deleted");
    if (*config->mail_domain || *config->mail_addresses)
        check_unit(site, "fathom-mail.timer", "nobody gets mails");
}

void fm_site_doctor_system(struct fm_site_doctor *site)
{
    if (site->is_node)
        check_slurm(site);
    check_rsyslog(site);
    check_units(site);
}
