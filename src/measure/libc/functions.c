#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* some calls have two names */
#include "measure/libc/functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct fm_libc fm_libc;

#define NUMBER(type, name, ...) NUMBER_##name,
enum { FM_LIBC_NOTED(NUMBER) NOTED };
enum { SIZE = sizeof fm_libc / sizeof(void *) };

/* Where calls go now; at first to where their next definition is looked for. */
typedef void target(void);
#define FIND(type, name, ...) target fm_find_##name;
FM_LIBC_FUNCTIONS(FIND)
#undef FIND
#define FIND(type, name, ...) fm_find_##name,
extern target *fm_libc_targets[];
FM_HIDDEN target *fm_libc_targets[] = {FM_LIBC_FUNCTIONS(FIND)};

#define WRAPPER(type, name, ...) (target *)fm_wrapped_##name,
static target *const wrappers[] = {FM_LIBC_FUNCTIONS(WRAPPER)};

#define NAME(type, name, ...) #name,
static const char *const names[] = {FM_LIBC_FUNCTIONS(NAME)};

target *fm_libc_find(unsigned number) __attribute__((used));

/* ---- jumps ---- */

/* What is exported, and for each name the way to fm_libc_find, which keeps every register that may hold an argument. */
#if defined __aarch64__
#define JUMP(name)                                             \
    "hint #34\n" /* a place that may be jumped to */           \
    "adrp x16, fm_libc_targets + 8 * fm_number\n"              \
    "ldr x16, [x16, #:lo12:fm_libc_targets + 8 * fm_number]\n" \
    "br x16\n"
#define LOOK "mov w17, #fm_number\n b fm_look\n"
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
#define JUMP(name) "endbr64\n jmp *fm_libc_targets + 8 * fm_number(%rip)\n"
#define LOOK "endbr64\n mov $fm_number, %r11d\n jmp fm_look\n"
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

#define FUNCTION(name, code)                                                                              \
    ".balign 16\n.type " name ", %function\n" name ":\n.cfi_startproc\n" code ".cfi_endproc\n.size " name \
    ", . - " name "\n"
#define EXPORT(type, name, ...)                                                         \
    ".globl " #name                                                                     \
    "\n" FUNCTION(#name, JUMP(name)) ".hidden fm_find_" #name "\n.globl fm_find_" #name \
                                     "\n" FUNCTION("fm_find_" #name, LOOK) ".set fm_number, fm_number + 1\n"

/* One statement, so that the names have the order of the list. */
asm(".pushsection .text\n"
    ".set fm_number, 0\n" FM_LIBC_FUNCTIONS(EXPORT) ".cfi_startproc\n" LOOK_ALL ".cfi_endproc\n"
                                                    ".popsection\n");

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

static target *find_next(unsigned number)
{
    target *next = (target *)dlsym(RTLD_NEXT, names[number]);
    next = next ? next : (target *)no_such_call;
    __atomic_store_n(next_of(number), next, __ATOMIC_RELEASE);
    return next;
}

static const struct link_map *module_of(target *function)
{
    struct dl_find_object object;
    return _dl_find_object((void *)function, &object) == 0 ? object.dlfo_link_map : NULL;
}

static bool is_libc(const struct link_map *module)
{
    const char *slash = module ? strrchr(module->l_name, '/') : NULL;
    return slash && strncmp(slash, "/libc.so.", 9) == 0;
}

/* Tools that stand between a program and libc, as sanitizers and tracers of I/O do, do so for many calls. A library that
 * has one or two functions of these names has functions of its own. */
static bool is_between(const struct link_map *module)
{
    enum { MANY = 4 };
    unsigned n = 0;
    for (unsigned i = 0; i < SIZE && module; i++)
        n += module_of((target *)dlsym(RTLD_NEXT, names[i])) == module;
    return n >= MANY;
}

static bool means_libc(target *next)
{
    const struct link_map *module = module_of(next);
    return is_libc(module) || is_between(module) || next == (target *)no_such_call;
}

/* Where the call is to go. */
static target *choose(unsigned number)
{
    target *next = *next_of(number) ? *next_of(number) : find_next(number);
    bool wrapped = (now == WRAP || (now == NOTE && number < NOTED)) && means_libc(next);
    next = wrapped ? wrappers[number] : next;
    __atomic_store_n(&fm_libc_targets[number], next, __ATOMIC_RELEASE);
    return next;
}

target *fm_libc_find(unsigned number)
{
    int error = errno;
    target *next = choose(number);
    errno = error;
    return next;
}

void fm_libc_wrap(void)
{
    for (unsigned i = 0; i < SIZE; i++) /* wrappers use one another's */
        find_next(i);
    now = WRAP;
    for (unsigned i = 0; i < SIZE; i++)
        choose(i);
}

void fm_libc_pass(void)
{
    now = PASS;
    for (unsigned i = 0; i < SIZE; i++)
        if (*next_of(i))
            choose(i);
}
