#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* some calls have two names */
#include "runtime/libc/functions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/interpose/next.h"

struct fm_libc fm_libc;

#define NUMBER(type, name, ...) NUMBER_##name,
enum { FM_LIBC_ALWAYS(NUMBER) ALWAYS, BEFORE_NOTED = ALWAYS - 1, FM_LIBC_NOTED(NUMBER) NOTED };
enum { SIZE = sizeof fm_libc / sizeof(void *) };

/* Where calls go now; NULL: the next definition is not known yet. */
typedef void target(void);
FM_HIDDEN target *fm_libc_targets[SIZE];

target *fm_libc_find(unsigned number) __attribute__((used));

/* ---- jumps ---- */

/* What is exported, and for each name the way to fm_libc_find, which keeps every register that may hold an argument. */
#if defined __aarch64__
#define JUMP                                                   \
    "hint #34\n" /* a place that may be jumped to */           \
    "adrp x16, fm_libc_targets + 8 * fm_number\n"              \
    "ldr x16, [x16, #:lo12:fm_libc_targets + 8 * fm_number]\n" \
    "cbz x16, 1f\n"                                            \
    "br x16\n"                                                 \
    "1: mov w17, #fm_number\n"                                 \
    "b fm_look\n"
#define LOOK_ALL                   \
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
    "bl fm_libc_find\n"            \
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
    "br x16\n"
#elif defined __x86_64__
#define JUMP                                            \
    "endbr64\n"                                         \
    "mov fm_libc_targets + 8 * fm_number(%rip), %r11\n" \
    "test %r11, %r11\n"                                 \
    "jz 1f\n"                                           \
    "jmp *%r11\n"                                       \
    "1: mov $fm_number, %r11d\n"                        \
    "jmp fm_look\n"
#define LOOK_ALL                   \
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
    "call fm_libc_find\n"          \
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
    "jmp *%r11\n"
#endif

#define EXPORT(type, name, ...)                                                                   \
    ".globl " #name "\n.balign 16\n.type " #name ", %function\n" #name ":\n.cfi_startproc\n" JUMP \
    ".cfi_endproc\n.size " #name ", . - " #name "\n.set fm_number, fm_number + 1\n"
#define NAME(type, name, ...) ".asciz \"" #name "\"\n"
#define WRAPPER(type, name, ...) ".long fm_wrapped_" #name " - fm_libc_wrappers\n"

/* In each part the functions have the order of the list. What is known of one is reached by offsets: a pointer would have
 * to be relocated in every process that we are loaded into. */
asm(".pushsection .text\n"
    ".set fm_number, 0\n" FM_LIBC_FUNCTIONS(
        EXPORT) ".cfi_startproc\n" LOOK_ALL ".cfi_endproc\n"
                ".popsection\n"
                ".pushsection .rodata\n"
                ".hidden fm_libc_names\nfm_libc_names:\n" FM_LIBC_FUNCTIONS(
                    NAME) ".balign 4\n.hidden fm_libc_wrappers\nfm_libc_wrappers:\n" FM_LIBC_FUNCTIONS(WRAPPER) ".popsection\n");
extern FM_HIDDEN const char fm_libc_names[];
extern FM_HIDDEN const int32_t fm_libc_wrappers[SIZE];

/* ---- who is called ---- */

static enum { PASS, NOTE, WRAP } now = NOTE;

static int no_such_call(void)
{
    errno = ENOSYS;
    return -1;
}

static target **next_of(unsigned number)
{
    return (target **)(void *)&fm_libc + number;
}

static const char *name_after(const char *name)
{
    while (*name++)
        ;
    return name;
}

static const char *name_of(unsigned number)
{
    const char *name = fm_libc_names;
    while (number-- > 0)
        name = name_after(name);
    return name;
}

/* Tools that stand between a program and libc, as sanitizers and tracers of I/O do, do so for many calls. A library that
 * has one or two functions of these names has functions of its own. */
static bool is_between(const struct fm_object *object)
{
    enum { MANY = 4 };
    unsigned n = 0;
    const char *name = fm_libc_names;
    for (unsigned i = 0; i < SIZE && n < MANY; i++, name = name_after(name))
        n += fm_object_find(object, name, fm_symbol_hash(name)) != NULL;
    return n >= MANY;
}

static bool means_libc(const struct fm_definition *next)
{
    struct fm_object object;
    return !next->address || !fm_object_read(&object, next->base, next->dynamic) || fm_object_is_libc(&object) ||
           is_between(&object);
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
    target *next = definition->address ? (target *)definition->address : (target *)no_such_call;
    __atomic_store_n(next_of(number), next, __ATOMIC_RELEASE);
    return next;
}

/* Where the call is to go. */
static target *choose(unsigned number, const struct fm_definition *definition)
{
    target *chosen = keep_next(number, definition);
    if ((now == WRAP || number < (now == NOTE ? NOTED : ALWAYS)) && means_libc(definition))
        chosen = (target *)((uintptr_t)fm_libc_wrappers + (uintptr_t)(intptr_t)fm_libc_wrappers[number]);
    __atomic_store_n(&fm_libc_targets[number], chosen, __ATOMIC_RELEASE);
    return chosen;
}

target *fm_libc_find(unsigned number)
{
    int error = errno;
    struct fm_definition next = {.name = name_of(number)};
    find_next(&next, 1);
    target *chosen = choose(number, &next);
    errno = error;
    return chosen;
}

void fm_libc_wrap(void)
{
    struct fm_definition next[SIZE];
    const char *name = fm_libc_names;
    for (unsigned i = 0; i < SIZE; i++, name = name_after(name))
        next[i].name = name;
    find_next(next, SIZE);
    for (unsigned i = 0; i < SIZE; i++) /* wrappers use one another's */
        keep_next(i, &next[i]);
    now = WRAP;
    for (unsigned i = 0; i < SIZE; i++)
        choose(i, &next[i]);
}

void fm_libc_pass(void)
{
    now = PASS;
    for (unsigned i = ALWAYS; i < SIZE; i++)
        __atomic_store_n(&fm_libc_targets[i], *next_of(i), __ATOMIC_RELEASE);
}
