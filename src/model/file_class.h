/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of files: by extension and by the first levels of the path, without the numbers in both and the random
 * ends of temporary names. So the files that
 * the ranks of a job have each for themselves are one class:
 *
 *   /scratch/ocean/run12/out/field.000123.nc   *.nc below /scratch/ocean/run*
 *   /scratch/ocean/run12/out.000123            out.* below /scratch/ocean/run*
 *   /home/u/INPUT                              INPUT below /home/u
 *   /tmp/gfortrantmpaB3xYz                     gfortrantmp* below /tmp
 *   /tmp/tmpx1Yz (deleted)                     deleted files below /tmp */
#ifndef FM_MODEL_FILE_CLASS_H
#define FM_MODEL_FILE_CLASS_H

#include <stddef.h>

enum { FM_FILE_CLASS_BYTES = 200 };

/* The class of a file, from its absolute path. Async-signal-safe. Applied to the name of a class, returns it. */
const char *fm_file_class(const char *path, char name[FM_FILE_CLASS_BYTES]);

/* The class of everything that is not recorded by name. */
#define FM_OTHER_FILES "other files"

#endif
