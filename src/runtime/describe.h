/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of the process, written once at startup: host, processor, executable, arguments, job, and the MPI and
 * OpenMP settings of its environment. Never includes a value whose name looks like a secret. */
#ifndef FM_RUNTIME_DESCRIBE_H
#define FM_RUNTIME_DESCRIBE_H

#include "format/segment.h"

void fm_describe_process(struct fm_segment_header *header);

#endif
