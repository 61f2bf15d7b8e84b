/* SPDX-License-Identifier: BSD-3-Clause */
/* FATHOM_REPORT=terse|full|FILE: the report at the job's end without any wrapper. The process that wrote the profile
 * runs the fathom command; the program's own children and its SIGCHLD see nothing of it. */
#ifndef FM_RUNTIME_PRINT_H
#define FM_RUNTIME_PRINT_H

void fm_print_report(const char *profile_path);

#endif
