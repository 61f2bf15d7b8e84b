/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/walk.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/uio.h>

#include "base/basename.h"
#include "base/clock.h"
#include "base/context.h"
#include "generated/routines.h"
#include "mpi/libraries.h"

enum { MOST_FRAMES = FM_CALL_PATHS_DEPTH - 2, PLACES = 1 << 14 };
#define REPORT_AGAIN_NS 1000000000u /* modules that come and go are looked for at most that often */

struct unwound_frame {
    uint64_t pc;
    bool call; /* pc is where a call returns to */
};

/* Known already, by address: a table that forgets. */
struct known {
    uint64_t pc;
    struct fm_code_place place;
    bool call, used;
};

enum program { PROGRAM_UNKNOWN, PROGRAM_HAS_ROUTINES, PROGRAM_HAS_NONE };

struct fm_walker {
    Dwfl *dwfl;
    pid_t thread; /* that was looked at last: the first of the process may have ended */
    const char *exe;
    enum program program; /* of MPI */
    uint64_t reported_ns;
    const struct fm_shot *shot;
    uint64_t pc; /* where the walk begins */
    struct unwound_frame frames[MOST_FRAMES];
    struct fm_code_place places[MOST_FRAMES];
    size_t n;
    struct known known[PLACES];
};

/* ---- what elfutils asks for ---- */

/* The tables that programs are loaded with are enough, and searching for others takes long. */
static int no_debug(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                    const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

static pid_t no_more_threads(Dwfl *dwfl, void *walker, void **thread)
{
    (void)dwfl;
    *thread = walker;
    return 0;
}

static bool the_thread(Dwfl *dwfl, pid_t tid, void *walker, void **thread)
{
    (void)dwfl, (void)tid;
    *thread = walker;
    return true;
}

/* What lies beyond the picture is far out on the stack, and has most likely stayed. */
static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    const struct fm_walker *walker = context;
    const struct fm_shot *shot = walker->shot;
    (void)dwfl;
    if (address >= shot->stack_low && address - shot->stack_low + sizeof *word <= shot->bytes) {
        memcpy(word, shot->stack + (address - shot->stack_low), sizeof *word);
        return true;
    }
    if (address < shot->sp || address + sizeof *word > shot->stack_end)
        return false;
    struct iovec to = {word, sizeof *word};
    struct iovec from = {(void *)(uintptr_t)address, sizeof *word}; // NOLINT(performance-no-int-to-ptr)
    return process_vm_readv(walker->thread, &to, 1, &from, 1, 0) == (ssize_t)sizeof *word;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct fm_walker *walker = context;
    const struct fm_shot *shot = walker->shot;
    Dwarf_Word registers[FM_REGISTERS];
    for (int i = 0; i < FM_REGISTERS; i++)
        registers[i] = shot->registers[i];
    dwfl_thread_state_register_pc(thread, walker->pc);
    return shot->asleep ? dwfl_thread_state_registers(thread, FM_DWARF_SP, 1, &(Dwarf_Word){shot->sp})
                        : dwfl_thread_state_registers(thread, 0, FM_REGISTERS, registers);
}

static const Dwfl_Callbacks files = {.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debug};
static const Dwfl_Thread_Callbacks threads = {.next_thread = no_more_threads,
                                              .get_thread = the_thread,
                                              .memory_read = read_word,
                                              .set_initial_registers = set_registers};

static bool report(struct fm_walker *walker)
{
    walker->reported_ns = fm_clock_ns(CLOCK_MONOTONIC);
    memset(walker->known, 0, sizeof walker->known);
    dwfl_report_begin(walker->dwfl);
    bool found = dwfl_linux_proc_report(walker->dwfl, walker->thread) == 0;
    return dwfl_report_end(walker->dwfl, NULL, NULL) == 0 && found;
}

struct fm_walker *fm_walker_open(pid_t thread, const char *exe)
{
    struct fm_walker *walker = calloc(1, sizeof *walker);
    if (!walker)
        return NULL;
    walker->thread = thread;
    walker->exe = exe;
    walker->dwfl = dwfl_begin(&files);
    if (walker->dwfl && report(walker) && dwfl_attach_state(walker->dwfl, NULL, thread, &threads, walker))
        return walker;
    fm_walker_close(walker);
    return NULL;
}

void fm_walker_close(struct fm_walker *walker)
{
    if (walker && walker->dwfl)
        dwfl_end(walker->dwfl);
    free(walker);
}

/* ---- places ---- */

