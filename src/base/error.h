/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors are values that carry one sentence for the user: what is wrong, with which file or option, and what to do. The
 * code that detects an error writes the sentence; the code that owns stderr prints it, once. Never used on the hot
 * path. */
#ifndef FM_BASE_ERROR_H
#define FM_BASE_ERROR_H

enum fm_status {
    FM_OK = 0,
    FM_ERR_INPUT,  /* damaged data, not ours, or from a newer version */
    FM_ERR_SYSTEM, /* a system call failed: no file, no permission, no space */
    FM_ERR_USAGE,  /* wrong option or argument */
    FM_ERR_MEMORY, /* out of memory */
};

struct fm_error {
    enum fm_status status;
    char text[512];
};

/* Fills *error (may be NULL) and returns status, so that one can write `return fm_fail(...)`. */
enum fm_status fm_fail(struct fm_error *error, enum fm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
