/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shown of a frame: names, and plausible lines. gfortran gives some calls, after inlining and other
 * transformations, the line of a declaration or of a statement that calls something else, tail calls the line of the end
 * of their procedure, and others the last line of their statement. The source tells. */
#include <stdio.h>
#include <string.h>

#include "base/basename.h"
#include "symbols/call_sites.h"
#include "symbols/symbols_table.h"

enum { NAME_BYTES = 128 };

/* The name of a procedure as in the source: "step" for "__solver_MOD_step", "solver::step", "step_" and "step@1a4f". */
static void source_name(char name[NAME_BYTES], const char *function)
{
    const char *module = strstr(function, "_MOD_"), *scope = strstr(function, "::");
    for (const char *next = scope; next; next = strstr(next + 2, "::"))
        scope = next;
    const char *from = module ? module + 5 : scope ? scope + 2 : function;
    size_t length = strcspn(from, "@|.");
    while (!module && length > 1 && from[length - 1] == '_')
        length--;
    snprintf(name, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : 0), from);
}

/* What a frame of a lookup calls; "" if unknown, or if it calls nothing. */
static void name_of_callee(char name[NAME_BYTES], const struct fm_lookup *lookup, size_t frame, enum fm_address kind)
{
    name[0] = 0;
    if (frame + 1 < lookup->n)
        source_name(name, lookup->frames[frame + 1].function);
    else if (kind == FM_RETURN_ADDRESS)
        source_name(name, lookup->callee);
}

static uint32_t plausible_line(const struct fm_fortran_source *source, const struct fm_symbol *frame,
                               const char *callee, enum fm_fortran_kind kind)
{
    bool here = frame->defined_line && frame->defined == frame->path;
    uint32_t found = here ? fm_fortran_find_name(source, frame->defined_line, callee) : 0;
    if (found)
        return found;
    if (kind == FM_FORTRAN_EXECUTABLE || kind == FM_FORTRAN_END) /* a call under another name; or it deallocates */
        return frame->line;
    found = fm_fortran_statement_start(source, frame->nearby);
    return found && fm_fortran_kind_of(source, found) == FM_FORTRAN_EXECUTABLE ? found : 0;
}

static void correct(struct fm_symbols *symbols, const struct fm_lookup *lookup, size_t i, enum fm_address kind,
                    struct fm_symbol *frame)
{
    struct fm_fortran_source source;
    char callee[NAME_BYTES];
    if (!frame->line || !fm_symbols_fortran(symbols, frame->path, &source))
        return;
    uint32_t start = fm_fortran_statement_start(&source, frame->line);
    if (!start)
        return;
    enum fm_fortran_kind statement = fm_fortran_kind_of(&source, start);
    name_of_callee(callee, lookup, i, kind);
    if (statement == FM_FORTRAN_EXECUTABLE) {
        frame->line = start;
        if (!callee[0] || fm_fortran_has_name(&source, start, callee) || fm_fortran_has_reference(&source, start))
            return;
    }
    uint32_t line = plausible_line(&source, frame, callee, statement);
    frame->approximate = line && line != frame->line;
    frame->line = line;
}

const char *fm_symbols_shown_name(struct fm_symbols *symbols, uint32_t module, const char *function)
{
    char text[NAME_BYTES + 32];
    if (strncmp(function, FM_NAMELESS, sizeof FM_NAMELESS - 1) != 0)
        return function;
    snprintf(text, sizeof text, "[%.*s%s", NAME_BYTES, fm_basename(symbols->modules[module].path), function + 1);
    const struct fm_intern_slot *slot = fm_intern_put(&symbols->texts, &symbols->arena, text, true);
    return slot ? slot->text : function;
}

struct fm_frames fm_symbols_shown(struct fm_symbols *symbols, struct fm_lookup *lookup, enum fm_address kind)
{
    if (!lookup->shown) {
        struct fm_symbol *frames = fm_arena_alloc(&symbols->arena, lookup->n * sizeof *frames);
        for (size_t i = 0; frames && i < lookup->n; i++) {
            frames[i] = lookup->frames[i];
            frames[i].function = fm_symbols_shown_name(symbols, lookup->module, frames[i].function);
            correct(symbols, lookup, i, kind, &frames[i]);
        }
        lookup->shown = frames ? frames : lookup->frames;
    }
    return (struct fm_frames){lookup->shown, lookup->n, true};
}
