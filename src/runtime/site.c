/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/site.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/basename.h"
#include "base/names.h"
#include "generated/routines.h"
#include "mpi/libraries.h"
#include "runtime/interpose/object.h"
#include "runtime/load_modules.h"
#include "runtime/signal/cfi.h"

enum { MAX_BINDING_FRAMES = 6 };

/* ---- load modules ---- */

/* The run-time libraries of Fortran compilers, which do the I/O of Fortran programs. */
static bool is_fortran_library(const char *name)
{
    static const char names[][16] = {"libgfortran.", "libifcore", "libflang", "libFortran", "libnvf."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fm_begins_with(name, names[i]))
            return true;
    return false;
}

static struct fm_site_range range_of(uintptr_t address)
{
    uint32_t n = __atomic_load_n(&fm_rt.site.n_ranges, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (address - fm_rt.site.ranges[i].start < fm_rt.site.ranges[i].end - fm_rt.site.ranges[i].start)
            return fm_rt.site.ranges[i];
    struct fm_load_module module;
    if (!fm_load_module_find(address, &module))
        return (struct fm_site_range){.mpi = false};
    const char *name = fm_basename(module.path);
    struct fm_site_range range = {module.start, module.end,
                                  fm_mpi_is_library(name) || fm_begins_with(name, "libfathom."),
                                  fm_mpi_is_fortran_binding(name), is_fortran_library(name)};
    fm_lock(&fm_rt.site.ranges_lock);
    if (fm_rt.site.n_ranges < FM_SITE_RANGES) {
        fm_rt.site.ranges[fm_rt.site.n_ranges] = range;
        __atomic_store_n(&fm_rt.site.n_ranges, fm_rt.site.n_ranges + 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.site.ranges_lock);
    return range;
}

void fm_site_forget(const struct fm_segment_module *module)
{
    for (uint32_t i = 0; i < fm_rt.site.n_ranges; i++)
        if (fm_rt.site.ranges[i].start == module->start)
            __atomic_store_n(&fm_rt.site.ranges[i].end, fm_rt.site.ranges[i].start, __ATOMIC_RELAXED);
}

bool fm_site_in_mpi(uintptr_t address)
{
    return range_of(address).mpi;
}

bool fm_site_in_fortran_binding(uintptr_t address)
{
    return range_of(address).fortran_binding;
}

bool fm_site_in_fortran_library(uintptr_t address)
{
    return range_of(address).fortran_library;
}

/* ---- frames of language bindings ---- */

/* "pmpi_alltoallw_", "ompi_alltoallw_f", "mpi_alltoallw_f08_", "MPIR_Alltoallw_cdesc" -> "alltoallw" */
static void plain_routine_name(const char *symbol, char plain[64])
{
    static const char prefixes[][8] = {"pmpi_", "ompi_", "mpi_", "pmpir_", "mpir_"};
    static const char suffixes[][12] = {"_f08ts_", "_f08_", "_f08ts", "_f08", "_cdesc", "__", "_f", "_"};
    size_t n = 0;
    for (; symbol[n] && n < 63; n++)
        plain[n] = (char)tolower((unsigned char)symbol[n]);
    plain[n] = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (fm_begins_with(plain, prefixes[i])) {
            n -= strlen(prefixes[i]);
            memmove(plain, plain + strlen(prefixes[i]), n + 1);
            break;
        }
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && strcmp(plain + n - length, suffixes[i]) == 0) {
            plain[n - length] = 0;
            return;
        }
    }
}

/* A binding also calls MPI for its own purposes (mpi_alltoallw_ queries the size of the communicator). Such a call was
 * not made by the program. It is recognised by the name of the binding's function, which is that of another routine. */
static bool is_internal_call(uintptr_t pc, unsigned routine)
{
    const struct link_map *module = fm_object_at((const void *)(pc - 1));
    struct fm_object object;
    const char *function = module && fm_object_read(&object, module->l_addr, module->l_ld)
                               ? fm_object_function_at(&object, pc - 1)
                               : NULL;
    char caller[64];
    if (!function)
        return false;
    plain_routine_name(function, caller);
    const char *own = fm_routine_name(routine) + strlen("MPI_");
    if (strcasecmp(caller, own) == 0)
        return false;
    for (unsigned i = 0; i < FM_ROUTINE_COUNT; i++)
        if (strcasecmp(fm_routine_name(i) + strlen("MPI_"), caller) == 0)
            return true;
    return false;
}

/* The unwind rule of a function that has called us. Its frame is complete, and only rules of this simple form are
 * supported. */
static bool rule_of_call(uintptr_t pc, struct fm_cfi_rule *rule)
{
    struct fm_cfi_module module;
    struct fm_cfi_memory memory = {0};
    return fm_cfi_find_module(pc - 1, &module) && fm_cfi_rule_at(&module, pc - 1, &memory, rule) &&
           rule->cfa_kind == FM_CFA_REGISTER && rule->ra_kind == FM_RA_SAVED && rule->fp_kind != FM_FP_AT_FP &&
           (rule->cfa_register == FM_DWARF_SP || rule->cfa_register == FM_DWARF_FP);
}

