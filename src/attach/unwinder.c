/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/unwinder.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/uio.h>

#include "base/basename.h"
#include "base/clock.h"
#include "base/ucontext.h"
#include "generated/routines.h"
#include "mpi/function_names.h"
#include "mpi/libraries.h"

enum { MAX_FRAMES = FM_CALL_PATHS_DEPTH - 2, PLACES = 1 << 14 };
#define REPORT_INTERVAL_NS 1000000000u /* minimum interval between updates of the list of load modules */

struct unwound_frame {
    uint64_t pc;
    bool call; /* pc is a return address */
};

/* A lossy cache of places by address. */
struct known {
    uint64_t pc;
    struct fm_code_place place;
    bool call, used;
};

enum program { PROGRAM_UNKNOWN, PROGRAM_HAS_ROUTINES, PROGRAM_HAS_NONE };

struct fm_dwfl_unwinder {
    Dwfl *dwfl;
    pid_t thread; /* sampled last: the main thread of the process may have ended */
    const char *exe;
    enum program program; /* whether it contains MPI routines */
    uint64_t reported_ns;
    const struct fm_capture *capture;
    uint64_t pc; /* where unwinding begins */
    struct unwound_frame frames[MAX_FRAMES];
    struct fm_code_place places[MAX_FRAMES];
    size_t n;
    struct known known[PLACES];
};

/* ---- callbacks of elfutils ---- */

/* The .eh_frame tables of the load modules suffice, and a search for debug files takes long. */
static int no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                        const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

static pid_t no_more_threads(Dwfl *dwfl, void *unwinder, void **thread)
{
    (void)dwfl;
    *thread = unwinder;
    return 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *unwinder, void **thread)
{
    (void)dwfl, (void)tid;
    *thread = unwinder;
    return true;
}

/* Words beyond the captured part of the stack belong to outer frames and have most likely not changed. */
static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    const struct fm_dwfl_unwinder *unwinder = context;
    const struct fm_capture *capture = unwinder->capture;
    (void)dwfl;
    if (address >= capture->stack_low && address - capture->stack_low + sizeof *word <= capture->bytes) {
        memcpy(word, capture->stack + (address - capture->stack_low), sizeof *word);
        return true;
    }
    if (address < capture->sp || address + sizeof *word > capture->stack_end)
        return false;
    struct iovec to = {word, sizeof *word};
    struct iovec from = {(void *)(uintptr_t)address, sizeof *word}; // NOLINT(performance-no-int-to-ptr)
    return process_vm_readv(unwinder->thread, &to, 1, &from, 1, 0) == (ssize_t)sizeof *word;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct fm_dwfl_unwinder *unwinder = context;
    const struct fm_capture *capture = unwinder->capture;
    Dwarf_Word registers[FM_REGISTERS];
    for (int i = 0; i < FM_REGISTERS; i++)
        registers[i] = capture->registers[i];
    dwfl_thread_state_register_pc(thread, unwinder->pc);
    return capture->asleep ? dwfl_thread_state_registers(thread, FM_DWARF_SP, 1, &(Dwarf_Word){capture->sp})
                           : dwfl_thread_state_registers(thread, 0, FM_REGISTERS, registers);
}

static const Dwfl_Callbacks files = {.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debuginfo};
static const Dwfl_Thread_Callbacks threads = {.next_thread = no_more_threads,
                                              .get_thread = get_thread,
                                              .memory_read = read_word,
                                              .set_initial_registers = set_registers};

static bool report(struct fm_dwfl_unwinder *unwinder)
{
    unwinder->reported_ns = fm_clock_ns(CLOCK_MONOTONIC);
    memset(unwinder->known, 0, sizeof unwinder->known);
    dwfl_report_begin(unwinder->dwfl);
    bool found = dwfl_linux_proc_report(unwinder->dwfl, unwinder->thread) == 0;
    return dwfl_report_end(unwinder->dwfl, NULL, NULL) == 0 && found;
}

struct fm_dwfl_unwinder *fm_dwfl_unwinder_open(pid_t thread, const char *exe)
{
    struct fm_dwfl_unwinder *unwinder = calloc(1, sizeof *unwinder);
    if (!unwinder)
        return NULL;
    unwinder->thread = thread;
    unwinder->exe = exe;
    unwinder->dwfl = dwfl_begin(&files);
    if (unwinder->dwfl && report(unwinder) && dwfl_attach_state(unwinder->dwfl, NULL, thread, &threads, unwinder))
        return unwinder;
    fm_dwfl_unwinder_close(unwinder);
    return NULL;
}

