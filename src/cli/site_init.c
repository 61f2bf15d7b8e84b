/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site init`: configuration, spool and database of a site; or the database of an older Fathom up to date. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/basename.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "render/text.h"

static void print_help(void)
{
    puts(
        "fathom site init [OPTION...]: make the configuration, the spool and the database of a site.\n"
        "\n"
        "What is there already is left as it is; the database of an older Fathom is brought up to date.\n"
        "\n"
        "  --store ADDRESS  database: a file, or postgresql://USER@HOST/DATABASE (default: that of the configuration)\n"
        "  --config FILE    configuration (default: /etc/fathom/site.conf)\n"
        "  --no-spool       do not make the spool: this host only has the database\n"
        "  -h, --help       show this help; more in fathom-site(1)\n"
        "\n"
        "Example:\n"
        "  fathom site init --store postgresql://fathom@db.example.org/fathom");
}

/* Makes the directories above a file. */
static void make_parents(const char *path)
{
    char part[4096];
    for (const char *at = strchr(path + 1, '/'); at && at - path < (int)sizeof part; at = strchr(at + 1, '/')) {
        memcpy(part, path, (size_t)(at - path));
        part[at - path] = 0;
        mkdir(part, 0755); /* if it fails, what comes next says why */
    }
}

static void print_configuration(FILE *out, const char *store)
{
    fm_site_config_print(out);
    if (store)
        fprintf(out, "\ndatabase = %s\n", store);
}

static enum fm_status make_configuration(const char *path, const char *store, struct fm_error *error)
{
    struct fm_atomic_file file;
    if (access(path, F_OK) == 0) {
        fm_print_line(stdout, "configuration  %s (was there)\n", path);
        return FM_OK;
    }
    make_parents(path);
    if (!fm_atomic_file_open(&file, path, 0644, true))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    FILE *out = fdopen(file.fd, "w");
    if (out)
        print_configuration(out, store);
    bool good = out && fflush(out) == 0 && fm_atomic_file_publish(&file, path, false);
    int why = errno;
    if (!good)
        fm_atomic_file_discard(&file);
    if (out)
        fclose(out);
    else
        close(file.fd);
    if (!good)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write '%s': %s", path, strerror(why));
    fm_print_line(stdout, "configuration  %s\n", path);
    return FM_OK;
}

/* Everybody may leave a profile there and nobody may look around: 1733. */
static enum fm_status make_spool(const char *path, struct fm_error *error)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        fm_print_line(stdout, "spool          %s (was there)\n", path);
        return FM_OK;
    }
    make_parents(path);
    if (mkdir(path, 0700) != 0 || chmod(path, 01733) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot make the spool '%s': %s", path, strerror(errno));
    fm_print_line(stdout, "spool          %s\n", path);
    return FM_OK;
}

/* What root makes belongs to whoever owns the directory, as the services work without the rights of root. */
static bool give_away(const char *path)
{
    char directory[4096];
    struct stat st;
    const char *name = fm_basename(path);
    int length = snprintf(directory, sizeof directory, "%.*s.", (int)(name - path), path);
    return length < (int)sizeof directory && stat(directory, &st) == 0 && lchown(path, st.st_uid, st.st_gid) == 0;
}

/* Records of all users: readable by its owner and group only. */
static enum fm_status make_database(const struct fm_site_store *site, struct fm_error *error)
{
    struct fm_store *store;
    const char *path = fm_begins_with(site->address, "sqlite:") ? site->address + strlen("sqlite:") : site->address;
    bool file = !strstr(site->address, "://"), there = file && access(path, F_OK) == 0;
    if (file)
        make_parents(path);
    mode_t mask = umask(0027);
    enum fm_status status = fm_store_open(&store, site->address, FM_DB_CREATE, error);
    umask(mask);
    if (status)
        return status;
    fm_print_line(stdout, "database       %s%s\n", fm_db_name(fm_store_db(store)), there ? " (was there)" : "");
    fm_store_close(store);
    if (file && !there && geteuid() == 0 && !give_away(path))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot change the owner of '%s': %s", path, strerror(errno));
    return FM_OK;
}

int fm_site_cmd_init(int argc, char **argv)
{
    const char *config = NULL, *address = NULL;
    bool no_spool = false;
    struct fm_error error = {0};
    const struct fm_option options[] = {
        {"store", .text = &address}, {"config", .text = &config}, {"no-spool", .on = &no_spool}, {0}};
    int done = fm_parse_options("site init", options, print_help, argc, argv);
    if (done != FM_EXIT_NOT_YET)
        return done;
    if (!config)
        config = getenv("FATHOM_SITE_CONFIG");
    if (!config)
        config = FM_SITE_CONFIG_FILE;
    struct fm_site_store site;
    enum fm_status status = make_configuration(config, address, &error);
    if (!status)
        status = fm_site_store_find(&site, config, address, &error);
    if (status)
        return fm_command_error("site init", &error);
    if (!no_spool)
        status = make_spool(site.config.spool, &error);
    if (!status)
        status = make_database(&site, &error);
    fm_site_store_close(&site);
    return status ? fm_command_error("site init", &error) : FM_EXIT_OK;
}
