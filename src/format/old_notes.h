/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of version 0.1.0, which wrote sentences instead of codes. */
#ifndef FM_FORMAT_OLD_NOTES_H
#define FM_FORMAT_OLD_NOTES_H

#include "model/profile.h"

/* Sets code and argument of a note that only has text, if 0.1.0 wrote that text. Returns false if out of memory. */
bool fm_note_recognize(struct fm_note *note, struct fm_arena *arena);

#endif