void fm_dwfl_unwinder_close(struct fm_dwfl_unwinder *unwinder)
{
    if (unwinder && unwinder->dwfl)
        dwfl_end(unwinder->dwfl);
    free(unwinder);
}

/* ---- places ---- */

/* "MPI_Recv" for MPI_Recv and PMPI_Recv, and for the names of bindings in libraries of MPI. */
static uint32_t routine_of(const char *symbol, const char *module)
{
    bool binding = fm_mpi_is_named(fm_basename(module));
    const char *name = binding ? strcasestr(symbol, "mpi_") : symbol + (symbol[0] == 'P');
    if (!name || strncasecmp(name, "mpi_", 4) != 0)
        return 0;
    for (uint32_t i = 0; i < FM_ROUTINE_COUNT; i++)
        if (binding ? fm_mpi_is_binding_of(name, fm_routine_name(i)) : strcmp(name, fm_routine_name(i)) == 0)
            return i + 1;
    return 0;
}

static bool is_start(const char *symbol, const char *module)
{
    const char *file = fm_basename(module);
    return strcmp(symbol, "_start") == 0 || strncmp(file, "libc.so", 7) == 0 || strncmp(file, "libc-2", 6) == 0 ||
           strncmp(file, "libpthread", 10) == 0 || strncmp(file, "ld-", 3) == 0;
}

static void build_id_text(Dwfl_Module *module, char *text, size_t size)
{
    const unsigned char *bits;
    GElf_Addr address;
    int n = dwfl_module_build_id(module, &bits, &address);
    text[0] = 0;
    for (int i = 0; i < n && 2 * (size_t)i + 3 <= size; i++)
        snprintf(text + 2 * i, 3, "%02x", bits[i]);
}

/* Linked statically with MPI or with wrappers of MPI. */
static bool has_routines(Dwfl_Module *module)
{
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    for (int i = 0, n = dwfl_module_getsymtab(module); i < n; i++) {
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);
        if (name && section != SHN_UNDEF && routine_of(name, ""))
            return true;
    }
    return false;
}

/* Whether the name of the function matters: finding it searches all symbols of the file. The program itself has many
 * places that are not return addresses, and only its outermost function and MPI routines need a name. */
static bool needs_name(struct fm_dwfl_unwinder *unwinder, Dwfl_Module *module, const char *path, bool call)
{
    const char *file = fm_basename(path);
    if (fm_mpi_is_named(file) || strncmp(file, "libfathom", 9) == 0)
        return true;
    if (strcmp(path, unwinder->exe) != 0)
        return false;
    if (unwinder->program == PROGRAM_UNKNOWN)
        unwinder->program = has_routines(module) ? PROGRAM_HAS_ROUTINES : PROGRAM_HAS_NONE;
    return call || unwinder->program == PROGRAM_HAS_ROUTINES;
}

static struct fm_code_place find_place(struct fm_dwfl_unwinder *unwinder, uint64_t pc, bool call,
                                       struct fm_attach_samples *samples)
{
    struct fm_code_place place = {.offset = pc};
    uint64_t inside = pc - call;
    Dwfl_Module *module = dwfl_addrmodule(unwinder->dwfl, inside);
    Dwarf_Addr start;
    GElf_Addr bias = 0;
    char build_id[130];
    if (!module)
        return place;
    const char *name = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    bool file = name && name[0] == '/';
    const char *symbol = file && needs_name(unwinder, module, name, call) ? dwfl_module_addrname(module, inside) : NULL;
    if (!dwfl_module_getelf(module, &bias))
        bias = start;
    build_id_text(module, build_id, sizeof build_id);
    place.module = file ? fm_attach_samples_module(samples, name, build_id) : 0;
    place.offset = pc - bias;
    place.routine = symbol ? routine_of(symbol, name) : 0;
    place.outermost = file && is_start(symbol ? symbol : "", name);
    place.own = file && !place.outermost && strcmp(name, unwinder->exe) == 0;
    return place;
}

static struct fm_code_place place_of(struct fm_dwfl_unwinder *unwinder, const struct unwound_frame *frame,
                                     struct fm_attach_samples *samples)
{
    struct known *known = &unwinder->known[(frame->pc >> 2 ^ frame->pc >> 16) % PLACES];
    if (!known->used || known->pc != frame->pc || known->call != frame->call)
        *known = (struct known){frame->pc, find_place(unwinder, frame->pc, frame->call, samples), frame->call, true};
    return known->place;
}

