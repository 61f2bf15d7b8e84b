/* SPDX-License-Identifier: BSD-3-Clause */
/* Fathom's silence: in a program that filters its own system calls (seccomp) it makes none any more, since each could end
 * the process. */
#ifndef FM_RUNTIME_INTERPOSE_SILENCE_H
#define FM_RUNTIME_INTERPOSE_SILENCE_H

#include <stdbool.h>

/* Whether the calling thread may make system calls, until it says that it has made them; false: in silence it must not.
 * What is not counted so may happen just as another thread installs its filter. */
bool fm_calls_begin(void);
void fm_calls_end(void);

/* Returns when no thread makes system calls any more. */
void fm_silence_begin(void);
void fm_silence_end(void);
bool fm_is_silent(void);

#endif
