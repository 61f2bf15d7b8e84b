/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of notes (the table is in note_codes.h). libc only, no malloc. */
#ifndef FM_MODEL_NOTE_H
#define FM_MODEL_NOTE_H

#include "model/profile.h"

/* Whether this build has a sentence for the code: not for FM_NOTE_TEXT and the codes of a newer Fathom. */
bool fm_note_known(uint32_t code);

enum { FM_NOTE_NAME = 32 };
/* Its name in JSON; "text" for FM_NOTE_TEXT, "unknown-57" for a code of a newer Fathom. */
const char *fm_note_name(uint32_t code, char buffer[FM_NOTE_NAME]);

/* Its sentence, without the full stop, the amount and the ranks. The memory belongs to the note, the table or the
 * arena. Returns NULL if out of memory. */
const char *fm_note_sentence(const struct fm_note *note, struct fm_arena *arena);

#endif
