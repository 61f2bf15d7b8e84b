/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* some functions have two names */
#include "runtime/interpose/functions.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/interpose/next.h"
#include "runtime/interpose/state.h"

struct fm_real fm_real;

/* Function numbers, and for each list the first number after it. */
#define NUMBER(type, name, ...) NUMBER_##name,
#define NUMBERS(list, ...) list(NUMBER) END_##list, LAST_##list = END_##list - 1,
enum { FM_INTERPOSED(NUMBERS) SIZE };
_Static_assert((int)SIZE == (int)FM_INTERPOSED_FUNCTIONS, "a number for each");
_Static_assert(offsetof(struct fm_interpose, targets) == 0, "the jumps look there");

typedef void target(void);
target *fm_interpose_find(unsigned number) __attribute__((used));
enum { OWN = 0x4000 };

/* ---- jump stubs ---- */

/* The exported functions, and the targets of our own calls. Each stub jumps to the address that a table has for it. If
 * there is none yet, it is resolved on a path that preserves every register that may hold an argument. A number from
 * OWN on denotes one of our own calls. */
#if defined __aarch64__
#define JUMP(table, first)                                       \
    "hint #34\n" /* bti c: valid target of an indirect branch */ \
    "adrp x16, " #table " + 8 * fm_number\n"                     \
    "ldr x16, [x16, #:lo12:" #table " + 8 * fm_number]\n"        \
    "cbz x16, 1f\n"                                              \
    "br x16\n"                                                   \
    "1: mov w17, #" #first " + fm_number\n"                      \
    "b fm_look\n"
#define LOOK_ALL                   \
    ".cfi_startproc\n"             \
    "fm_look:\n"                   \
    "stp x29, x30, [sp, #-224]!\n" \
    ".cfi_def_cfa_offset 224\n"    \
    ".cfi_offset x29, -224\n"      \
    ".cfi_offset x30, -216\n"      \
    "mov x29, sp\n"                \
    "stp x0, x1, [sp, #16]\n"      \
    "stp x2, x3, [sp, #32]\n"      \
    "stp x4, x5, [sp, #48]\n"      \
    "stp x6, x7, [sp, #64]\n"      \
    "str x8, [sp, #80]\n"          \
    "stp q0, q1, [sp, #96]\n"      \
    "stp q2, q3, [sp, #128]\n"     \
    "stp q4, q5, [sp, #160]\n"     \
    "stp q6, q7, [sp, #192]\n"     \
    "mov w0, w17\n"                \
    "bl fm_interpose_find\n"       \
    "mov x16, x0\n"                \
    "ldp x0, x1, [sp, #16]\n"      \
    "ldp x2, x3, [sp, #32]\n"      \
    "ldp x4, x5, [sp, #48]\n"      \
    "ldp x6, x7, [sp, #64]\n"      \
    "ldr x8, [sp, #80]\n"          \
    "ldp q0, q1, [sp, #96]\n"      \
    "ldp q2, q3, [sp, #128]\n"     \
    "ldp q4, q5, [sp, #160]\n"     \
    "ldp q6, q7, [sp, #192]\n"     \
    "ldp x29, x30, [sp], #224\n"   \
    ".cfi_def_cfa_offset 0\n"      \
    ".cfi_restore x29\n"           \
    ".cfi_restore x30\n"           \
    "br x16\n"                     \
    ".cfi_endproc\n"
#elif defined __x86_64__
#define JUMP(table, first)                         \
    "endbr64\n"                                    \
    "mov " #table " + 8 * fm_number(%rip), %r11\n" \
    "test %r11, %r11\n"                            \
    "jz 1f\n"                                      \
    "jmp *%r11\n"                                  \
    "1: mov $" #first " + fm_number, %r11d\n"      \
    "jmp fm_look\n"
