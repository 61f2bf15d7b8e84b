/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that wait, and whether their records can go on. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/site_doctor.h"
#include "site/config/keep.h"

/* The timer sends what is older than some minutes; a day is more than any pause of a log daemon. */
enum { OLD_S = 86400, MANY = 10000, SPOOL_MODE = 01733 };

struct spool {
    size_t waiting, refused;
    double bytes;
    time_t oldest;
};

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return length >= n && strcmp(name + length - n, end) == 0;
}

static bool look_into(const char *path, struct spool *spool)
{
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat st;
        bool refused = ends_with(entry->d_name, ".refused");
        if (fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        spool->bytes += (double)st.st_size;
        spool->refused += refused;
        if (refused || !ends_with(entry->d_name, ".fathom"))
            continue;
        if (!spool->waiting++ || st.st_mtime < spool->oldest)
            spool->oldest = st.st_mtime;
    }
    closedir(folder);
    return true;
}

static void tell_content(struct fm_site_doctor *site, const struct spool *spool)
{
    char bytes[FM_UNIT_CHARS], age[FM_UNIT_CHARS], oldest[FM_UNIT_CHARS + 32] = "";
    double seconds = spool->waiting ? difftime(time(NULL), spool->oldest) : 0;
    fm_bytes_text(bytes, spool->bytes);
    if (spool->waiting)
        snprintf(oldest, sizeof oldest, ", the oldest since %s", fm_time_text(age, 1e9 * (seconds > 0 ? seconds : 0)));
    if (seconds > OLD_S || spool->waiting > MANY)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "run 'fathom site send' as root and read what it prints",
                      "spool: %zu profiles wait%s (%s)", spool->waiting, oldest, bytes);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "spool: %zu profiles wait%s (%s)", spool->waiting, oldest,
                      bytes);
    if (spool->refused)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "look at one with 'fathom report', then remove them",
                      "spool: %zu profiles were refused (*.refused)", spool->refused);
}

static void check_spool(struct fm_site_doctor *site)
{
    const char *path = site->config.spool;
    struct spool spool = {0};
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "fathom site init", "spool: %s is no directory", path);
        return;
    }
    if ((st.st_mode & 07777) != SPOOL_MODE)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "chmod 1733",
                      "spool: %s has mode %o: users cannot leave profiles in it, or can read those of others", path,
                      (unsigned)st.st_mode & 07777);
    else if (st.st_uid != 0 && st.st_uid != geteuid())
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "chown root",
                      "spool: %s belongs to uid %u, who can read all profiles", path, (unsigned)st.st_uid);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "spool: %s", path);
    if (look_into(path, &spool))
        tell_content(site, &spool);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "run this as root", "spool: cannot look into it: %s",
                      strerror(errno));
    fm_site_doctor_space(site, "spool", path);
}

/* Connecting sends nothing. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    int why = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(fd);
    return why;
}

static void check_socket(struct fm_site_doctor *site, const char *name, const char *path, const char *fix)
{
    int why = connect_to(path);
    if (why == ECONNREFUSED)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, fix, "%s: nobody reads from %s; profiles stay in the spool", name,
                      path);
    else if (why)
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, fix, "%s: %s: %s; profiles stay in the spool", name, path,
                      strerror(why));
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "%s: accepts records at %s", name, path);
}

static void check_records(struct fm_site_doctor *site)
{
    const char *path = site->config.record_spool;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "make it with mode 1733", "record_spool: %s is no directory", path);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "record_spool: %s", path);
}

static void check_keep(struct fm_site_doctor *site, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "see ADMIN.md, Profiles that are kept", "keep: %s: %s", path,
                      strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD, "keep = DIRECTORY",
                      "keep: %s is no directory; profiles stay in the spool", path);
    else if (fm_site_keep_fault(&st))
        fm_doctor_say(&site->doctor, FM_DOCTOR_BAD,
                      "chown root or fathom, and chmod go-w: ADMIN.md, Profiles that are kept",
                      "keep: %s %s; no profile in it is shown", path, fm_site_keep_fault(&st));
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_OK, NULL, "keep: %s", path);
}

void fm_site_doctor_spool(struct fm_site_doctor *site)
{
    const struct fm_site_config *config = &site->config;
    check_spool(site);
    if (*config->keep)
        check_keep(site, config->keep);
    if (strcmp(config->send, "syslog") == 0)
        check_socket(site, "syslog", config->syslog_socket, "systemctl restart rsyslog; see ADMIN.md, rsyslog");
    else if (strcmp(config->send, "journald") == 0)
        check_socket(site, "journald", config->journald_socket, "systemctl restart systemd-journald");
    else if (strcmp(config->send, "spool") == 0)
        check_records(site);
    else
        fm_doctor_say(&site->doctor, FM_DOCTOR_WARN, "send = syslog", "send: none, so no record leaves this host");
}
