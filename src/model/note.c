/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/note.h"

#include <stdio.h>
#include <string.h>

#include "base/settings.h"
#include "model/note_codes.h"

enum { SENTENCE_BYTES = 192 };

/* No pointers: each one would need a relocation in every process that loads the library. */
struct note_row {
    uint32_t code;
    char name[FM_NOTE_NAME], sentence[SENTENCE_BYTES];
};

#define ROW(number, code, name, amount, argument, sentence) {number, name, sentence},
static const struct note_row rows[] = {FM_NOTES(ROW)};
#undef ROW

#define FITS(number, code, name, amount, argument, sentence) \
    _Static_assert(sizeof(name) <= FM_NOTE_NAME && sizeof(sentence) <= SENTENCE_BYTES, name);
FM_NOTES(FITS)
#undef FITS

static const struct note_row *find(uint32_t code)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

bool fm_note_known(uint32_t code)
{
    return find(code);
}

const char *fm_note_name(uint32_t code, char buffer[FM_NOTE_NAME])
{
    const struct note_row *row = find(code);
    if (row)
        return row->name;
    if (code == FM_NOTE_TEXT)
        return "text";
    snprintf(buffer, FM_NOTE_NAME, "unknown-%u", code);
    return buffer;
}

/* The template with %s replaced by the argument. */
static const char *fill_in(const char *template, const char *argument, struct fm_arena *arena)
{
    const char *place = strstr(template, "%s");
    if (!place)
        return template;
    size_t size = strlen(template) + strlen(argument);
    char *sentence = fm_arena_alloc(arena, size);
    if (sentence)
        snprintf(sentence, size, "%.*s%s%s", (int)(place - template), template, argument, place + 2);
    return sentence;
}

/* The sentence comes from the table of settings, which knows the valid values; from the template if the table now
 * accepts the value. */
static const char *setting_sentence(const struct note_row *row, const char *argument, struct fm_arena *arena)
{
    char name[40], sentence[FM_SETTING_SENTENCE];
    size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), argument);
    if (fm_setting_problem(name, argument + length + (argument[length] == '='), sentence))
        return fm_arena_strndup(arena, sentence, strlen(sentence));
    return fill_in(row->sentence, argument, arena);
}

static const char *unknown_sentence(const struct fm_note *note, struct fm_arena *arena)
{
    char template[64];
    if (*note->text)
        return note->text;
    snprintf(template, sizeof template, "note %u of a newer version of Fathom%s", note->code,
             *note->argument ? " (%s)" : "");
    const char *sentence = fill_in(template, note->argument, arena);
    return sentence == template ? fm_arena_strndup(arena, template, strlen(template)) : sentence;
}

const char *fm_note_sentence(const struct fm_note *note, struct fm_arena *arena)
{
    const struct note_row *row = find(note->code);
    if (note->code == FM_NOTE_TEXT)
        return note->text;
    if (!row)
        return unknown_sentence(note, arena);
    if (row->code == FM_NOTE_INVALID_SETTING || row->code == FM_NOTE_UNKNOWN_SETTING)
        return setting_sentence(row, note->argument, arena);
    return fill_in(row->sentence, note->argument, arena);
}
