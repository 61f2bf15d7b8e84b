/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands of `fathom modules` other than init. They follow the conventions of commands in cli.h. */
#ifndef FM_CLI_MODULES_H
#define FM_CLI_MODULES_H

int fm_cmd_modules_compare(int argc, char **argv);

#endif
