/* SPDX-License-Identifier: BSD-3-Clause */
/* What `fathom modules` can do beside drafting a file. As commands are: cli.h. */
#ifndef FM_CLI_MODULES_H
#define FM_CLI_MODULES_H

int fm_cmd_modules_compare(int argc, char **argv);

#endif
