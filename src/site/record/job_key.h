/* SPDX-License-Identifier: BSD-3-Clause */
/* The key of a job's record, made from the key that its profile has. */
#ifndef FM_SITE_RECORD_JOB_KEY_H
#define FM_SITE_RECORD_JOB_KEY_H

enum { FM_RECORD_KEY_CHARS = 33 };

/* 32 hexadecimal digits. */
void fm_record_key_of(const char *profile_key, char key[FM_RECORD_KEY_CHARS]);

#endif
