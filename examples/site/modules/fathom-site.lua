-- Measures every MPI job of the session for the site: the library in every program, profiles into the spool. For Lmod: copy to
-- MODULEPATH as fathom-site/@version@.lua. With the plug-in of Slurm it is not needed.
help([[Every MPI job is measured and leaves a record for the site. Unload this module to stop that.]])
whatis("Fathom @version@: measures every MPI job for the site")
conflict("fathom-site")
-- A missing library would make the dynamic linker complain in every command.
if isFile("@libdir@/libfathom.so.0") then
    prepend_path("LD_PRELOAD", "@libdir@/libfathom.so.0")
    local output = os.getenv("FATHOM_OUTPUT")
    if output == nil or output == "@spool@/" then
        setenv("FATHOM_OUTPUT", "@spool@/")
    end
end
