/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the segment of this process: a file in the segment directory with its space reserved, else in TMPDIR, else
 * anonymous memory. There is never a SIGBUS later: only reserved space is used. */
#ifndef FM_RUNTIME_SEGMENT_MAKE_H
#define FM_RUNTIME_SEGMENT_MAKE_H

#include "runtime/runtime.h"

/* Maps and lays out a segment for fm_rt. Returns false if not even anonymous memory is available. */
bool fm_segment_make(const char *job_key, int neighbours);
/* Gives the file of the complete segment its name. A process that is killed before this leaves nothing behind. */
void fm_segment_publish(void);
/* Changes the job key of the segment's file (the final one is known only after MPI_Init). */
void fm_segment_rekey(const char *job_key);
void fm_segment_file_name(char path[FM_FILE_PATH_BYTES], const char *directory, const char *job_key);

#endif
