/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/context_text.h"

#include <string.h>

#include "base/basename.h"

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
    return fm_format(&report->arena, "%s%s%s%s%s", marks->inlined ? "; (i): inlined" : "",
                     marks->body ? "; (p): in a parallel region" : "",
                     marks->inferred ? "; (t): inferred from a tail call" : "",
                     marks->callers_missing ? "; (?): callers unknown after tail calls" : "",
                     marks->approximate ? "; ~: approximate line" : "");
}

void fm_context_marks_add(struct fm_context_marks *marks, const struct fm_context *context)
{
    marks->inlined |= context->id.inlined;
    marks->body |= context->id.body != NULL;
    marks->approximate |= context->facts.approximate;
    marks->inferred |= context->facts.inferred;
    marks->callers_missing |= context->facts.callers_missing;
}

static const char *function_text(struct fm_report *report, const struct fm_context *context)
{
    const char *marks = marks_of(context);
    if (context->id.line)
        return fm_format(&report->arena, "%s%s  at %s", context->id.name, marks, place_text(report, context));
    bool foreign = context->parent->id.module != context->id.module; /* omit the load module of the caller */
    return fm_format(&report->arena, "%s%s%s", context->id.name, marks, foreign ? module_text(report, context) : "");
}

/* A line with its source text, if the file is available and there is room. */
static const char *line_text(struct fm_report *report, const struct fm_context *context, size_t columns)
{
    const struct fm_context_id *id = &context->id;
    const char *place = place_text(report, context);
    const char *source = report->symbols ? fm_symbols_source(report->symbols, id->path, id->line) : NULL;
    size_t used = strlen(place) + 2;
    if (!source || !source[0] || used + 8 > columns)
        return place;
    bool fits = fm_text_width(source) <= columns - used;
    return fm_format(&report->arena, "%s  %.*s%s", place, fits ? (int)strlen(source) : (int)(columns - used - 2),
                     source, fits ? "" : "..");
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
