#include "symbols/symbol_name.h"

#include <string.h>

#include "tap.h"

static void names(struct fm_arena *arena, const char *symbol, const char *expected)
{
    const char *name = fm_symbol_name(arena, symbol);
    tap_ok(strcmp(name, expected) == 0, "%s: %s%s%s", symbol, expected, strcmp(name, expected) ? ", but it is " : "",
           strcmp(name, expected) ? name : "");
}

int main(void)
{
    struct fm_arena arena = {0};
    names(&arena, "main", "main");
    names(&arena, "", "");
    names(&arena, "_start", "_start");
    names(&arena, "_ZN9LAMMPS_NS7PairLJC7computeEii", "LAMMPS_NS::PairLJC::compute");
    names(&arena, "_ZSt4sortIPiEvT_S1_", "std::sort<int*>");
    names(&arena, "_ZN3FooC4Ev", "Foo::Foo");
    names(&arena, "_ZN3Foo3barEv.isra.0", "Foo::bar");
    names(&arena, "_ZN3Foo3barEv.part.0.cold", "Foo::bar");
    names(&arena, "_ZN3Foo", "_ZN3Foo");
    names(&arena, "_Z", "_Z");
    names(&arena, "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
    names(&arena, "__ocean_MOD_step", "ocean::step");
    names(&arena, "__ocean_MOD_step.constprop.3", "ocean::step");
    names(&arena, "__ocean_MOD_", "__ocean_MOD_");
    names(&arena, "ocean_mp_step_", "ocean::step");
    names(&arena, "dgemm_", "dgemm");
    names(&arena, "MAIN__", "MAIN__");
    names(&arena, "odd__", "odd__");
    names(&arena, "Upper_", "Upper_");
    names(&arena, "_", "_");
    names(&arena, "inner.0", "inner");
    names(&arena, "work._omp_fn.0", "work");
    names(&arena, "__phys_MOD_column._omp_fn.3", "phys::column");
    names(&arena, ".omp_outlined..2", ".omp_outlined..2");
    names(&arena, "solve.cold", "solve");
    names(&arena, "a.b", "a.b");
    names(&arena, ".plain", ".plain");
    fm_arena_destroy(&arena);
    return tap_done();
}
