/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/doctor.h"
#include "mpi/options.h"

enum { LIST_BYTES = 64 << 10, MAX_KEPT = 64 };

/* "user@name:slots" is the host `name`; what cannot be a host name is skipped. */
static void add_host(struct fm_run_hosts *hosts, const char *word, size_t length)
{
    const char *at = memchr(word, '@', length);
    if (at) {
        length -= (size_t)(at + 1 - word);
        word = at + 1;
    }
    length = strnlen(word, length);
    size_t plain = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    if (plain < length)
        length = plain;
    if (length == 0 || length >= FM_HOST_BYTES || *word == '-' || hosts->n == FM_MAX_HOSTS)
        return;
    for (size_t i = 0; i < hosts->n; i++)
        if (strncmp(hosts->items[i].name, word, length) == 0 && !hosts->items[i].name[length])
            return;
    struct fm_run_host *grown = realloc(hosts->items, (hosts->n + 1) * sizeof *grown);
    if (!grown)
        return;
    hosts->items = grown;
    memset(&grown[hosts->n], 0, sizeof *grown);
    memcpy(grown[hosts->n++].name, word, length);
}

void fm_hosts_add_list(struct fm_run_hosts *hosts, const char *list, const char *separators)
{
    for (list += strspn(list, separators); *list; list += strspn(list, separators)) {
        size_t length = strcspn(list, separators);
        add_host(hosts, list, length);
        list += length;
    }
}

/* One host at the start of each line; the rest of a line is about its slots. A pipe is left to the launcher: we would
 * take data from it, or wait forever. */
static void add_file(struct fm_run_hosts *hosts, const char *path)
{
    char line[1024];
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        const char *word = line + strspn(line, " \t");
        if (*word != '#')
            add_host(hosts, word, strcspn(word, " \t\r\n#"));
    }
    if (file)
        fclose(file);
}

/* For options whose arguments are separate words. */
static bool is_about(const char *word, enum fm_option_about about)
{
    const struct fm_launcher_option *option = fm_launcher_option(word);
    return option && option->about == about && !strchr(word, '=');
}

void fm_hosts_add_named(struct fm_run_hosts *hosts, char **command)
{
    for (char **word = command + 1; word[0] && word[1]; word++) {
        if (is_about(word[0], FM_OPTION_HOSTS))
            fm_hosts_add_list(hosts, word[1], ",");
        if (is_about(word[0], FM_OPTION_HOST_FILE))
            add_file(hosts, word[1]);
    }
}

void fm_hosts_add_allocated(struct fm_run_hosts *hosts, fm_variable *variable, const void *context)
{
    for (size_t i = 0; i < FM_LAUNCHERS; i++) {
        const char *name = fm_launchers[i].host_file, *path = *name ? variable(context, name) : NULL;
        if (path)
            add_file(hosts, path);
    }
    if (variable(context, FM_SLURM_NODE_LIST)) {
        static char text[LIST_BYTES];
        char *words[] = {FM_SLURM_EXPAND_LIST, (char *)variable(context, FM_SLURM_NODE_LIST), NULL};
        if (fm_doctor_capture(words, text, sizeof text) == 0)
            fm_hosts_add_list(hosts, text, "\n");
    }
}

void fm_run_hosts_free(struct fm_run_hosts *hosts)
{
    free(hosts->items);
    memset(hosts, 0, sizeof *hosts);
}

/* ---- launcher command lines ---- */

void fm_arguments_add(struct fm_arguments *words, const char *word)
{
    if (words->n < FM_MAX_ARGUMENTS)
        words->items[words->n++] = (char *)word;
}

void fm_arguments_copy_options(struct fm_arguments *words, char **command)
{
    for (char **word = command + 1; *word && words->n < MAX_KEPT; word++) {
        int count = is_about(*word, FM_OPTION_REACH) ? 1 + fm_launcher_option_arguments(*word) : 0;
        for (; count > 0 && *word; count--) {
            fm_arguments_add(words, *word);
            word += count > 1;
        }
        if (!*word)
            break;
    }
}

void fm_arguments_add_hosts(struct fm_arguments *words, const struct fm_launcher *launcher, const char *hosts,
                            const char *n)
{
    fm_arguments_add(words, launcher->hosts);
    fm_arguments_add(words, hosts);
    fm_arguments_add(words, "-n");
    fm_arguments_add(words, n);
}
