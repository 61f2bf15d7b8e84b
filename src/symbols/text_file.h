/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads small text files written by users, such as module files, from a file or a pipe. */
#ifndef FM_SYMBOLS_TEXT_FILE_H
#define FM_SYMBOLS_TEXT_FILE_H

#include "base/arena.h"
#include "base/error.h"

/* The text is NUL-terminated. Anything that is not a file or pipe, too large or not text is an error that names it. */
enum fm_status fm_text_file_read(const char *path, struct fm_arena *arena, char **text, struct fm_error *error);

#endif
