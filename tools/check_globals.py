#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a variable of the runtime that is not among those it may have: tools/check_globals.py LIBRARY

Variables are searched in the writable sections of the library, including static variables of functions. They are listed
and explained in src/runtime/runtime.h.
"""
import re
import subprocess
import sys

ALLOWED = {"fm_rt", "fm_local", "fm_sampling", "fm_sampling_local", "fm_real", "fm_interpose", "fm_abi", "fm_comms",
           "fm_types", "fm_bindings", "fm_next_table", "fm_call_table", "fm_counting", "fm_counted"}
GENERATED = re.compile(r"next_p?mpi_\w+_$")
# On aarch64: marks of the assembler and the linker, and a variable of libgcc's functions for atomic operations.
OF_TOOLS = re.compile(r"\$[dx]$|_TLS_MODULE_BASE_$|__aarch64_have_lse_atomics$")
WRITABLE = {".data", ".bss", ".tdata", ".tbss"}


def readelf(option, library):
    return subprocess.run(["readelf", option, "-W", library], capture_output=True, text=True, check=True).stdout


def variables_of(library):
    """Yields (name, bytes) for each variable in a writable section."""
    sections = dict(re.findall(r"^ *\[ *(\d+)\] (\S+)", readelf("-S", library), re.M))
    for line in readelf("-s", library).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[3] in ("OBJECT", "TLS") and sections.get(fields[6]) in WRITABLE:
            yield fields[7], int(fields[2], 0)


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    found = dict(variables_of(sys.argv[1]))
    if "fm_rt" not in found:
        print(f"check_globals: {sys.argv[1]} has no fm_rt, or no symbols", file=sys.stderr)
        return 2
    others = {name: size for name, size in found.items() if name not in ALLOWED and not GENERATED.match(name) and
              not OF_TOOLS.match(name)}
    for name, size in sorted(others.items()):
        print(f"{name}: a variable of {size} bytes that is no part of fm_rt (src/runtime/runtime.h)")
    for name in sorted(ALLOWED - set(found)):
        print(f"{name}: may be a variable of the runtime, but is none: tools/check_globals.py")
    return 1 if others or ALLOWED - set(found) else 0


sys.exit(main())
