/* Functions whose frames are unusual, in assembly: each calls what it is given. */
#ifndef FM_TESTS_MEASURE_ODD_FRAMES_H
#define FM_TESTS_MEASURE_ODD_FRAMES_H

/* Its tables count from a register that is neither the stack pointer nor the frame pointer, as the loader's resolver on
 * x86-64 does. */
void frame_by_register(void (*call)(void));
/* Without tables; uses the frame pointer for something else where that is usual. */
void frame_without_tables(void (*call)(void));
/* Other registers are saved between the frame pointer and the return address, and the size of the frame is not constant.
 * There are no tables; on aarch64 there are empty ones, as in LLVM's OpenMP. */
void frame_apart_from_record(void (*call)(void));
/* Without tables, and without a frame pointer: only the return address and some other register are saved. */
void frame_without_record(void (*call)(void));
/* Without tables, and calls nothing: waits until the word is not zero, with a buffer that begins at a page. */
void leaf_without_tables(volatile int *word);
extern const char leaf_waits[], leaf_leaves[]; /* from here until there */
/* The same with saved registers only, as the kernels of linear algebra libraries are. */
void leaf_with_registers(volatile int *word);
extern const char kernel_waits[], kernel_leaves[];
/* Without tables: calls, and waits then. */
void waits_after_call(volatile int *word, void (*call)(void));
extern const char caller_waits[], caller_leaves[];
#if defined __aarch64__
/* Its tables do not describe how it returns, as those of clang 14. */
void frame_without_epilogue(void);
extern const char frame_freed_last[], frame_returns[];
#endif
/* Changes all registers that functions keep before it calls, and restores them. */
void frame_of_changes(void (*call)(void));

#define FUNCTION(name, body) \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" body ".size " #name ", . - " #name "\n")

#if defined __x86_64__
FUNCTION(frame_by_register, ".cfi_startproc\n"
                            "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx, -16\n"
                            "mov %rsp, %rbx\n.cfi_def_cfa_register rbx\n"
                            "sub $208, %rsp\nand $-64, %rsp\n"
                            "call *%rdi\n"
                            "mov %rbx, %rsp\n.cfi_def_cfa_register rsp\n"
                            "pop %rbx\n.cfi_def_cfa_offset 8\n.cfi_restore rbx\n"
                            "ret\n.cfi_endproc\n");
FUNCTION(frame_without_tables, "push %rbx\npush %rbp\n.rept 9\npush $0\n.endr\n"
                               "mov $12345, %ebp\nmov $1, %ebx\n"
                               "call *%rdi\n"
                               "add $72, %rsp\npop %rbp\npop %rbx\nret\n");
FUNCTION(frame_apart_from_record, "push %rbp\npush %rbx\npush %r12\nmov %rsp, %rbp\n"
                                  "mov $1, %ebx\nmov $2, %r12d\n.rept 4\npush $0\n.endr\n"
                                  "call *%rdi\n"
                                  "mov %rbp, %rsp\npop %r12\npop %rbx\npop %rbp\nret\n");
FUNCTION(frame_without_record, "push %rbx\n.rept 4\npush $0\n.endr\n"
                               "call *%rdi\nadd $32, %rsp\npop %rbx\nret\n");
FUNCTION(leaf_with_registers, "push %rbx\npush %r12\n"
                              ".globl kernel_waits, kernel_leaves\nkernel_waits: mov (%rdi), %eax\ntest %eax, %eax\n"
                              "je kernel_waits\nkernel_leaves: pop %r12\npop %rbx\nret\n");
FUNCTION(waits_after_call, "push %rbx\nmov %rdi, %rbx\ncall *%rsi\n"
                           ".globl caller_waits, caller_leaves\ncaller_waits: mov (%rbx), %eax\ntest %eax, %eax\n"
                           "je caller_waits\ncaller_leaves: pop %rbx\nret\n");
FUNCTION(leaf_without_tables,
         "push %rbx\npush %rbp\nmov %rsp, %rbx\nmov $3, %ebp\n"
         "sub $20000, %rsp\nand $-4096, %rsp\n"
         ".globl leaf_waits, leaf_leaves\nleaf_waits: mov (%rdi), %eax\ntest %eax, %eax\nje leaf_waits\n"
         "leaf_leaves: mov %rbx, %rsp\npop %rbp\npop %rbx\nret\n");
FUNCTION(frame_of_changes, ".cfi_startproc\n"
                           "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx, -16\n"
                           "push %rbp\n.cfi_def_cfa_offset 24\n.cfi_offset rbp, -24\n"
                           "push %r12\n.cfi_def_cfa_offset 32\n.cfi_offset r12, -32\n"
                           "mov $1, %ebx\nmov $2, %ebp\nmov $3, %r12d\n"
                           "call *%rdi\n"
                           "pop %r12\n.cfi_def_cfa_offset 24\n.cfi_restore r12\n"
                           "pop %rbp\n.cfi_def_cfa_offset 16\n.cfi_restore rbp\n"
                           "pop %rbx\n.cfi_def_cfa_offset 8\n.cfi_restore rbx\n"
                           "ret\n.cfi_endproc\n");