#define LOOK_ALL                   \
    ".cfi_startproc\n"             \
    "fm_look:\n"                   \
    "push %rbp\n"                  \
    ".cfi_def_cfa_offset 16\n"     \
    ".cfi_offset %rbp, -16\n"      \
    "mov %rsp, %rbp\n"             \
    ".cfi_def_cfa_register %rbp\n" \
    "sub $192, %rsp\n"             \
    "mov %rax, (%rsp)\n"           \
    "mov %rdi, 8(%rsp)\n"          \
    "mov %rsi, 16(%rsp)\n"         \
    "mov %rdx, 24(%rsp)\n"         \
    "mov %rcx, 32(%rsp)\n"         \
    "mov %r8, 40(%rsp)\n"          \
    "mov %r9, 48(%rsp)\n"          \
    "mov %r10, 56(%rsp)\n"         \
    "movups %xmm0, 64(%rsp)\n"     \
    "movups %xmm1, 80(%rsp)\n"     \
    "movups %xmm2, 96(%rsp)\n"     \
    "movups %xmm3, 112(%rsp)\n"    \
    "movups %xmm4, 128(%rsp)\n"    \
    "movups %xmm5, 144(%rsp)\n"    \
    "movups %xmm6, 160(%rsp)\n"    \
    "movups %xmm7, 176(%rsp)\n"    \
    "mov %r11d, %edi\n"            \
    "call fm_interpose_find\n"     \
    "mov %rax, %r11\n"             \
    "mov (%rsp), %rax\n"           \
    "mov 8(%rsp), %rdi\n"          \
    "mov 16(%rsp), %rsi\n"         \
    "mov 24(%rsp), %rdx\n"         \
    "mov 32(%rsp), %rcx\n"         \
    "mov 40(%rsp), %r8\n"          \
    "mov 48(%rsp), %r9\n"          \
    "mov 56(%rsp), %r10\n"         \
    "movups 64(%rsp), %xmm0\n"     \
    "movups 80(%rsp), %xmm1\n"     \
    "movups 96(%rsp), %xmm2\n"     \
    "movups 112(%rsp), %xmm3\n"    \
    "movups 128(%rsp), %xmm4\n"    \
    "movups 144(%rsp), %xmm5\n"    \
    "movups 160(%rsp), %xmm6\n"    \
    "movups 176(%rsp), %xmm7\n"    \
    "leave\n"                      \
    ".cfi_def_cfa %rsp, 8\n"       \
    ".cfi_restore %rbp\n"          \
    "jmp *%r11\n"                  \
    ".cfi_endproc\n"
#endif

#define FUNCTION(name, visibility, jump)                                                            \
    visibility " " name "\n.balign 16\n.type " name ", %function\n" name ":\n.cfi_startproc\n" jump \
               ".cfi_endproc\n.size " name ", . - " name "\n"
