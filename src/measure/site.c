#define _GNU_SOURCE
#include "measure/site.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "generated/routines.h"
#include "measure/signal/cfi.h"

enum { MAX_BINDING_FRAMES = 6 };

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_fortran_binding(const char *name)
{
    return starts_with(name, "libmpi_mpifh") || starts_with(name, "libmpi_usempi") || starts_with(name, "libmpichf") ||
           starts_with(name, "libmpifort") || starts_with(name, "libmpichfort");
}

static bool is_mpi_library(const char *name)
{
    return starts_with(name, "libmpi.") || starts_with(name, "libmpi_") || starts_with(name, "libmpich") ||
           starts_with(name, "libmpicxx") || starts_with(name, "libpmpi") || starts_with(name, "libmpifort") ||
           starts_with(name, "libmpi-") || starts_with(name, "libfathom.");
}

/* ---- load modules ---- */

struct found {
    uintptr_t address, start, end, bias;
    const char *path;
    const uint8_t *build_id;
    size_t build_id_bytes;
};

static void find_build_id(struct dl_phdr_info *info, const ElfW(Phdr) * note, struct found *found)
{
    const uint8_t *at = (const uint8_t *)(info->dlpi_addr + note->p_vaddr), *end = at + note->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *n = (const void *)at;
        const uint8_t *name = at + sizeof *n, *value = name + ((n->n_namesz + 3u) & ~3u);
        if (value > end || (size_t)(end - value) < n->n_descsz)
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            found->build_id = value;
            found->build_id_bytes = n->n_descsz;
            return;
        }
        at = value + ((n->n_descsz + 3u) & ~3u);
    }
}

/* Only code counts: between that of one module and its data another may lie, as the kernel's does inside the loader. */
static int find_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct found *found = data;
    uintptr_t start = UINTPTR_MAX, end = 0;
    bool inside = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        start = from < start ? from : start;
        end = from + p->p_memsz > end ? from + p->p_memsz : end;
        inside |= found->address - from < p->p_memsz;
    }
    if (!inside)
        return 0;
    *found = (struct found){found->address, start, end, info->dlpi_addr, info->dlpi_name, NULL, 0};
    for (int i = 0; i < info->dlpi_phnum && !found->build_id; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            find_build_id(info, &info->dlpi_phdr[i], found);
    return 1;
}

/* Modules seen so far, so that the loader is asked once for each; of one that was unloaded the range is empty. */
enum { RANGES = 1024 };
static struct range {
    uintptr_t start, end;
    bool mpi, fortran_binding;
} ranges[RANGES];
static uint32_t n_ranges;
static struct fm_mutex ranges_lock;

