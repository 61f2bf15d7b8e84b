/* SPDX-License-Identifier: BSD-3-Clause */
/* What a job is called. */
#ifndef FM_MODEL_JOB_NAME_H
#define FM_MODEL_JOB_NAME_H

#include "model/profile.h"

/* The file name of its executable or, if that is Python, of the script it runs: "model.py" for `python3 -u model.py`;
 * "model" for `python3 -m model`. In the strings of the job; "" if unknown. */
const char *fm_job_name(const struct fm_job *job);

/* Whether a file is called like an interpreter: "python", "python3.11", "python3.11-dbg"; not "python-config". */
bool fm_is_python(const char *file);

#endif
