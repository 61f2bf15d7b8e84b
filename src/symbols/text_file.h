/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files of text that users write, as files of modules: read whole, from a file or a pipe. */
#ifndef FM_SYMBOLS_TEXT_FILE_H
#define FM_SYMBOLS_TEXT_FILE_H

#include "base/arena.h"
#include "base/error.h"

/* NUL behind it. What is neither file nor pipe, has no end in sight or is no text is an error that names it. */
enum fm_status fm_text_file_read(const char *path, struct fm_arena *arena, char **text, struct fm_error *error);

#endif