static struct range range_of(uintptr_t address)
{
    uint32_t n = __atomic_load_n(&n_ranges, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (address - ranges[i].start < ranges[i].end - ranges[i].start)
            return ranges[i];
    struct found found = {.address = address};
    if (!dl_iterate_phdr(find_module, &found))
        return (struct range){.mpi = false};
    const char *name = fm_last_part(found.path);
    struct range range = {found.start, found.end, is_mpi_library(name), is_fortran_binding(name)};
    fm_lock(&ranges_lock);
    if (n_ranges < RANGES) {
        ranges[n_ranges] = range;
        __atomic_store_n(&n_ranges, n_ranges + 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&ranges_lock);
    return range;
}

bool fm_site_in_mpi(uintptr_t address)
{
    return range_of(address).mpi;
}

bool fm_site_in_fortran_binding(uintptr_t address)
{
    return range_of(address).fortran_binding;
}

/* ---- frames of bindings ---- */

/* "pmpi_alltoallw_", "ompi_alltoallw_f", "mpi_alltoallw_f08_", "MPIR_Alltoallw_cdesc" -> "alltoallw" */
static void plain_routine_name(const char *symbol, char plain[64])
{
    static const char *const prefixes[] = {"pmpi_", "ompi_", "mpi_", "pmpir_", "mpir_"};
    static const char *const suffixes[] = {"_f08ts_", "_f08_", "_f08ts", "_f08", "_cdesc", "__", "_f", "_"};
    size_t n = 0;
    for (; symbol[n] && n < 63; n++)
        plain[n] = (char)tolower((unsigned char)symbol[n]);
    plain[n] = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (starts_with(plain, prefixes[i])) {
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

/* A binding calls MPI for its own needs as well (mpi_alltoallw_ asks for the communicator's size): such a call was
 * not made by the program. It shows by the name of the binding's function, which is that of another routine. */
static bool is_internal_call(uintptr_t pc, unsigned routine)
{
    Dl_info info;
    char caller[64];
    if (!dladdr((void *)(pc - 1), &info) || !info.dli_sname)
        return false;
    plain_routine_name(info.dli_sname, caller);
    const char *own = fm_routine_names[routine] + strlen("MPI_");
    if (strcasecmp(caller, own) == 0)
        return false;
    for (unsigned i = 0; i < FM_ROUTINE_COUNT; i++)
        if (strcasecmp(fm_routine_names[i] + strlen("MPI_"), caller) == 0)
            return true;
    return false;
}

/* Of a function that has called us: its frame is on the stack, and nothing but that is understood here. */
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
        int64_t ra_from_sp = (int64_t)rule.cfa_offset + rule.ra_offset;
        if (!slot->cfa_from_fp && ra_from_sp > 0)
            slot->ra_from_sp = (uint64_t)ra_from_sp;
    }
}

enum { PROBES = 8 };

/* Whether an address lies outside MPI; learns it, unless the slot is shared: its calls go the long way. */
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

static struct fm_frame_rule *place_of_rule(struct fm_thread *self, uintptr_t pc)
{
    unsigned home = fm_site_hash(pc) % FM_FRAME_SLOTS;
    for (unsigned i = 0; i < PROBES; i++) {
        struct fm_frame_rule *rule = &self->frames[(home + i) % FM_FRAME_SLOTS];
        if (FM_LIKELY(rule->pc == pc) || rule->pc == 0)
            return rule;
    }
    return &self->frames[home];
}

static uintptr_t step_over_bindings(struct fm_thread *self, unsigned routine, struct fm_frame frame)
{
    for (int depth = 0; depth < MAX_BINDING_FRAMES; depth++) {
        struct fm_frame_rule *rule = place_of_rule(self, frame.pc);
        if (rule->pc != frame.pc) {
            if (FM_LIKELY(is_site(self, frame.pc)))
                return frame.pc;
            read_rule(rule, routine, frame.pc);
        }
        uintptr_t cfa = (rule->cfa_from_fp ? *frame.fp : frame.sp) + (uintptr_t)(intptr_t)rule->cfa_offset;
        if (FM_UNLIKELY(rule->kind == FM_FRAME_INTERNAL && depth == 0))
            return FM_SITE_IGNORE;
        if (FM_UNLIKELY(rule->kind != FM_FRAME_BINDING || cfa < frame.sp))
            return frame.pc;
        if (rule->fp_saved)
            frame.fp = (const uintptr_t *)(cfa + (uintptr_t)(intptr_t)rule->fp_offset);
        frame.pc = *(const uintptr_t *)(cfa + (uintptr_t)(intptr_t)rule->ra_offset);
        frame.sp = cfa;
    }
    return frame.pc;
}

uintptr_t fm_site_find(struct fm_thread *self, unsigned routine, struct fm_frame frame)
{
    if (FM_LIKELY(!self->shared))
        return step_over_bindings(self, routine, frame);
    fm_lock(&self->lock);
    uintptr_t site = step_over_bindings(self, routine, frame);
    fm_unlock(&self->lock);
    return site;
}

/* ---- the segment's list of load modules ---- */

enum { BUILD_ID_BYTES = 32 };

static size_t build_id_hex(const uint8_t *id, size_t bytes, char hex[2 * BUILD_ID_BYTES + 1])
{
    if (bytes > BUILD_ID_BYTES)
        bytes = BUILD_ID_BYTES;
    for (size_t i = 0; i < bytes; i++) {
        hex[2 * i] = "0123456789abcdef"[id[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
    }
    return 2 * bytes;
}

static uint32_t build_id_text(const uint8_t *id, size_t bytes)
{
    char hex[2 * BUILD_ID_BYTES + 1];
    return fm_text_add(hex, build_id_hex(id, bytes, hex));
}

/* Those that were unloaded. Addresses are no longer looked for in them, but what was recorded stays with them. */
enum { MODULES = 1024 };
static uint64_t unloaded[MODULES / 64];

static bool is_unloaded(uint32_t number)
{
    return number < MODULES && unloaded[number / 64] >> number % 64 & 1;
}

/* The module of the list that an address is in; the caller holds the table lock. */
static bool is_listed(uintptr_t address)
{
    const struct fm_segment_module *modules = fm_section(fm_rt.segment, FM_SECTION_MODULES);
    for (uint32_t i = 0; i < fm_rt.segment->n_modules; i++)
        if (address - modules[i].start < modules[i].end - modules[i].start && !is_unloaded(i))
            return true;
    return false;
}

static bool same_text(uint32_t text, const char *other, size_t length)
{
    return strlen(fm_text_at(text)) == length && memcmp(fm_text_at(text), other, length) == 0;
}

/* Whether a found module is this one of the list, at the same place. */
static bool is_same(const struct fm_segment_module *module, const struct found *found)
{
    char hex[2 * BUILD_ID_BYTES + 1];
    const char *path = *found->path ? found->path : fm_text_at(fm_rt.segment->text_exe);
    return module->start == found->start && module->end == found->end && module->bias == found->bias &&
           same_text(module->text_path, path, strlen(path)) &&
           same_text(module->text_build_id, hex, build_id_hex(found->build_id, found->build_id_bytes, hex));
}

/* The caller holds the table lock. One that was unloaded and is back where it was has its old place. */
static void list_module(const struct found *found)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_segment_module *modules = fm_section(h, FM_SECTION_MODULES);
    for (uint32_t i = 0; i < h->n_modules; i++) {
        if (is_unloaded(i) && is_same(&modules[i], found)) {
            unloaded[i / 64] &= ~(1ull << i % 64);
            return;
        }
    }
    if (h->n_modules == h->sections[FM_SECTION_MODULES].capacity)
        return;
    const char *path = *found->path ? found->path : fm_text_at(h->text_exe);
    modules[h->n_modules] = (struct fm_segment_module){found->start, found->end, found->bias,
                                                       fm_text_add(path, strlen(path)),
                                                       build_id_text(found->build_id, found->build_id_bytes)};
    __atomic_store_n(&h->n_modules, h->n_modules + 1, __ATOMIC_RELEASE);
}

void fm_site_register(uintptr_t address)
{
    if (address == 0)
        return;
    fm_lock(&fm_rt.table_lock);
    bool listed = is_listed(address);
    fm_unlock(&fm_rt.table_lock);
    /* outside the lock: dl_iterate_phdr takes the loader's, and a constructor may call MPI while holding that */
    struct found found = {.address = address};
    if (listed || !dl_iterate_phdr(find_module, &found))
        return;
    fm_lock(&fm_rt.table_lock);
    if (!is_listed(address))
        list_module(&found);
    fm_unlock(&fm_rt.table_lock);
}

static void forget_ranges(const struct fm_segment_module *module)
{
    for (uint32_t i = 0; i < n_ranges; i++)
        if (ranges[i].start == module->start)
            __atomic_store_n(&ranges[i].end, ranges[i].start, __ATOMIC_RELAXED);
}

void fm_site_drop(void (*dropped)(const struct fm_segment_module *module, unsigned number))
{
    const struct fm_segment_module *modules = fm_section(fm_rt.segment, FM_SECTION_MODULES);
    uint32_t n = __atomic_load_n(&fm_rt.segment->n_modules, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < MODULES; i++) {
        struct found found = {.address = modules[i].start};
        if (is_unloaded(i) || (dl_iterate_phdr(find_module, &found) && is_same(&modules[i], &found)))
            continue;
        fm_lock(&fm_rt.table_lock);
        if (!is_unloaded(i)) {
            unloaded[i / 64] |= 1ull << i % 64;
            forget_ranges(&modules[i]);
            dropped(&modules[i], i);
        }
        fm_unlock(&fm_rt.table_lock);
    }
}

uint32_t fm_site_build_id_of(uintptr_t address)
{
    struct found found = {.address = address};
    if (!dl_iterate_phdr(find_module, &found) || !found.build_id)
        return 0;
    return build_id_text(found.build_id, found.build_id_bytes);
}
