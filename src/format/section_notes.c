/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes about the measurement: codes with parameters, and sentences for readers that do not know the codes. */
#include "base/sort.h"
#include "format/old_notes.h"
#include "format/sections.h"
#include "model/note.h"
#include "model/note_codes.h"
#include "model/order.h"

/* Copies of the notes with their sentences. */
static const struct fm_note *notes_with_text(struct fm_column_writer *w)
{
    size_t n = w->profile->n_notes;
    struct fm_note *notes = fm_arena_alloc(&w->scratch, n * sizeof *notes);
    for (size_t i = 0; notes && i < n; i++) {
        notes[i] = w->profile->notes[i];
        if (fm_note_known(notes[i].code))
            notes[i].text = fm_note_sentence(&notes[i], &w->scratch);
        if (!notes[i].text)
            return NULL;
    }
    return notes;
}

void fm_put_notes(struct fm_column_writer *w)
{
    const struct fm_note *notes = notes_with_text(w);
    if (notes)
        fm_put_items(w, &fm_list_notes, notes, w->profile->n_notes);
    else
        w->failed = true;
}

static int compare_notes(const void *a, const void *b)
{
    return fm_note_compare(a, b);
}

/* Sentences of known codes are dropped because they are made again when they are shown; a note without a code is from
 * an older Fathom. */
static void set_codes(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    for (size_t i = 0; i < p->n_notes; i++) {
        struct fm_note *note = &p->notes[i];
        if (note->code == FM_NOTE_TEXT)
            r->no_memory |= !fm_note_recognize(note, &p->arena);
        else if (fm_note_known(note->code))
            note->text = "";
        else
            p->left_out.values++;
    }
    r->no_memory |= !fm_sort(p->notes, p->n_notes, sizeof *p->notes, compare_notes, &r->scratch);
}

void fm_get_notes(struct fm_column_reader *r)
{
    fm_get_list(r, &fm_list_notes);
    if (!fm_column_reader_stopped(r))
        set_codes(r);
}
