/* Labels shortened to a width: what identifies them remains. */
#include "render/shorten.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tap.h"

static void is(const char *text, size_t columns, const char *expected)
{
    struct fm_arena arena = {0};
    const char *shorter = fm_shorten(&arena, text, columns);
    if (!tap_ok(strcmp(shorter, expected) == 0, "%zu: %s", columns, expected))
        printf("# got: %s\n", shorter);
    fm_arena_destroy(&arena);
}

static void test_names(void)
{
    static const char method[] = "ns::Class<A<B>, C>::method  at file.cc:123";
    is(method, 42, method);
    is(method, 41, "ns::Class<..>::method  at file.cc:123");
    is(method, 37, "ns::Class<..>::method  at file.cc:123");
    is(method, 36, "..Class<..>::method  at file.cc:123");
    is(method, 34, "..method  at file.cc:123");
    is("LAMMPS_NS::a_very_long_function_name  at a.cc:1", 24, "..a_v..n_name  at a.cc:1");
    is("Solver<Grid<Cell<double>>, Vector<double>>::apply", 45, "Solver<Grid<Cell<..>>, Vector<double>>::apply");
    is("Solver<Grid<Cell<double>>, Vector<double>>::apply", 36, "Solver<Grid<..>, Vector<..>>::apply");
    is("pop_halomod::pop_haloupdate2dr8 (POP_HaloMod.F90:1897)", 48, "..pop_haloupdate2dr8 (POP_HaloMod.F90:1897)");
    is("std::sort<int*> (i)  at sort.cc:~44", 33, "std::sort<..> (i)  at sort.cc:~44");
    is("ns::operator<< <char>  at a.cc:1", 29, "..operator<< <..>  at a.cc:1");
    is("outermost::operator-> (a.cc:1)", 24, "..operator-> (a.cc:1)");
    is("ns::Functor<int, int>::operator()  at a.cc:1", 38, "ns::Functor<..>::operator()  at a.cc:1");
    is("main::{lambda(ns::A)#1}::operator()", 28, "..operator()");
    is("a<b and no template argument", 20, "a<b and n.. argument");
    is("/usr/lib/x86_64-linux-gnu/openmpi/mca_btl_vader.so", 25, "..mca_btl_vader.so");
}

static void test_labels(void)
{
    is("|  |- ns::Class<A<B>>::method  at file.cc:123", 40, "|  |- ..method  at file.cc:123");
    is("`- <- outer::inner::function  at file.cc:123", 40, "`- <- ..inner::function  at file.cc:123");
    is("|  |  |  |  |  |  |  |  |  |  |- ns::function  at file.cc:123", 40, "..  |  |  |- ..function  at file.cc:123");
    is("exchange  from 3 lines (halo.f90:44, 46, 48)", 24, "exchange  from 3 lines");
    is("|- solver.cc:123  for (i = 0; i<n; i++) a<b>(i);", 30, "|- solver.cc:123  for (i = 0..");
    is("a long text of no particular form at all", 20, "a long te..rm at all");
    is("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4::\xc3\xb6\xc3\xb6::function", 16,
       "..\xc3\xb6\xc3\xb6::function");
    is("abc", 2, "abc");
}

static void column_is(const char *first, const char *second, size_t columns, const char *shown,
                      const char *shown_second)
{
    struct fm_arena arena = {0};
    const char *texts[] = {first, "main", second};
    fm_shorten_column(&arena, texts, 3, columns);
    if (!tap_ok(strcmp(texts[0], shown) == 0 && strcmp(texts[2], shown_second) == 0, "%zu: %s, %s", columns, shown,
                shown_second))
        printf("# got: %s\n# and: %s\n", texts[0], texts[2]);
    fm_arena_destroy(&arena);
}

/* Rows of one table that differ remain different. */
static void test_columns(void)
{
    static const char one[] = "|- ns::Solver<double, float, 1>::apply  at a.cc:1";
    static const char two[] = "`- ns::Solver<double, float, 2>::apply  at a.cc:1";
    column_is(one, two, 49, one, two);
    column_is(one, two, 48, "|- ns::Solver<.., 1>::apply  at a.cc:1", "`- ns::Solver<.., 2>::apply  at a.cc:1");
    column_is(one, two, 37, "|- ..Solver<.., 1>::apply  at a.cc:1", "`- ..Solver<.., 2>::apply  at a.cc:1");
    column_is(one, two, 24, "|- ..apply  at a.cc:1", "`- ..apply  at a.cc:1");
    column_is("ns::Conjugate_gradient_solver<A>::apply", "ns::Conjugate_gradient_solver<B>::apply", 30,
              "..Conjuga.._solver<A>::apply", "..Conjuga.._solver<B>::apply");
    column_is("sum<std::vector<A, std::allocator<A>>, double>", "sum<std::vector<B, std::allocator<B>>, double>", 43,
              "sum<std::vector<A, std::allocator<A>>, ..>", "sum<std::vector<B, std::allocator<B>>, ..>");
    column_is("sum<std::vector<A, alloc<A>>, 1>", "sum<std::set<B, alloc<B>>, 1>", 24, "sum<std::vector<..>, 1>",
              "sum<std::set<..>, 1>");
    column_is(one, one, 45, "|- ns::Solver<..>::apply  at a.cc:1", "|- ns::Solver<..>::apply  at a.cc:1");
}

/* Whatever the text is, the result fits. */
static void test_any(void)
{
    static const char *const pieces[] = {"::", "<",        ">",    "operator", "  ", " (",       "a.c:12",
                                         ")",  "|- ",      "(",    "/",        "x",  "function", " lines (",
                                         "~1", "\xc3\xa4", "\xff", "<- ",      "-"};
    size_t wrong = 0, texts = 20000;
    srand(1);
    for (size_t i = 0; i < texts; i++) {
        struct fm_arena arena = {0};
        char text[256] = "";
        for (int n = rand() % 16; n > 0; n--)
            strcat(text, pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)]);
        size_t columns = 4 + (size_t)rand() % 60;
        const char *shorter = fm_shorten(&arena, text, columns), *both[] = {text, text};
        char other[sizeof text];
        for (size_t k = 0; k < sizeof text; k++)
            other[k] = text[k] == 'x' ? 'y' : text[k];
        both[1] = other;
        fm_shorten_column(&arena, both, 2, columns);
        bool fits = fm_text_width(both[0]) <= columns && fm_text_width(both[1]) <= columns;
        if ((fm_text_width(shorter) > columns || !fits) && !wrong++)
            printf("# %zu: %s\n# got: %s\n", columns, text, shorter);
        fm_arena_destroy(&arena);
    }
    tap_ok(!wrong, "of %zu texts, %zu are too wide", texts, wrong);
}

int main(void)
{
    test_names();
    test_labels();
    test_columns();
    test_any();
    return tap_done();
}
