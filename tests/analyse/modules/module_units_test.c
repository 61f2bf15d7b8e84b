/* Drafted modules for the layouts of real programs: many files in one directory, several directories, templates in
 * headers, namespaces, single files. */
#include "analyse/modules/module_units.h"

#include <stdio.h>
#include <string.h>

#include "base/writer.h"
#include "tap.h"

enum { MAX = 8 };

/* The units as "ice: ice.f90; ocean: function ocean::*". */
static void check(const struct fm_code *code, size_t n, const char *wanted, const char *name)
{
    struct fm_arena arena = {0};
    struct fm_writer writer = {.arena = &arena};
    struct fm_module_unit *units = NULL;
    size_t found = fm_module_units_find(code, n, MAX, 0, &units, &arena);
    fm_write(&writer, "%s", "");
    for (size_t i = 0; i < found; i++)
        fm_write(&writer, "%s%s: %s%s", i ? "; " : "", units[i].name, units[i].by_file ? "" : "function ",
                 units[i].patterns);
    tap_ok(strcmp(fm_writer_text(&writer), wanted) == 0, "%s: %s", name, fm_writer_text(&writer));
    fm_arena_destroy(&arena);
}

#define CHECK(code, wanted, name) check(code, sizeof code / sizeof *code, wanted, name)

static void test_directories(void)
{
    static const struct fm_code earth[] = {
        {"step", "/home/u/esm/source/ocean/step.f90", 50},   {"mix", "/home/u/esm/source/ocean/physics/mix.f90", 10},
        {"grow", "/home/u/esm/source/ice/grow.f90", 30},     {"run", "/home/u/esm/source/mpi/run.f90", 5},
        {"main", "/home/u/esm/source/coupler/main.f90", 10}, {"__mulsc3", "/build/src/libgcc/libgcc2.c", 90},
    };
    CHECK(earth,
          "coupler: */source/coupler/*; ice: */source/ice/*; ocean: */source/ocean/*; source/mpi: */source/mpi/*",
          "several directories are the modules; nothing of the compiler; the name mpi is taken");
    static const struct fm_code pop[] = {
        {"baroclinic::step", "/pop/source/baroclinic.F90", 40},
        {"baro::solve", "/pop/source/barotropic.F90", 10},
        {"vmix::a", "/pop/source/vmix.F90", 3},
        {"vmix_kpp::b", "/pop/source/vmix_kpp.F90", 9},
        {"vmix_rich::c", "/pop/source/vmix_rich.F90", 2},
        {"hmix_gm::a", "/pop/source/hmix_gm.F90", 6},
        {"hmix_del2::a", "/pop/source/hmix_del2.F90", 6},
        {"forcing_ws::a", "/pop/source/forcing_ws.F90", 3},
        {"forcing_shf::a", "/pop/source/forcing_shf.F90", 3},
        {"state::a", "/pop/source/state_mod.F90", 5},
        {"advection::a", "/pop/source/advection.F90", 8},
        {"tavg::a", "/pop/source/tavg.F90", 1},
        {"domain::a", "/pop/source/domain.F90", 1},
        {"POP", "/pop/drivers/POP.F90", 4},
    };
    CHECK(pop,
          "advection: advection.F90; baroclinic: baroclinic.F90; barotropic: barotropic.F90; drivers: /pop/drivers/*; "
          "forcing: forcing_*; hmix: hmix_*; state_mod: state_mod.F90; vmix: vmix.* vmix_*",
          "many Fortran files in one directory: those with a common first word are one module");
}

static void test_files(void)
{
    static const struct fm_code fe[] = {
        {"main", "/fe/src/main.cpp", 5},
        {"miniFE::matvec<double>", "/fe/src/SparseMatrix_functions.hpp", 30},
        {"miniFE::matvec<float>", "/fe/src/SparseMatrix_functions.hpp", 30},
        {"miniFE::cg_solve<double>", "/fe/src/cg_solve.hpp", 20},
        {"miniFE::Hex8::diff", "/fe/src/Hex8.hpp", 10},
        {"miniFE::Hex8::start", "/fe/src/Hex8.cpp", 1},
        {"std::vector<int>::push_back", "/usr/include/c++/12/bits/stl_vector.h", 300},
    };
    CHECK(fe,
          "Hex8: Hex8.*; SparseMatrix_functions: SparseMatrix_functions.hpp; cg_solve: cg_solve.hpp; main: main.cpp",
          "templates in headers: files, not instances");
    static const struct fm_code same[] = {
        {"a", "/m/one/util.c", 9}, {"b", "/m/one/main.c", 20}, {"c", "/m/one/step.c", 20}, {"d", "/m/two/util.c", 5}};
    CHECK(same, "main: main.c; step: step.c; two: /m/two/*; util: */one/util.c",
          "a name that occurs in two directories has its directory");
    static const struct fm_code odd[] = {{"a", "/m/o dd/a[1].c", 9}, {"b", "/m/o dd/b.c", 9}};
    CHECK(odd, "a_1_: a?1?.c; b: b.c", "names that are no words or look like patterns");
    static const struct fm_code single[] = {{"main", "/m/model.c", 9}, {"step", "/m/model.c", 9}};
    CHECK(single, "", "a single file is left to the program");
}

static void test_names(void)
{
    static const struct fm_code one_file[] = {
        {"ocean::step", "/m/model.f90", 9}, {"ice::melt", "/m/model.f90", 9}, {"MAIN__", "/m/model.f90", 2}};
    CHECK(one_file, "ice: function ice::*; ocean: function ocean::*", "Fortran modules of a single file");
    static const struct fm_code classes[] = {
        {"NS::PairLJ::run", "", 20}, {"NS::PairMorse::run", "", 20}, {"NS::PairEAM<1>::run", "", 9},
        {"NS::FixNVE::run", "", 9},  {"NS::FixedPoint::run", "", 2}, {"NS::Fix::run", "", 3},
        {"NS::Comm::run", "", 8},    {"NS::Domain::run", "", 4},     {"NS::Atom::run", "", 3},
        {"NS::Input::run", "", 2},   {"NS::Output::run", "", 2},     {"NS::Special::run", "", 1},
        {"NS::Modify::run", "", 1},  {"fmt::write", "", 1},          {"std::sort<int>", "", 50},
    };
    CHECK(classes,
          "Atom: function NS::Atom*; Comm: function NS::Comm*; Domain: function NS::Domain*; Fix: function NS::Fix*; "
          "Input: function NS::Input*; Output: function NS::Output*; Pair: function NS::Pair*; "
          "fmt: function fmt::*",
          "classes of a namespace, by their first words");
    static const struct fm_code templates[] = {
        {"Grid<double>::step", "", 9}, {"Grid<float>::step", "", 9}, {"Solver::run", "", 9}, {"operator<", "", 1}};
    CHECK(templates, "Grid: function Grid<*; Solver: function Solver::*", "instances of a class template are one");
    static const struct fm_code prefixes[] = {{"ice_a", "", 5}, {"ice_b", "", 5}, {"_ice_c", "", 5}, {"sea_a", "", 5},
                                              {"sea_b", "", 5}, {"sea_c", "", 5}, {"set_up", "", 5}, {"main", "", 5}};
    CHECK(prefixes, "ice: function ice_* _ice_*; sea: function sea_*", "prefixes of C functions");
    check(NULL, 0, "", "nothing");
}

int main(void)
{
    test_directories();
    test_files();
    test_names();
    return tap_done();
}
