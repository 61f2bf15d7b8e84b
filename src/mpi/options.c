/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/options.h"

#include <stddef.h>
#include <string.h>

static const struct fm_launcher_option options[] = {
    {"host", 1, FM_OPTION_HOSTS},
    {"hosts", 1, FM_OPTION_HOSTS},
    {"H", 1, FM_OPTION_HOSTS},
    {"w", 1, FM_OPTION_HOSTS},
    {"nodelist", 1, FM_OPTION_HOSTS},
    {"hostfile", 1, FM_OPTION_HOST_FILE},
    {"machinefile", 1, FM_OPTION_HOST_FILE},
    {"f", 1, FM_OPTION_HOST_FILE},
    {"allow-run-as-root", 0, FM_OPTION_REACH},
    {"prefix", 1, FM_OPTION_REACH},
    {"launcher", 1, FM_OPTION_REACH},
    {"launcher-exec", 1, FM_OPTION_REACH},
    {"bootstrap", 1, FM_OPTION_REACH},
    {"bootstrap-exec", 1, FM_OPTION_REACH},
    {"iface", 1, FM_OPTION_REACH},
    {"rmk", 1, FM_OPTION_REACH},
    {"mca", 2, FM_OPTION_REACH},
    {"gmca", 2, FM_OPTION_REACH},
    {"prtemca", 2, FM_OPTION_REACH},
    {"genv", 2, FM_OPTION_OTHER},
    {"env", 2, FM_OPTION_OTHER},
    {"x", 1, FM_OPTION_OTHER},
    {"rankfile", 1, FM_OPTION_OTHER},
    {"output-filename", 1, FM_OPTION_OTHER},
    {"app", 0, FM_OPTION_DOUBTFUL},
    {"configfile", 0, FM_OPTION_DOUBTFUL},
    {"multi-prog", 0, FM_OPTION_DOUBTFUL},
    {"export", 0, FM_OPTION_DOUBTFUL},
    {"tune", 0, FM_OPTION_DOUBTFUL},
    {"wdir", 0, FM_OPTION_DOUBTFUL},
    {"wd", 0, FM_OPTION_DOUBTFUL},
    {"chdir", 0, FM_OPTION_DOUBTFUL},
    {"D", 0, FM_OPTION_DOUBTFUL},
    {"envnone", 0, FM_OPTION_DOUBTFUL},
    {"genvnone", 0, FM_OPTION_DOUBTFUL},
    {"envlist", 0, FM_OPTION_DOUBTFUL},
    {"genvlist", 0, FM_OPTION_DOUBTFUL},
    {"envexcl", 0, FM_OPTION_DOUBTFUL},
    {"genvexcl", 0, FM_OPTION_DOUBTFUL},
    {"het-group", 0, FM_OPTION_DOUBTFUL},
    {"path", 0, FM_OPTION_DOUBTFUL},
};

const struct fm_launcher_option *fm_launcher_option(const char *word)
{
    size_t dashes = strspn(word, "-");
    const char *name = word + dashes;
    size_t length = strcspn(name, "=");
    if (dashes == 0 || dashes > 2 || (length == 1 && dashes > 1))
        return NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == length && strncmp(name, options[i].name, length) == 0)
            return &options[i];
    return NULL;
}

int fm_launcher_option_arguments(const char *word)
{
    const struct fm_launcher_option *option = fm_launcher_option(word);
    return option && !strchr(word, '=') ? option->arguments : 0;
}