#define JUMPS(type, name, ...)                                                           \
    FUNCTION(#name, ".globl", JUMP(fm_interpose, 0))                                     \
    FUNCTION("__wrap_" #name, ".hidden __wrap_" #name "\n.globl", JUMP(fm_real, 0x4000)) \
    ".set fm_number, fm_number + 1\n"
#define NAME(type, name, ...) ".asciz \"" #name "\"\n"
/* Weak, because nothing here needs them; but all must exist, or the library does not link. */
#define WRAPPER(type, name, ...) \
    ".weak fm_wrapped_" #name "\n.hidden fm_wrapped_" #name "\n.long fm_wrapped_" #name " - fm_interpose_wrappers\n"
#define ALL_JUMPS(list, ...) list(JUMPS)
#define NAMES(list, ...) list(NAME)
#define WRAPPERS(list, ...) list(WRAPPER)

/* All tables have the order of the list. Their entries are offsets: pointers would have to be relocated in every
 * process that loads us. */
#define SECTION(name, content) ".pushsection " name "\n" content ".popsection\n"
#define TABLE(name, content) ".balign 4\n.hidden " name "\n" name ":\n" content
asm(SECTION(".text", ".set fm_number, 0\n" FM_INTERPOSED(ALL_JUMPS) LOOK_ALL));
asm(SECTION(".rodata", TABLE("fm_interpose_names", FM_INTERPOSED(NAMES))));
asm(SECTION(".rodata", TABLE("fm_interpose_wrappers", FM_INTERPOSED(WRAPPERS))));
extern FM_HIDDEN const char fm_interpose_names[];
extern FM_HIDDEN const int32_t fm_interpose_wrappers[SIZE];

/* ---- binding ---- */

static bool is_enabled(unsigned number)
{
    static const struct {
        uint16_t end, by;
    } lists[] = {
#define LIST(list, by) {END_##list, by},
        FM_INTERPOSED(LIST) /* all */
    };
    unsigned i = 0;
    while (number >= lists[i].end)
        i++;
    return lists[i].by & fm_interpose.asking;
}

static int fail_enosys(void)
{
    errno = ENOSYS;
    return -1;
}

static target **next_of(unsigned number)
{
    return (target **)(void *)&fm_real + number;
}

static const char *next_name(const char *name)
{
    while (*name++)
        ;
    return name;
}

static const char *name_of(unsigned number)
{
    const char *name = fm_interpose_names;
    while (number-- > 0)
        name = next_name(name);
    return name;
}

/* Tools that interpose libc, such as sanitizers and I/O tracers, do so for many functions. A library that has only one
 * or two functions of these names has unrelated functions of its own. */
static bool is_interposer(const struct fm_object *object)
{
    enum { MIN_FUNCTIONS = 4 };
    unsigned n = 0;
    const char *name = fm_interpose_names;
    for (unsigned i = 0; i < SIZE && n < MIN_FUNCTIONS; i++, name = next_name(name))
        n += fm_object_find(object, name, fm_symbol_hash(name)) != NULL;
    return n >= MIN_FUNCTIONS;
}

static bool is_libc_or_interposer(const struct fm_definition *next)
{
    struct fm_object object;
    return !next->address || !fm_object_read(&object, next->base, next->dynamic) || fm_object_is_libc(&object) ||
           is_interposer(&object);
}

static void find_next(struct fm_definition *sought, unsigned n)
{
    fm_next_find(sought, n);
    for (unsigned i = 0; i < n; i++)
        if (!sought[i].address)
            fm_next_find_loaded(&sought[i], NULL);
}

static target *keep_next(unsigned number, const struct fm_definition *definition)
{
    target *next = definition->address ? (target *)definition->address : (target *)fail_enosys;
    __atomic_store_n(next_of(number), next, __ATOMIC_RELEASE);
    return next;
}

/* Selects the target of the program's calls. */
static target *choose(unsigned number, const struct fm_definition *definition)
{
    target *chosen = keep_next(number, definition);
    if (is_enabled(number) && is_libc_or_interposer(definition))
        chosen = (target *)((uintptr_t)fm_interpose_wrappers + (uintptr_t)(intptr_t)fm_interpose_wrappers[number]);
    __atomic_store_n(&fm_interpose.targets[number], chosen, __ATOMIC_RELEASE);
    return chosen;
}

target *fm_interpose_find(unsigned number)
{
    int error = errno;
    bool own = number >= OWN;
    number -= own ? OWN : 0;
    struct fm_definition next = {.name = name_of(number)};
    find_next(&next, 1);
    target *chosen = own ? keep_next(number, &next) : choose(number, &next);
    errno = error;
    return chosen;
}

void fm_interpose_begin(unsigned interposers)
{
    struct fm_definition next[SIZE];
    const char *name = fm_interpose_names;
    for (unsigned i = 0; i < SIZE; i++, name = next_name(name))
        next[i].name = name;
    find_next(next, SIZE);
    for (unsigned i = 0; i < SIZE; i++) /* a wrapper may use any of them */
        keep_next(i, &next[i]);
    fm_interpose.asking |= interposers | fm_interpose.announced;
    fm_interpose.announced = 0;
    for (unsigned i = 0; i < SIZE; i++)
        choose(i, &next[i]);
}

void fm_interpose_announce(unsigned interposers)
{
    fm_interpose.announced |= interposers;
}

void fm_interpose_begin_announced(void)
{
    if (fm_interpose.announced)
        fm_interpose_begin(0);
}

void fm_interpose_end(unsigned interposers)
{
    fm_interpose.asking &= ~interposers;
    fm_interpose.announced &= ~interposers;
    for (unsigned i = 0; i < SIZE; i++)
        if (!is_enabled(i))
            __atomic_store_n(&fm_interpose.targets[i], *next_of(i), __ATOMIC_RELEASE);
}
