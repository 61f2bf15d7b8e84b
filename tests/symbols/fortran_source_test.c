/* Lines of Fortran sources: where statements begin, which cannot hold a call, and where a name is used. */
#include "symbols/fortran_source.h"

#include <string.h>

#include "tap.h"

#define LINES(...) (char *[]){__VA_ARGS__}, sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)

static void test_files(void)
{
    tap_ok(fm_fortran_is_source("/a/pop.F90") && !fm_fortran_is_fixed_form("pop.F90", NULL, 0), "free form");
    tap_ok(fm_fortran_is_source("dgemm.f") && fm_fortran_is_fixed_form("dgemm.f", NULL, 0), "fixed form");
    tap_ok(!fm_fortran_is_source("solver.c") && !fm_fortran_is_source("f90") && !fm_fortran_is_source(""),
           "other files");
}

/* Compilers have options for the form, so that the suffix does not tell. */
static void test_forms(void)
{
    static char *const free_form[] = {"program p", "c = f(1)",         "",        "do i = 1, n", "     call step(c)",
                                      "end do",    "call finish(c, &", "     1)", "end program"};
    static char *const free_indented[] = {"      program p", "      call finish(c, &", "        1)", "      end"};
    static char *const fixed[] = {"C     the program",
                                  "      PROGRAM P",
                                  "call this a comment",
                                  "c$omp parallel",
                                  "      CALL FINISH(C,",
                                  "     1  1)",
                                  "  100 CONTINUE",
                                  "#endif",
                                  "      END"};
    static char *const both[] = {"! either", "      subroutine s", "\tcall t", "     call u", "      end"};
    tap_ok(!fm_fortran_is_fixed_form("p.f", free_form, sizeof free_form / sizeof *free_form), "free form in a .f file");
    tap_ok(!fm_fortran_is_fixed_form("p.F", free_indented, sizeof free_indented / sizeof *free_indented),
           "told by its continuations");
    tap_ok(fm_fortran_is_fixed_form("p.f90", fixed, sizeof fixed / sizeof *fixed) &&
               fm_fortran_is_fixed_form("p.f", fixed, sizeof fixed / sizeof *fixed),
           "fixed form in both");
    tap_ok(fm_fortran_is_fixed_form("s.f", both, sizeof both / sizeof *both) &&
               !fm_fortran_is_fixed_form("s.f90", both, sizeof both / sizeof *both),
           "lines that tell nothing: by the suffix");
}

static void test_continuation(void)
{
    const struct fm_fortran_source free_form = {
        LINES("x = 1", "call solve(a, & ! the field", "   ! its size", "", "  n, &", "  'a & b')", "y = '&'", "z = 2"),
        false};
    const struct fm_fortran_source fixed = {
        LINES("      CALL SOLVE(A,", "C  a comment", "     &  N,", "     1  M)", "      X = 1", "  100 CONTINUE"),
        true};
    tap_ok(fm_fortran_statement_start(&free_form, 6) == 2, "a statement begins in its first line, through comments");
    tap_ok(fm_fortran_statement_start(&free_form, 2) == 2 && fm_fortran_statement_start(&free_form, 1) == 1,
           "or is one line");
    tap_ok(fm_fortran_statement_start(&free_form, 8) == 8, "an ampersand in a string continues nothing");
    tap_ok(fm_fortran_statement_start(&fixed, 4) == 1 && fm_fortran_statement_start(&fixed, 5) == 5, "fixed form");
    tap_ok(fm_fortran_statement_start(&fixed, 6) == 6, "a label is not a continuation");
    tap_ok(fm_fortran_statement_start(&free_form, 0) == 0 && fm_fortran_statement_start(&free_form, 99) == 0,
           "no such line");
}

static enum fm_fortran_kind kind(char *line)
{
    const struct fm_fortran_source source = {&line, 1, false};
    return fm_fortran_kind_of(&source, 1);
}

static void test_kinds(void)
{
    static char *const declarations[] = {"use kinds, only: dp",
                                         "USE clover_module",
                                         "  integer :: i",
                                         "real(dp), intent(in) :: a(:)",
                                         "subroutine step(n)",
                                         "pure function f(x)",
                                         "real(8) function norm(x)",
                                         "type(t) :: x",
                                         "character(len=*) name",
                                         "implicit none",
                                         "program pop",
                                         "! a comment",
                                         "contains",
                                         "#include <x.h>",
                                         "integer x"};
    static char *const executable[] = {"call solve(a)", "x = f(y)",        "real_part = g(z)",     "data(i) = h(i)",
                                       "type%n = k()",  "if (a) call b()", "10 call c()",          "enddo",
                                       "end if",        "use_it = f()",    "function_value = f()", "end_time = wtime()",
                                       "end = 3"};
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
        wrong += kind(declarations[i]) != FM_FORTRAN_DECLARATION;
    tap_ok(wrong == 0, "declarations");
    for (size_t i = 0; i < sizeof executable / sizeof *executable; i++)
        wrong += kind(executable[i]) != FM_FORTRAN_EXECUTABLE;
    tap_ok(wrong == 0, "executable statements");
    tap_ok(kind("end subroutine step") == FM_FORTRAN_END && kind("END") == FM_FORTRAN_END &&
               kind("endfunction") == FM_FORTRAN_END && kind("  end program") == FM_FORTRAN_END,
           "ends");
}

static void test_names(void)
{
    const struct fm_fortran_source source = {LINES("subroutine step", "use halo, only: exchange",
                                                   "integer :: exchange_count", "! exchange", "call EXCHANGE(a, &",
                                                   "  b, exchange_count)", "print *, 'relax'", "call relax(a)",
                                                   "if (n > 1) call relax(b)", "end subroutine", "call exchange(c)"),
                                             false};
    tap_ok(fm_fortran_find_name(&source, 1, "exchange") == 5, "the only statement with a name");
    tap_ok(fm_fortran_find_name(&source, 1, "exchange_count") == 5, "by its first line");
    tap_ok(fm_fortran_has_name(&source, 5, "exchange_count") && !fm_fortran_has_name(&source, 5, "relax") &&
               !fm_fortran_has_name(&source, 7, "relax"),
           "a name in a statement, not in a string");
    tap_ok(fm_fortran_find_name(&source, 1, "relax") == 0, "there are two");
    tap_ok(fm_fortran_find_name(&source, 1, "step") == 0 && fm_fortran_find_name(&source, 1, "") == 0, "there is none");
}

static bool has_reference(char *line)
{
    const struct fm_fortran_source source = {&line, 1, false};
    return fm_fortran_has_reference(&source, 1);
}

static void test_references(void)
{
    const struct fm_fortran_source source = {LINES("x = 1 + &", "  norm(y)", "z = 2"), false};
    tap_ok(has_reference("if (a) call b") && has_reference("x = f(y)") && has_reference("x = a%norm") &&
               has_reference("if (any(x > 1)) then"),
           "a statement that may call something");
    tap_ok(!has_reference("x = y") && !has_reference("do while (a < 1)") && !has_reference("x = 'f(y)' ! call g") &&
               !has_reference("else if (y > 0) then") && !has_reference("end do"),
           "and one that cannot");
    tap_ok(fm_fortran_has_reference(&source, 1) && !fm_fortran_has_reference(&source, 3), "over several lines");
}

int main(void)
{
    test_files();
    test_forms();
    test_continuation();
    test_kinds();
    test_names();
    test_references();
    return tap_done();
}
