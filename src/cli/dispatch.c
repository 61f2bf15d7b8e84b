/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

void fm_commands_print(const struct fm_command *commands)
{
    for (; commands->name; commands++)
        printf("  %-9s  %s\n", commands->name, commands->description);
}

static int unknown_command(const struct fm_command *commands, const char *of, const char *name)
{
    char list[256] = "";
    for (size_t i = 0; commands[i].name; i++) {
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, commands[i].name, sizeof list - strlen(list) - 1);
    }
    return fm_usage_error(of, "unknown command '%s'; choose from %s", name, list);
}

int fm_commands_run(const struct fm_command *commands, const char *of, int argc, char **argv)
{
    for (size_t i = 0; commands[i].name; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown_command(commands, of, argv[1]);
}
