-- The commands, manual pages and headers of Fathom. For Lmod: copy to MODULEPATH as fathom/@version@.lua.
help([[Fathom, a profiler for MPI programs: fathom run -o model.fathom -- mpirun -n 4 ./model]])
whatis("Fathom @version@: where MPI programs spend their time")
conflict("fathom")
prepend_path("PATH", "@bindir@")
prepend_path("MANPATH", "@mandir@")
prepend_path("PKG_CONFIG_PATH", "@libdir@/pkgconfig")
