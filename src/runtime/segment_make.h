/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates this process's segment: a file in the segment directory with its space reserved, else in TMPDIR, else
 * anonymous memory. Never a SIGBUS later: what cannot be reserved now is not used. */
#ifndef FM_RUNTIME_SEGMENT_MAKE_H
#define FM_RUNTIME_SEGMENT_MAKE_H

#include "runtime/runtime.h"

/* Lays out and maps a segment for fm_rt; false when not even anonymous memory is to be had. */
bool fm_segment_make(const char *job_key, int neighbours);
/* The segment is filled in: its file gets its name. What is killed before leaves nothing behind. */
void fm_segment_publish(void);
/* Gives the segment's file another job key (the final one is known only after MPI_Init). */
void fm_segment_rekey(const char *job_key);
void fm_segment_file_name(char path[FM_FILE_PATH_BYTES], const char *directory, const char *job_key);

#endif
