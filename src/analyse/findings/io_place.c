/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/io_place.h"

#include <string.h>

#include "base/names.h"
#include "base/saturate.h"

static bool is_named(const struct fm_context *context, const char *names)
{
    return context->id.kind == FM_CONTEXT_FRAME && fm_names_fit(names, context->id.name);
}

bool fm_context_reads(const struct fm_context *context)
{
    static const char *const names =
        "read\0__read\0readv\0pread*\0fread*\0_IO_fread\0fgets*\0__fgets_chk\0getline\0getdelim\0*scanf\0"
        "_gfortran_st_read*\0_gfortran_transfer_*\0nc_get_*\0nfmpi_get_*\0ncmpi_get_*\0H5Dread*\0";
    return is_named(context, names) && !strstr(context->id.name, "_write");
}

bool fm_context_does_io(const struct fm_context *context)
{
    static const char *const names =
        "write\0__write\0writev\0pwrite*\0fwrite*\0_IO_fwrite\0fputs\0_IO_fputs\0putc\0fputc\0*fprintf*\0fflush\0"
        "fsync\0fdatasync\0lseek*\0fseek*\0open\0open64\0openat*\0creat*\0close\0fopen*\0fclose\0"
        "_gfortran_st_*\0_gfortran_transfer_*\0_gfortran_flush*\0nc_*\0nfmpi_*\0ncmpi_*\0H5F*\0H5D*\0";
    return fm_context_reads(context) || is_named(context, names);
}

/* Whether a context below `top` is inside another such function. */
static bool is_inside(const struct fm_context *context, const struct fm_context *top,
                      bool (*is)(const struct fm_context *))
{
    for (const struct fm_context *up = context->parent; up && up != top; up = up->parent)
        if (is(up))
            return true;
    return false;
}

double fm_io_below_ns(const struct fm_context *context, bool (*is)(const struct fm_context *))
{
    if (is(context))
        return (double)context->all.of.sum_ns;
    double sum = 0;
    for (const struct fm_context *at = fm_context_after(context, context); at; at = fm_context_after(context, at))
        sum += is(at) && !is_inside(at, context, is) ? (double)at->all.of.sum_ns : 0;
    return sum;
}

static bool formats(const struct fm_context *context)
{
    return is_named(context, "*printf*\0*scanf\0_gfortran_st_*\0_gfortran_transfer_*\0");
}

static bool transfers_formatted(const struct fm_context *context)
{
    static const char *const names = "read\0__read\0*libc_read\0readv\0pread*\0write\0__write\0*libc_write\0writev\0"
                                     "pwrite*\0fsync\0fdatasync\0open\0open64\0openat*\0close\0__close\0lseek*\0";
    return is_named(context, names) && is_inside(context, NULL, formats);
}

double fm_formatting_below_ns(const struct fm_context *context)
{
    double all = fm_io_below_ns(context, formats), transfer = fm_io_below_ns(context, transfers_formatted);
    return all > transfer ? all - transfer : 0;
}

/* The innermost call whose line is known, from the program down to an I/O function; or that function itself. */
static struct fm_context *known_call(struct fm_context *io)
{
    for (struct fm_context *at = io; at->parent; at = at->parent)
        if (at->id.line && at->parent->id.kind == FM_CONTEXT_FRAME)
            return at;
    return io;
}

/* For every outermost I/O function: `twin` is the call that leads to it. Its caller is marked. */
static void find_calls(const struct fm_calltree *calls)
{
    for (struct fm_context *at = calls->root; at; at = fm_context_after(calls->root, at)) {
        at->twin = NULL;
        at->mark = 0;
        if (!at->parent || !fm_context_does_io(at) || is_inside(at, NULL, fm_context_does_io))
            continue;
        at->twin = known_call(at);
        at->twin->parent->mark = 1;
    }
}

/* The time of a function in I/O that it calls, and the call that takes longest. */
static uint64_t time_in_calls(const struct fm_context *function, const struct fm_context **longest)
{
    uint64_t sum = 0, most = 0;
    for (const struct fm_context *at = function->first; at; at = fm_context_after(function, at)) {
        if (!at->twin || at->twin->parent != function)
            continue;
        fm_add_saturating(&sum, at->all.of.sum_ns);
        if (at->all.of.sum_ns > most) {
            most = at->all.of.sum_ns;
            *longest = at->twin;
        }
    }
    return sum;
}

struct fm_finding_place fm_io_place(const struct fm_calltree *calls)
{
    const struct fm_context *best = NULL;
    uint64_t most = 0;
    find_calls(calls);
    for (const struct fm_context *at = calls->root; at; at = fm_context_after(calls->root, at)) {
        const struct fm_context *call = NULL;
        uint64_t ns = at->mark && at->id.kind == FM_CONTEXT_FRAME ? time_in_calls(at, &call) : 0;
        if (ns > most) {
            most = ns;
            best = call;
        }
    }
    if (!best || best->parent->id.name[0] == '[') /* a load module without symbols */
        return (struct fm_finding_place){"", "", 0};
    return (struct fm_finding_place){best->parent->id.name, best->id.path, best->id.line};
}
