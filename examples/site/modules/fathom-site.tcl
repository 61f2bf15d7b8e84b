#%Module1.0
# Measures every MPI job of the session for the site: the library in every program, profiles into the spool. For Environment
# Modules, and for Lmod where Tcl files are wanted: copy to MODULEPATH as fathom-site/@version@. With the plug-in of Slurm it is not needed.
proc ModulesHelp {} {
    puts stderr "Every MPI job is measured and leaves a record for the site. Unload this module to stop that."
}
module-whatis "Fathom @version@: measures every MPI job for the site"
conflict fathom-site
# A missing library would make the dynamic linker complain in every command.
if {[file readable @libdir@/libfathom.so.0]} {
    prepend-path LD_PRELOAD @libdir@/libfathom.so.0
    if {![info exists env(FATHOM_OUTPUT)] || $env(FATHOM_OUTPUT) eq "@spool@/"} {
        setenv FATHOM_OUTPUT @spool@/
    }
}