/* ---- PLT stubs ---- */

/* Calls to other libraries pass through PLT code, which has no frame and no unwind tables. */
static bool is_stub(struct fm_dwfl_unwinder *unwinder, uint64_t pc)
{
    Dwfl_Module *module = dwfl_addrmodule(unwinder->dwfl, pc);
    Dwarf_Addr bias, inside = pc;
    size_t names;
    GElf_Shdr header;
    Elf_Scn *section = module ? dwfl_module_address_section(module, &inside, &bias) : NULL;
    Elf *elf = section ? dwfl_module_getelf(module, &bias) : NULL;
    if (!elf || !gelf_getshdr(section, &header) || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    const char *name = elf_strptr(elf, names, header.sh_name);
    return name && strncmp(name, ".plt", 4) == 0;
}

/* Unwinding begins at the return address of the stub, with the same registers. On x86-64 there are tables for them, as
 * the return address is on the stack where they expect it. */
static void step_out_of_stub(struct fm_dwfl_unwinder *unwinder)
{
    unwinder->frames[unwinder->n++] = (struct unwound_frame){unwinder->pc, false};
    unwinder->pc = fm_plain_address(unwinder->capture->registers[FM_DWARF_RA]);
}

/* ---- call paths ---- */

static int add_frame(Dwfl_Frame *state, void *context)
{
    struct fm_dwfl_unwinder *unwinder = context;
    Dwarf_Addr pc;
    bool activation;
    if (unwinder->n == MAX_FRAMES || !dwfl_frame_pc(state, &pc, &activation))
        return DWARF_CB_ABORT;
    pc = fm_plain_address(pc);
    if (!pc)
        return DWARF_CB_ABORT;
    bool by_stub = unwinder->n == 1 && unwinder->pc != unwinder->capture->pc;
    unwinder->frames[unwinder->n++] = (struct unwound_frame){pc, by_stub || !activation};
    return DWARF_CB_OK;
}

/* Load modules may have been added since the last update. */
static void refresh_modules(struct fm_dwfl_unwinder *unwinder, uint64_t pc)
{
    if (!dwfl_addrmodule(unwinder->dwfl, pc) &&
        fm_clock_ns(CLOCK_MONOTONIC) - unwinder->reported_ns > REPORT_INTERVAL_NS)
        report(unwinder);
}

/* The call path without the inside of MPI. */
static uint32_t make_path(struct fm_dwfl_unwinder *unwinder, struct fm_attach_samples *samples, bool complete)
{
    const struct fm_code_place *places = unwinder->places;
    uint32_t node = complete ? 0 : fm_attach_samples_below(samples, 0, FM_PATH_GAP, NULL);
    for (size_t i = unwinder->n; i-- > 0;) {
        if (places[i].routine)
            return fm_attach_samples_below(samples, node, FM_PATH_ROUTINE, &places[i]);
        struct fm_code_place place = places[i];
        if (i && !unwinder->frames[i].call)
            place.offset++; /* interrupted here, not a call: so that the address before it belongs to this line too */
        node = fm_attach_samples_below(samples, node, i ? FM_PATH_CALL : FM_PATH_LEAF, &place);
    }
    return node;
}

struct fm_unwound fm_dwfl_unwinder_unwind(struct fm_dwfl_unwinder *unwinder, pid_t thread,
                                          const struct fm_capture *capture, struct fm_attach_samples *samples)
{
    struct fm_unwound walked = {0};
    unwinder->thread = thread;
    unwinder->capture = capture;
    unwinder->pc = capture->pc;
    unwinder->n = 0;
    refresh_modules(unwinder, capture->pc);
    if (FM_CALL_KEEPS_RA_IN_REGISTER && !capture->asleep && is_stub(unwinder, capture->pc))
        step_out_of_stub(unwinder);
    bool ended = dwfl_getthread_frames(unwinder->dwfl, thread, add_frame, unwinder) == 0;
    if (!unwinder->n)
        unwinder->frames[unwinder->n++] = (struct unwound_frame){capture->pc, false};
    for (size_t i = unwinder->n; i-- > 0;) {
        unwinder->places[i] = place_of(unwinder, &unwinder->frames[i], samples);
        walked.own |= unwinder->places[i].own;
        if (unwinder->places[i].routine)
            break; /* the path ends here */
    }
    walked.complete = ended || (unwinder->n > 1 && unwinder->places[unwinder->n - 1].outermost);
    walked.node = make_path(unwinder, samples, walked.complete);
    return walked;
}
