/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of commands: those of `fathom`, and those of `fathom site`. */
#ifndef FM_CLI_DISPATCH_H
#define FM_CLI_DISPATCH_H

struct fm_command {
    const char *name, *description;
    int (*run)(int argc, char **argv);
};

/* One line for each; the table ends with a name that is NULL. */
void fm_commands_print(const struct fm_command *commands);
/* Runs the command argv[1], which gets the rest; `of` is what they are commands of: "", "site". Returns the exit status. */
int fm_commands_run(const struct fm_command *commands, const char *of, int argc, char **argv);

#endif
