/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/context_text.h"

#include <string.h>

#include "base/basename.h"
#include "base/writer.h"
#include "render/shorten.h"

static const char *module_text(struct fm_report *report, const struct fm_context *context)
{
    bool named = context->id.name[0] == '['; /* the name contains the load module */
    return context->id.module[0] && !named ? fm_format(&report->arena, "  [%s]", fm_basename(context->id.module)) : "";
}

/* "halo.f90:210"; "halo.f90:~210" if the line is approximate. */
static const char *place_text(struct fm_report *report, const struct fm_context *context)
{
    return fm_format(&report->arena, "%s:%s%u", fm_basename(context->id.path), context->facts.approximate ? "~" : "",
                     context->id.line);
}

enum { LISTED = 4 }; /* lines of a context; of more, the first and the last */

/* "halo.f90:44, 46, 48"; of many lines the first and the last: "halo.f90:44-97"; or "2 files". */
static const char *lines_text(struct fm_report *report, const struct fm_call_line *lines, size_t n)
{
    struct fm_writer writer = {.arena = &report->arena};
    const struct fm_call_line *last = lines;
    size_t files = 1;
    for (const struct fm_call_line *at = lines; at && at->line; last = at, at = at->next)
        files += strcmp(at->path, last->path) != 0;
    if (n > LISTED)
        return files > 1 ? fm_format(&report->arena, "%zu files", files)
                         : fm_format(&report->arena, "%s:%u-%u", fm_basename(lines->path), lines->line, last->line);
    for (const struct fm_call_line *at = lines, *before = NULL; at; before = at, at = at->next) {
        bool same = before && strcmp(at->path, before->path) == 0;
        fm_write(&writer, "%s", before ? ", " : "");
        if (!at->line)
            fm_write(&writer, "?");
        else
            fm_write(&writer, "%s%s%s%u", same ? "" : fm_basename(at->path), same ? "" : ":",
                     at->approximate ? "~" : "", at->line);
    }
    const char *text = fm_writer_text(&writer);
    return text ? text : "";
}

const char *fm_context_place(struct fm_report *report, const struct fm_context *context)
{
    size_t n = 0, known = 0;
    for (const struct fm_call_line *at = context->lines; at; at = at->next, n++)
        known += at->line != 0;
    if (n) /* "?" is listed and counted, but is not one of the lines from the first to the last */
        return fm_format(&report->arena, "from %zu lines (%s)", n > LISTED ? known : n,
                         lines_text(report, context->lines, n));
    return context->id.line ? fm_format(&report->arena, "at %s", place_text(report, context)) : "";
}

/* What is not as on the stack. */
static const char *marks_of(const struct fm_context *context)
{
    if (context->facts.callers_missing)
        return " (?)";
    if (context->facts.inferred)
        return context->id.inlined ? " (i,t)" : " (t)";
    if (context->id.body)
        return context->id.inlined ? " (i,p)" : " (p)";
    return context->id.inlined ? " (i)" : "";
}

const char *fm_context_marks_text(struct fm_report *report, const struct fm_context_marks *marks)
{
    return fm_format(&report->arena, "%s%s%s%s%s%s", marks->inlined ? "; (i): inlined" : "",
                     marks->body ? "; (p): in a parallel region" : "",
                     marks->inferred ? "; (t): inferred from a tail call" : "",
                     marks->callers_missing ? "; (?): callers unknown after tail calls" : "",
                     marks->approximate ? "; FILE:~LINE: approximate" : "",
                     marks->lines ? "; from several lines: --lines shows each of them" : "");
}

void fm_context_marks_add(struct fm_context_marks *marks, const struct fm_context *context)
{
    marks->inlined |= context->id.inlined;
    marks->body |= context->id.body != NULL;
    marks->lines |= context->lines != NULL;
    marks->approximate |= context->facts.approximate;
    marks->inferred |= context->facts.inferred;
    marks->callers_missing |= context->facts.callers_missing;
}

static const char *function_text(struct fm_report *report, const struct fm_context *context)
{
    const char *marks = marks_of(context);
    const char *place = fm_context_place(report, context);
    if (place[0])
        return fm_format(&report->arena, "%s%s  %s", context->id.name, marks, place);
    bool foreign = context->parent->id.module != context->id.module; /* omit the load module of the caller */
    return fm_format(&report->arena, "%s%s%s", context->id.name, marks, foreign ? module_text(report, context) : "");
}

/* A line with its source text, if the file is available and there is room. */
static const char *line_text(struct fm_report *report, const struct fm_context *context, size_t columns)
{
    const struct fm_context_id *id = &context->id;
    const char *place = place_text(report, context);
    const char *source = report->symbols ? fm_symbols_source(report->symbols, id->path, id->line) : NULL;
    size_t used = fm_text_width(place) + 2;
    if (!source || !source[0] || used + 8 > columns)
        return place;
    return fm_format(&report->arena, "%s  %s", place, fm_shorten_end(&report->arena, source, columns - used));
}

size_t fm_label_columns(FILE *out)
{
    enum { LABEL_COLUMNS = 52 };
    size_t limit = fm_output_limit(out), others = FM_TEXT_LIMIT - LABEL_COLUMNS;
    return limit > others ? limit - others : 0;
}

const char *fm_context_label(struct fm_report *report, const struct fm_context *context, enum fm_calltree_kind which,
                             size_t columns)
{
    switch (context->id.kind) {
    case FM_CONTEXT_CALL_SITE:
        if (which == FM_CALLTREE_CALLERS)
            return fm_format(&report->arena, "<- %s", function_text(report, context));
        return line_text(report, context, columns);
    case FM_CONTEXT_STATEMENT:
        return line_text(report, context, columns);
    case FM_CONTEXT_FRAME:
    case FM_CONTEXT_ROUTINE:
        return function_text(report, context);
    default:
        return fm_basename(context->id.name);
    }
}
