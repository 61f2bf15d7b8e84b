/* SPDX-License-Identifier: BSD-3-Clause */
/* FATHOM_REPORT=terse|full|FILE: prints the report at the end of the job without `fathom run`. The process that wrote
 * the profile runs the fathom command, invisibly to the program's handling of its own children and of SIGCHLD. */
#ifndef FM_RUNTIME_PRINT_H
#define FM_RUNTIME_PRINT_H

void fm_print_report(const char *profile_path);

#endif
