/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of version 0.1.0, which wrote sentences where there are codes now. */
#ifndef FM_FORMAT_OLD_NOTES_H
#define FM_FORMAT_OLD_NOTES_H

#include "model/profile.h"

/* Gives a note that is only a text its code and argument, if 0.1.0 wrote that text. false: no memory. */
bool fm_note_recognize(struct fm_note *note, struct fm_arena *arena);

#endif
