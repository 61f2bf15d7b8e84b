/* SPDX-License-Identifier: BSD-3-Clause */
/* What a note says (note_codes.h has the table). libc only, no malloc. */
#ifndef FM_MODEL_NOTE_H
#define FM_MODEL_NOTE_H

#include "model/profile.h"

/* Whether this build has a sentence for the code; FM_NOTE_TEXT and the codes of a newer Fathom have none. */
bool fm_note_known(uint32_t code);

enum { FM_NOTE_NAME = 32 };
/* Its name in JSON; "text" for FM_NOTE_TEXT, "unknown-57" for a code of a newer Fathom. */
const char *fm_note_name(uint32_t code, char buffer[FM_NOTE_NAME]);

/* Its sentence, without a full stop, the amount and the ranks; the memory is the note's, the table's or the arena's.
 * NULL: no memory. */
const char *fm_note_sentence(const struct fm_note *note, struct fm_arena *arena);

#endif
