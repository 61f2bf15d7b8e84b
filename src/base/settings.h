/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings that Fathom takes from the environment, FATHOM_*: one table of what each may be, for the runtime and the
 * tool. A value that is not understood is never an error: the setting counts as not set, or as what does least, and
 * that is said once. libc only, no malloc. */
#ifndef FM_BASE_SETTINGS_H
#define FM_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each is false when the text is not understood; then nothing is set. */
bool fm_setting_switch(const char *text, bool *on);                     /* 1 on yes true, 0 off no false */
bool fm_setting_memory(const char *text, uint64_t *bytes);              /* 4M, 512K, 1000000 */
bool fm_setting_sampling(const char *text, unsigned *hz, bool *of_cpu); /* 100, cpu:100, off */
bool fm_setting_tick(const char *text, unsigned *exponent);             /* 1ns ... 1s: a power of ten in ns */
bool fm_setting_mode(const char *text, unsigned *mode);                 /* 0640 */
bool fm_setting_timers(const char *text, bool *rich);                   /* rich, paper */

enum { FM_SETTING_MAX_HZ = 10000 };

/* Whether a switch is on in the environment; one that is not understood is not. */
bool fm_setting_is_on(const char *name);
/* FATHOM_DISABLE; also when it is not understood: then nothing at all is the least to be done. */
bool fm_setting_disabled(void);

bool fm_setting_known(const char *name); /* with its FATHOM_ */

enum { FM_SETTING_SENTENCE = 240 };
/* What is wrong with this variable, as a sentence without its full stop; false: nothing. A name that is none of ours is
 * wrong if it is nearly one. */
bool fm_setting_problem(const char *name, const char *value, char sentence[FM_SETTING_SENTENCE]);

/* The problems of all variables of this process. */
void fm_settings_problems(void (*tell)(void *context, const char *name, const char *sentence), void *context);

#endif