static void read_rule(struct fm_frame_rule *slot, unsigned routine, uintptr_t pc)
{
    struct fm_cfi_rule rule;
    *slot = (struct fm_frame_rule){.pc = pc, .kind = FM_FRAME_OPAQUE};
    fm_rt.seen_fortran |= fm_site_in_fortran_binding(pc);
    if (is_internal_call(pc, routine)) {
        slot->kind = FM_FRAME_INTERNAL;
    } else if (rule_of_call(pc, &rule)) {
        slot->kind = FM_FRAME_BINDING;
        slot->cfa_from_fp = rule.cfa_register == FM_DWARF_FP;
        slot->fp_saved = rule.fp_kind == FM_FP_AT_CFA;
        slot->cfa_offset = rule.cfa_offset;
        slot->ra_offset = rule.ra_offset;
        slot->fp_offset = rule.fp_offset;
    }
}

enum { PROBES = 8 };

/* Returns true if an address is outside MPI, and remembers it unless the slot is shared: calls of such threads always
 * take the slow path. */
static bool is_site(struct fm_thread *self, uintptr_t pc)
{
    unsigned home = fm_site_hash(pc), at = home;
    for (; at < home + PROBES && self->sites[at % FM_SITE_SLOTS]; at++)
        if (FM_LIKELY(self->sites[at % FM_SITE_SLOTS] == pc))
            return true;
    if (fm_site_in_mpi(pc))
        return false;
    if (!self->shared)
        self->sites[(at < home + PROBES ? at : home) % FM_SITE_SLOTS] = pc;
    return true;
}

static struct fm_frame_rule *rule_slot(struct fm_thread *self, uintptr_t pc)
{
    unsigned home = fm_site_hash(pc) % FM_FRAME_SLOTS;
    for (unsigned i = 0; i < PROBES; i++) {
        struct fm_frame_rule *rule = &self->frames[(home + i) % FM_FRAME_SLOTS];
        if (FM_LIKELY(rule->pc == pc) || rule->pc == 0)
            return rule;
    }
    return &self->frames[home];
}

struct fm_binding fm_bindings[2 * FM_ROUTINE_COUNT];

/* Frames of bindings that were stepped over, innermost first. */
struct frames {
    struct fm_frame_rule rules[2];
    int n;
};

/* Records one or two frames of fixed size of the first binding that calls a routine (see fm_site_outside_binding). */
static void record_binding(struct fm_binding *binding, const struct frames *frames)
{
    const struct fm_frame_rule *first = &frames->rules[0], *second = &frames->rules[1];
    if (frames->n < 1 || frames->n > 2 || first->cfa_from_fp || second->cfa_from_fp)
        return;
    uintptr_t calls_from = __atomic_load_n(&binding->calls_from, __ATOMIC_RELAXED);
    if (calls_from &&
        (frames->n == 1 || calls_from != first->pc || __atomic_load_n(&binding->through, __ATOMIC_RELAXED)))
        return;
    fm_lock(&fm_rt.site.bindings_lock);
    if (!binding->calls_from) {
        binding->return_at = (uint64_t)((int64_t)first->cfa_offset + first->ra_offset);
        __atomic_store_n(&binding->calls_from, first->pc, __ATOMIC_RELEASE);
    }
    if (frames->n == 2 && binding->calls_from == first->pc && !binding->through) {
        binding->return_beyond = (uint64_t)((int64_t)first->cfa_offset + second->cfa_offset + second->ra_offset);
        __atomic_store_n(&binding->through, second->pc, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.site.bindings_lock);
}

static uintptr_t step_over_bindings(struct fm_thread *self, unsigned routine, struct fm_frame frame,
                                    struct frames *skipped)
{
    for (; skipped->n < MAX_BINDING_FRAMES; skipped->n++) {
        struct fm_frame_rule *rule = rule_slot(self, frame.pc);
        if (rule->pc != frame.pc) {
            if (FM_LIKELY(is_site(self, frame.pc)))
                return frame.pc;
            read_rule(rule, routine, frame.pc);
        }
        uintptr_t cfa = (rule->cfa_from_fp ? *frame.fp : frame.sp) + (uintptr_t)(intptr_t)rule->cfa_offset;
        if (FM_UNLIKELY(rule->kind == FM_FRAME_INTERNAL && skipped->n == 0))
            return FM_SITE_IGNORE;
        if (FM_UNLIKELY(rule->kind != FM_FRAME_BINDING || cfa < frame.sp))
            return frame.pc;
        if (rule->fp_saved)
            frame.fp = (const uintptr_t *)(cfa + (uintptr_t)(intptr_t)rule->fp_offset);
        frame.pc = *(const uintptr_t *)(cfa + (uintptr_t)(intptr_t)rule->ra_offset);
        frame.sp = cfa;
        if (skipped->n < 2)
            skipped->rules[skipped->n] = *rule;
    }
    return frame.pc;
}

uintptr_t fm_site_find(struct fm_thread *self, unsigned routine, bool is_pmpi, struct fm_frame frame)
{
    struct frames skipped = {.n = 0};
    if (FM_UNLIKELY(self->shared))
        fm_lock(&self->lock);
    uintptr_t site = step_over_bindings(self, routine, frame, &skipped);
    if (FM_UNLIKELY(self->shared))
        fm_unlock(&self->lock);
    record_binding(&fm_bindings[2 * routine + is_pmpi], &skipped);
    return site;
}
