#%Module1.0
# The commands, manual pages and headers of Fathom. For Environment Modules, and for Lmod where Tcl files are wanted: copy to
# MODULEPATH as fathom/@version@.
proc ModulesHelp {} {
    puts stderr "Fathom, a profiler for MPI programs: fathom run -o model.fathom -- mpirun -n 4 ./model"
}
module-whatis "Fathom @version@: where MPI programs spend their time"
conflict fathom
prepend-path PATH @bindir@
prepend-path MANPATH @mandir@
prepend-path PKG_CONFIG_PATH @libdir@/pkgconfig