#elif defined __aarch64__
FUNCTION(frame_by_register,
         ".cfi_startproc\n"
         "stp x19, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x19, -16\n.cfi_offset x30, -8\n"
         "mov x19, sp\n.cfi_def_cfa_register x19\n"
         "sub sp, sp, 208\n"
         "blr x0\n"
         "mov sp, x19\n.cfi_def_cfa_register sp\n"
         "ldp x19, x30, [sp], 16\n.cfi_def_cfa_offset 0\n.cfi_restore x19\n.cfi_restore x30\n"
         "ret\n.cfi_endproc\n");
FUNCTION(frame_without_tables, "stp x29, x30, [sp, -80]!\nmov x29, sp\n"
                               "blr x0\n"
                               "ldp x29, x30, [sp], 80\nret\n");
FUNCTION(frame_apart_from_record, ".cfi_startproc\n"
                                  "stp x29, x30, [sp, -16]!\nstp x19, x20, [sp, -16]!\nmov x29, sp\n"
                                  "mov w9, 4\nsub sp, sp, w9, uxtw 4\n"
                                  "mov x19, 1\nmov x20, 2\n"
                                  "blr x0\n"
                                  "mov sp, x29\nldp x19, x20, [sp], 16\nldp x29, x30, [sp], 16\nret\n"
                                  ".cfi_endproc\n");
FUNCTION(frame_without_record, "stp d8, d9, [sp, -48]!\nstp x19, x30, [sp, 16]\nsub sp, sp, 1, lsl 12\n"
                               "blr x0\n"
                               "add sp, sp, 1, lsl 12\nldp x19, x30, [sp, 16]\nldp d8, d9, [sp], 48\nret\n");
FUNCTION(leaf_with_registers,
         "sub sp, sp, 176\nstp d8, d9, [sp]\nstp x19, x20, [sp, 64]\nstr x29, [sp, 80]\nmov x29, 3\n"
         ".globl kernel_waits, kernel_leaves\nkernel_waits: ldr w1, [x0]\ncbz w1, kernel_waits\n"
         "kernel_leaves: ldr x29, [sp, 80]\nadd sp, sp, 176\nret\n");
FUNCTION(waits_after_call, "str x30, [sp, -32]!\nstr x19, [sp, 8]\nmov x19, x0\nblr x1\n"
                           ".globl caller_waits, caller_leaves\ncaller_waits: ldr w1, [x19]\ncbz w1, caller_waits\n"
                           "caller_leaves: ldr x19, [sp, 8]\nldr x30, [sp], 32\nret\n");
FUNCTION(leaf_without_tables,
         "stp x19, x20, [sp, -16]!\nmov x19, sp\nsub x9, sp, 5, lsl 12\nand x9, x9, -4096\nmov sp, x9\n"
         ".globl leaf_waits, leaf_leaves\nleaf_waits: ldr w1, [x0]\ncbz w1, leaf_waits\n"
         "leaf_leaves: mov sp, x19\nldp x19, x20, [sp], 16\nret\n");
FUNCTION(
    frame_without_epilogue,
    ".cfi_startproc\n"
    "sub sp, sp, 32\n.cfi_def_cfa_offset 32\n"
    "stp x29, x30, [sp, 16]\nadd x29, sp, 16\n.cfi_def_cfa x29, 16\n.cfi_offset x30, -8\n.cfi_offset x29, -16\n"
    "ldp x29, x30, [sp, 16]\n"
    ".globl frame_freed_last, frame_returns\nframe_freed_last: add sp, sp, 32\nframe_returns: ret\n.cfi_endproc\n");
FUNCTION(frame_of_changes,
         ".cfi_startproc\n"
         "stp x29, x30, [sp, -32]!\n.cfi_def_cfa_offset 32\n.cfi_offset x29, -32\n.cfi_offset x30, -24\n"
         "stp x19, x20, [sp, 16]\n.cfi_offset x19, -16\n.cfi_offset x20, -8\n"
         "mov x19, 1\nmov x20, 2\nmov x29, 3\n"
         "blr x0\n"
         "ldp x19, x20, [sp, 16]\n.cfi_restore x19\n.cfi_restore x20\n"
         "ldp x29, x30, [sp], 32\n.cfi_def_cfa_offset 0\n.cfi_restore x29\n.cfi_restore x30\n"
         "ret\n.cfi_endproc\n");
#endif

#endif
