/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings that Fathom takes from the environment, FATHOM_*: one table of their valid values, for the runtime and
 * the tool. An invalid value is never an error: the setting is ignored, or gets the value that does least, and a
 * message says so once. libc only, no malloc. */
#ifndef FM_BASE_SETTINGS_H
#define FM_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false and sets nothing if the text is invalid. */
bool fm_setting_switch(const char *text, bool *on);                     /* 1 on yes true, 0 off no false */
bool fm_setting_memory(const char *text, uint64_t *bytes);              /* 4M, 512K, 1000000 */
bool fm_setting_sampling(const char *text, unsigned *hz, bool *of_cpu); /* 100, cpu:100, off */
bool fm_setting_tick(const char *text, unsigned *exponent);             /* 1ns ... 1s: a power of ten in ns */
bool fm_setting_mode(const char *text, unsigned *mode);                 /* 0640 */
bool fm_setting_timers(const char *text, bool *rich);                   /* rich, paper */

enum { FM_SETTING_MAX_HZ = 10000, FM_SETTING_MIN_MEMORY = 256 << 10, FM_SETTING_MAX_MEMORY = 1 << 30 };

/* Describes what becomes of a size that is out of range: "is less than the minimum; using 256K"; NULL if it is not. */
const char *fm_setting_memory_limited(const char *text);

/* Whether a switch is on in the environment; an invalid value means off. */
bool fm_setting_is_on(const char *name);
/* The same for what is on unless it is switched off. */
bool fm_setting_is_off(const char *name);
/* FATHOM_DISABLE. An invalid value disables too: doing nothing is the safe choice. */
bool fm_setting_disabled(void);

bool fm_setting_known(const char *name); /* name includes FATHOM_ */

enum { FM_SETTING_SENTENCE = 240 };
/* Describes what is wrong with this variable, as a sentence without a full stop; returns false if nothing is. An
 * unknown name is wrong if it looks like a misspelt setting. */
bool fm_setting_problem(const char *name, const char *value, char sentence[FM_SETTING_SENTENCE]);

/* Reports the problems of all variables of this process. */
void fm_settings_problems(void (*report)(void *context, const char *name, const char *sentence), void *context);

#endif