/* "MPI_Recv" for MPI_Recv and PMPI_Recv, and in MPI's own libraries for what their bindings are called. */
static uint32_t routine_of(const char *symbol, const char *module)
{
    static const char *const endings[] = {"", "_", "__", "_f", "_f_", "_f08", "_f08_", "_f08ts_", "_fts_"};
    bool binding = fm_mpi_is_named(fm_basename(module));
    const char *name = binding ? strcasestr(symbol, "mpi_") : symbol + (symbol[0] == 'P');
    if (!name || strncasecmp(name, "mpi_", 4) != 0)
        return 0;
    for (uint32_t i = 0; i < FM_ROUTINE_COUNT; i++) {
        size_t length = strlen(fm_routine_name(i));
        if (!binding && strcmp(name, fm_routine_name(i)) == 0)
            return i + 1;
        if (!binding || strncasecmp(name, fm_routine_name(i), length) != 0)
            continue;
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
            if (strcmp(name + length, endings[e]) == 0)
                return i + 1;
    }
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

/* Linked with MPI itself, or with somebody's wrappers. */
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

/* Whether the name of the function matters: finding it takes a look at all symbols of the file. In the program itself
 * places are many that were not called from, and only the outermost function and MPI's are to be known. */
static bool needs_name(struct fm_walker *walker, Dwfl_Module *module, const char *path, bool call)
{
    const char *file = fm_basename(path);
    if (fm_mpi_is_named(file) || strncmp(file, "libfathom", 9) == 0)
        return true;
    if (strcmp(path, walker->exe) != 0)
        return false;
    if (walker->program == PROGRAM_UNKNOWN)
        walker->program = has_routines(module) ? PROGRAM_HAS_ROUTINES : PROGRAM_HAS_NONE;
    return call || walker->program == PROGRAM_HAS_ROUTINES;
}

static struct fm_code_place find_place(struct fm_walker *walker, uint64_t pc, bool call, struct fm_samples *samples)
{
    struct fm_code_place place = {.offset = pc};
    uint64_t inside = pc - call;
    Dwfl_Module *module = dwfl_addrmodule(walker->dwfl, inside);
    Dwarf_Addr start;
    GElf_Addr bias = 0;
    char build_id[130];
    if (!module)
        return place;
    const char *name = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    bool file = name && name[0] == '/';
    const char *symbol = file && needs_name(walker, module, name, call) ? dwfl_module_addrname(module, inside) : NULL;
    if (!dwfl_module_getelf(module, &bias))
        bias = start;
    build_id_text(module, build_id, sizeof build_id);
    place.module = file ? fm_samples_module(samples, name, build_id) : 0;
    place.offset = pc - bias;
    place.routine = symbol ? routine_of(symbol, name) : 0;
    place.outermost = file && is_start(symbol ? symbol : "", name);
    place.own = file && !place.outermost && strcmp(name, walker->exe) == 0;
    return place;
}

static struct fm_code_place place_of(struct fm_walker *walker, const struct unwound_frame *frame,
                                     struct fm_samples *samples)
{
    struct known *known = &walker->known[(frame->pc >> 2 ^ frame->pc >> 16) % PLACES];
    if (!known->used || known->pc != frame->pc || known->call != frame->call)
        *known = (struct known){frame->pc, find_place(walker, frame->pc, frame->call, samples), frame->call, true};
    return known->place;
}

/* ---- stubs ---- */

/* Where calls of other libraries pass through code that no table for unwinding describes, and that has no frame. */
static bool is_stub(struct fm_walker *walker, uint64_t pc)
{
    Dwfl_Module *module = dwfl_addrmodule(walker->dwfl, pc);
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

/* The walk begins where the stub returns to, with the same registers. On x86-64 tables have them, because a return address
 * that was pushed lies where they say. */
static void step_out_of_stub(struct fm_walker *walker)
{
    walker->frames[walker->n++] = (struct unwound_frame){walker->pc, false};
    walker->pc = fm_plain_address(walker->shot->registers[FM_DWARF_RA]);
}

/* ---- paths ---- */

static int add_frame(Dwfl_Frame *state, void *context)
{
    struct fm_walker *walker = context;
    Dwarf_Addr pc;
    bool activation;
    if (walker->n == MOST_FRAMES || !dwfl_frame_pc(state, &pc, &activation))
        return DWARF_CB_ABORT;
    pc = fm_plain_address(pc);
    if (!pc)
        return DWARF_CB_ABORT;
    bool by_stub = walker->n == 1 && walker->pc != walker->shot->pc;
    walker->frames[walker->n++] = (struct unwound_frame){pc, by_stub || !activation};
    return DWARF_CB_OK;
}

/* Modules may have come since they were looked at. */
static void follow_modules(struct fm_walker *walker, uint64_t pc)
{
    if (!dwfl_addrmodule(walker->dwfl, pc) && fm_clock_ns(CLOCK_MONOTONIC) - walker->reported_ns > REPORT_AGAIN_NS)
        report(walker);
}

/* The call path without what MPI does inside. */
static uint32_t make_path(struct fm_walker *walker, struct fm_samples *samples, bool complete)
{
    const struct fm_code_place *places = walker->places;
    uint32_t node = complete ? 0 : fm_samples_below(samples, 0, FM_PATH_GAP, NULL);
    for (size_t i = walker->n; i-- > 0;) {
        if (places[i].routine)
            return fm_samples_below(samples, node, FM_PATH_ROUTINE, &places[i]);
        struct fm_code_place place = places[i];
        if (i && !walker->frames[i].call)
            place.offset++; /* interrupted here, not called: so that the address before it is in this line too */
        node = fm_samples_below(samples, node, i ? FM_PATH_CALL : FM_PATH_LEAF, &place);
    }
    return node;
}

struct fm_walked fm_walker_walk(struct fm_walker *walker, pid_t thread, const struct fm_shot *shot,
                                struct fm_samples *samples)
{
    struct fm_walked walked = {0};
    walker->thread = thread;
    walker->shot = shot;
    walker->pc = shot->pc;
    walker->n = 0;
    follow_modules(walker, shot->pc);
    if (FM_CALL_KEEPS_RA_IN_REGISTER && !shot->asleep && is_stub(walker, shot->pc))
        step_out_of_stub(walker);
    bool ended = dwfl_getthread_frames(walker->dwfl, thread, add_frame, walker) == 0;
    if (!walker->n)
        walker->frames[walker->n++] = (struct unwound_frame){shot->pc, false};
    for (size_t i = walker->n; i-- > 0;) {
        walker->places[i] = place_of(walker, &walker->frames[i], samples);
        walked.own |= walker->places[i].own;
        if (walker->places[i].routine)
            break; /* the path ends here */
    }
    walked.complete = ended || (walker->n > 1 && walker->places[walker->n - 1].outermost);
    walked.node = make_path(walker, samples, walked.complete);
    return walked;
}
