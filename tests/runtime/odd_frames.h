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
/* Without tables, and calls nothing: waits until the word is not zero, with a buffer that begins at a page. */
void leaf_without_tables(volatile int *word);
extern const char leaf_waits[], leaf_leaves[]; /* from here until there */
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
FUNCTION(frame_without_tables, "push %rbx\npush %rbp\nsub $72, %rsp\n"
                               "mov $12345, %ebp\nmov $1, %ebx\n"
                               "call *%rdi\n"
                               "add $72, %rsp\npop %rbp\npop %rbx\nret\n");
FUNCTION(frame_apart_from_record, "push %rbp\npush %rbx\npush %r12\nmov %rsp, %rbp\n"
                                  "mov $1, %ebx\nmov $2, %r12d\nsub $64, %rsp\n"
                                  "call *%rdi\n"
                                  "mov %rbp, %rsp\npop %r12\npop %rbx\npop %rbp\nret\n");
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
FUNCTION(leaf_without_tables,
         ".globl leaf_waits, leaf_leaves\nleaf_waits: ldr w1, [x0]\ncbz w1, leaf_waits\nleaf_leaves: ret\n");
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
