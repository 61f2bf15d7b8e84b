/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site token`: gives a user a token for the pages of the site. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/site.h"
#include "site/config/config.h"
#include "site/http/tokens.h"

static void print_help(void)
{
    puts(
        "fathom site token USER [OPTION...]: give a user a token for the pages of 'fathom serve --site'.\n"
        "\n"
        "The token is printed; its hash is added to the file of tokens. To take a token back, remove its line. A running\n"
        "server reads the file again.\n"
        "\n"
        "  --staff          the user sees the jobs of all users\n"
        "  --tokens FILE    file of tokens (default: http_tokens of the configuration)\n"
        "  --config FILE    configuration (default: /etc/fathom/site.conf)\n"
        "  -h, --help       show this help\n"
        "\n"
        "Example:\n"
        "  fathom site token ann --tokens /etc/fathom/tokens");
}

/* Of a last line that has no end the new one would be a part. */
static bool ends_line(int fd, off_t size)
{
    char last = '\n';
    return size == 0 || (pread(fd, &last, 1, size - 1) == 1 && last == '\n');
}

/* Only its owner may read it, from its first moment on. */
static enum fm_status add_line(const char *path, const char *line, struct fm_error *error)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &st) != 0) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write to %s: %s", path, strerror(why));
    }
    enum fm_status status = FM_OK;
    /* line[0] is the end of the line before */
    line += S_ISREG(st.st_mode) && ends_line(fd, st.st_size);
    ssize_t length = (ssize_t)strlen(line);
    if (!S_ISREG(st.st_mode) || st.st_mode & 077)
        status = fm_fail(error, FM_ERR_INPUT, "other users can read the tokens in %s; run: chmod 600 %s", path, path);
    else if (write(fd, line, (size_t)length) != length || fsync(fd) != 0)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write to %s: %s", path, strerror(errno));
    close(fd);
    return status;
}

static enum fm_status add_token(const char *user, bool staff, const char *path, struct fm_error *error)
{
    char line[512] = "\n", token[FM_SITE_TOKEN_CHARS + 1];
    FILE *out = fmemopen(line + 1, sizeof line - 1, "w");
    if (!out)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a token");
    enum fm_status status = fm_site_token_make(user, staff, out, token, error);
    fclose(out);
    if (!status)
        status = add_line(path, line, error);
    if (!status)
        puts(token);
    return status;
}

int fm_site_cmd_token(int argc, char **argv)
{
    const char *tokens = NULL, *config_file = NULL;
    bool staff = false;
    struct fm_site_config config;
    struct fm_error error = {0};
    const struct fm_option options[] = {
        {"staff", .on = &staff},
        {"tokens", .text = &tokens},
        {"config", .text = &config_file},
        {0},
    };
    int done = fm_parse_options("site token", options, print_help, argc, argv);
    if (done != FM_EXIT_NOT_YET)
        return done;
    if (argc - optind != 1)
        return fm_usage_error("site token", "give one user");
    if (!fm_site_user_is_name(argv[optind]) || *argv[optind] == '#')
        return fm_usage_error("site token", "'%.60s' is not the name of a user", argv[optind]);
    enum fm_status status = fm_site_config_read(&config, config_file, &error);
    if (status)
        return fm_command_error("site token", &error);
    const char *path = tokens ? tokens : config.http_tokens;
    if (!*path) {
        fm_site_config_destroy(&config);
        return fm_usage_error("site token", "give --tokens FILE, or http_tokens in the configuration");
    }
    status = add_token(argv[optind], staff, path, &error);
    fm_site_config_destroy(&config);
    return status ? fm_command_error("site token", &error) : FM_EXIT_OK;
}
