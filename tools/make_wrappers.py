#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates routines.h and routines.c (numbers, names and classes) and wrappers.c (MPI_X and PMPI_X, and a few Fortran
names) from src/runtime/mpi/calls.table.

usage: make_wrappers.py TABLE ROUTINES_H ROUTINES_C WRAPPERS_C

The wrappers contain no logic: they begin a call, pass every argument through as a register-sized word, and pass the
arguments that are used to the hook of the routine's kind (src/runtime/mpi/hooks.h, and fast_path.h for ordinary calls
of frequent routines).
"""
import sys
import zlib

# kind: (class, arguments of fm_before_<kind> or None, arguments of fm_after_<kind>)
# "&x" lets the hook replace the argument; an argument that the routine lacks is passed as zero.
KINDS = {
    "plain": ("OTHER", None, ["comm"]),
    "new_comm": ("OTHER", None, ["comm"]),
    "new_type": ("OTHER", None, ["comm"]),
    "count": ("OTHER", None, ["count"]),
    "send": ("SEND", None, ["count", "type", "dest", "comm"]),
    "receive": ("RECEIVE", ["&status"], ["count", "source", "comm"]),
    "message_receive": ("RECEIVE", ["&status"], ["count"]),
    "post_receive": ("RECEIVE", None, ["count", "source", "comm", "request"]),
    "post_message_receive": ("RECEIVE", None, ["count", "request"]),
    "send_init": ("OTHER", None, ["count", "type", "dest", "comm", "request"]),
    "receive_init": ("OTHER", None, ["count", "source", "comm", "request"]),
    "psend_init": ("OTHER", None, ["partitions", "count", "type", "dest", "comm", "request"]),
    "precv_init": ("OTHER", None, ["partitions", "count", "source", "comm", "request"]),
    "sendrecv": ("SENDRECV", ["&status"], ["scount", "stype", "dest", "comm"]),
    "sendrecv_replace": ("SENDRECV", ["&status"], ["count", "type", "dest", "comm"]),
    "isendrecv": ("SENDRECV", None, ["scount", "stype", "dest", "rcount", "rtype", "source", "comm", "request"]),
    "isendrecv_replace": ("SENDRECV", None, ["count", "type", "dest", "source", "comm", "request"]),
    "wait": ("WAIT", ["request", "&status"], []),
    "test": ("WAIT", ["request", "&status"], ["request", "flag"]),
    "waitall": ("WAIT", ["count", "requests", "&statuses"], ["count", "requests"]),
    "testall": ("WAIT", ["count", "requests", "&statuses"], ["count", "requests", "flag"]),
    "waitany": ("WAIT", ["count", "requests", "&status"], ["count", "requests", "index"]),
    "testany": ("WAIT", ["count", "requests", "&status"], ["count", "requests", "index", "flag"]),
    "waitsome": ("WAIT", ["count", "requests", "&statuses"], ["count", "outcount", "indices"]),
    "testsome": ("WAIT", ["count", "requests", "&statuses"], ["count", "outcount", "indices"]),
    "request_free": ("OTHER", ["request"], []),
    "start": ("SEND", None, ["request"]),
    "startall": ("SEND", None, ["count", "requests"]),
    "barrier": ("COLLECTIVE", None, ["comm"]),
    "bcast": ("COLLECTIVE", None, ["count", "type", "root", "comm"]),
    "reduce": ("COLLECTIVE", None, ["sendbuf", "recvbuf", "count", "type", "root", "comm"]),
    "allreduce": ("COLLECTIVE", None, ["sendbuf", "recvbuf", "count", "type", "comm"]),
    "gather": ("COLLECTIVE", None, ["sendbuf", "scount", "stype", "rcount", "rtype", "root", "comm"]),
    "gatherv": ("COLLECTIVE", None, ["sendbuf", "scount", "stype", "rcounts", "rtype", "root", "comm"]),
    "scatter": ("COLLECTIVE", None, ["recvbuf", "scount", "stype", "rcount", "rtype", "root", "comm"]),
    "scatterv": ("COLLECTIVE", None, ["recvbuf", "scounts", "stype", "rcount", "rtype", "root", "comm"]),
    "allgather": ("COLLECTIVE", None, ["sendbuf", "scount", "stype", "rcount", "rtype", "comm"]),
    "allgatherv": ("COLLECTIVE", None, ["sendbuf", "scount", "stype", "rcounts", "rtype", "comm"]),
    "alltoall": ("COLLECTIVE", None, ["sendbuf", "scount", "stype", "rcount", "rtype", "comm"]),
    "alltoallv": ("COLLECTIVE", None, ["sendbuf", "scounts", "stype", "rcounts", "rtype", "comm"]),
    "alltoallw": ("COLLECTIVE", None, ["sendbuf", "scounts", "stypes", "rcounts", "rtypes", "comm"]),
    "reduce_scatter": ("COLLECTIVE", None, ["rcounts", "type", "comm"]),
    "reduce_scatter_block": ("COLLECTIVE", None, ["rcount", "type", "comm"]),
    "neighbor_allgather": ("COLLECTIVE", None, ["scount", "stype", "rcount", "rtype", "comm"]),
    "neighbor_allgatherv": ("COLLECTIVE", None, ["scount", "stype", "rcounts", "rtype", "comm"]),
    "neighbor_alltoall": ("COLLECTIVE", None, ["scount", "stype", "rcount", "rtype", "comm"]),
    "neighbor_alltoallv": ("COLLECTIVE", None, ["scounts", "stype", "rcounts", "rtype", "comm"]),
    "neighbor_alltoallw": ("COLLECTIVE", None, ["scounts", "stypes", "rcounts", "rtypes", "comm"]),
    "rma_put": ("RMA", None, ["count", "type", "target", "win"]),
    "rma_get": ("RMA", None, ["count", "type", "target", "win"]),
    "rma_update": ("RMA", None, ["count", "type", "target", "win"]),
    "file_open": ("OTHER", None, ["comm", "filename", "newfile"]),
    "file_close": ("OTHER", ["file"], []),
    "file_read": ("IO", ["&status"], ["count", "type", "file"]),
    "file_write": ("IO", None, ["count", "type", "file"]),
    "file_other": ("OTHER", None, ["file"]),
    "cart_create": ("OTHER", None, ["comm", "ndims", "dims", "newcomm"]),
    "comm_free": ("OTHER", ["comm"], []),
    "type_free": ("OTHER", ["type"], []),
    "win_free": ("OTHER", ["win"], []),
    "init": ("OTHER", None, []),
    "init_thread": ("OTHER", None, ["provided"]),
    "finalize": ("OTHER", [], []),
    "session_finalize": ("OTHER", None, []),
    "abort": ("OTHER", ["errorcode"], []),
    "clock": ("OTHER", None, []),
    "aint": ("OTHER", None, ["comm"]),
    "handle": ("OTHER", None, ["comm"]),
    "pcontrol": ("OTHER", None, []),
}
SIMPLE_KINDS = {"new_comm": "plain", "new_type": "plain", "aint": "plain", "handle": "plain"}
# Without a generated wrapper: the clock is not wrapped, and that of MPI_Pcontrol, which is variadic, is in pcontrol.c.
UNWRAPPED = {"clock", "pcontrol"}
# Kinds with a hook for calls that are not entered: the process is not measured, or the call is inside another one.
MISSED = {"init": "fm_missed_init", "init_thread": "fm_missed_init"}
COUNTS = {"count", "scount", "rcount", "partitions"}
COUNT_ARRAYS = {"scounts", "rcounts"}
RANKS = {"dest", "source", "root", "target", "errorcode", "ndims"}
# Routines whose Fortran bindings do not call the C routines, in one MPI or both: their Fortran names are wrapped as
# well. All arguments are passed by reference, at most six.
FORTRAN_DIRECT = [
    "MPI_Aint_add", "MPI_Aint_diff", "MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_create_errhandler",
    "MPI_Comm_create_keyval", "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Errhandler_create",
    "MPI_File_create_errhandler", "MPI_Keyval_create", "MPI_Type_create_keyval", "MPI_Type_get_attr",
    "MPI_Type_match_size", "MPI_Type_set_attr", "MPI_Win_create_errhandler", "MPI_Win_create_keyval",
    "MPI_Win_get_attr", "MPI_Win_set_attr",
]
# Routines whose Fortran bindings (in Open MPI) return immediately if there are no requests: only the wrappers of the
# Fortran names see these calls.
FORTRAN_EMPTY = ["MPI_Waitall", "MPI_Testall", "MPI_Waitany", "MPI_Testany", "MPI_Waitsome", "MPI_Testsome"]
# Kinds with a fast path, whose ordinary calls never leave their wrapper (src/runtime/mpi/fast_path.h): arguments of
# fm_fast_enter_<kind> ("own" is our own status) and of fm_fast_after_<kind>.
FAST_PATHS = {
    "plain": ([], []),
    "send": (["count", "type", "dest", "comm"], ["count"]),
    "receive": (["source", "comm", "&status", "own"], ["count", "status"]),
    "post_receive": (["count", "source", "comm"], ["count", "request"]),
    "sendrecv": (["scount", "stype", "dest", "comm", "&status", "own"], ["scount", "status"]),
    "wait": (["request", "&status", "own"], ["status"]),
    "test": (["request", "&status", "own"], ["request", "flag", "status"]),
    "waitall": (["count", "requests", "&statuses"], ["count", "requests", "statuses"]),
    "barrier": (["comm"], []),
    "allreduce": (["count", "type", "comm"], ["count"]),
}
# Kinds that begin a call in a way of their own, on the fast path and otherwise.
FAST_STARTS = {"allreduce": "fm_fast_start_allreduce"}
ENTERS = {"reduce": "fm_reduction_enter", "allreduce": "fm_reduction_enter"}
# Plain routines that programs call millions of times; the others have small wrappers without a fast path.
FREQUENT_PLAIN = {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Probe", "MPI_Iprobe", "MPI_Get_count", "MPI_Win_flush",
                  "MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_fence"}
# Segments contain them as numbers: append new ones at the end.
CLASSES = ["OTHER", "SEND", "RECEIVE", "COLLECTIVE", "WAIT", "RMA", "IO", "SENDRECV"]
# Number of routines in version 0.1.0, whose numbers are the same in every build. Segments name the routines after them.
FIXED = 652
FIXED_FINGERPRINT = 0xc031f6e4  # CRC-32 of their names, one per line


def read_table(path):
    routines = []
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) < 2 or words[1] not in KINDS:
                sys.exit(f"{path}:{number}: a line is NAME KIND ARGUMENTS..., and the kind must be known: {line.strip()}")
            routines.append((words[0], words[1], words[2:]))
    fixed = "\n".join(name for name, _, _ in routines[:FIXED])
    if zlib.crc32(fixed.encode()) != FIXED_FINGERPRINT:
        sys.exit(f"{path}: the first {FIXED} routines keep their names and their order, which segments rely on; "
                 "add new ones at the end")
    return routines


def expression(name, words):
    """The C expression that passes argument `name` to a hook."""
    by_reference = name.startswith("&")
    name = name.lstrip("&")
    position = next((i for i, word in enumerate(words) if word.lower() == name), None)
    if by_reference:
        return "NULL" if position is None else f"&a{position}"
    if name in COUNT_ARRAYS:
        if position is None:
            return "(struct fm_counts){NULL, false}"
        wide = "true" if words[position].isupper() else "false"
        return f"(struct fm_counts){{(const void *)a{position}, {wide}}}"
    if position is None:
        return "1" if name == "count" else "0"
    if name in COUNTS:
        return f"(int64_t)a{position}" if words[position].isupper() else f"(int32_t)a{position}"
    if name in RANKS:
        return f"(int32_t)a{position}"
    return f"a{position}"


def has_fast_path(name, hook):
    return hook in FAST_PATHS and (name in FREQUENT_PLAIN if hook == "plain" else not name.endswith(("_c", "_init")))


def expressions(names, words):
    return "".join(", " + ("own" if name == "own" else expression(name, words)) for name in names)


def fast_path(name, kind, words, call, is_pmpi, otherwise):
    """The body of a wrapper with a fast path."""
    hook = SIMPLE_KINDS.get(kind, kind)
    enter, after = FAST_PATHS[hook]
    slot = f"2 * FM_R_{name} + {is_pmpi}"
    own = "    _Alignas(8) char own[FM_STATUS_BYTES];\n" if "own" in enter else ""
    return f"""    struct fm_fast fast;
{own}    if (FM_UNLIKELY(!fm_fast_enter_{hook}(&fast, {slot}, FM_CALLER_FRAME(){expressions(enter, words)})))
        return any_{name}({otherwise});
    {FAST_STARTS.get(hook, "fm_fast_start")}(&fast, {slot});
    fm_function *next = fm_call_table[{slot}];
    fm_word result = {call};
    fm_fast_after_{hook}(&fast, {slot}, (int)result{expressions(after, words)});
    return result;
}}

"""


def counted(name, parameters, call, is_pmpi):
    """What the fast path calls instead of the next definition if counters are read around it."""
    return f"""static fm_word counted_{'P' * is_pmpi}{name}({', '.join(parameters) or "void"})
{{
    fm_counters_enter_call();
    fm_function *next = fm_next_table[2 * FM_R_{name} + {is_pmpi}];
    fm_word result = {call};
    fm_counters_leave_call();
    return result;
}}

"""


def wrappers(name, kind, words):
    """MPI_X and PMPI_X, and any_MPI_X, which handles all calls of both or, with a fast path, only unusual ones."""
    parameters = [f"fm_word a{i}" for i in range(len(words))]
    values = [f"a{i}" for i in range(len(words))]
    types = ", ".join(["fm_word"] * len(words)) or "void"
    hook = SIMPLE_KINDS.get(kind, kind)
    call = f"((fm_word (*)({types}))next)({', '.join(values)})"
    passed = f"({call})" if kind in MISSED else call
    _, before, after = KINDS[kind]
    before_line = "" if before is None else f"    fm_before_{hook}(&call{expressions(before, words)});\n"
    fast_line, text = "", ""
    if has_fast_path(name, hook):
        text = "".join(counted(name, parameters, call, is_pmpi) for is_pmpi in (0, 1))
        fast_line = f"""    call.fast = true;
    call.counted[0] = (fm_function *)counted_{name};
    call.counted[1] = (fm_function *)counted_P{name};
"""
    text += f"""FM_COLD static fm_word any_{name}({', '.join([*parameters, "bool is_pmpi", "struct fm_frame frame"])})
{{
    struct fm_call call;
    fm_function *next = fm_next(2 * FM_R_{name} + is_pmpi);
    if (!{ENTERS.get(kind, "fm_call_enter")}(&call, FM_R_{name}, is_pmpi, frame))
        return {MISSED.get(kind, "")}{passed};
{fast_line}{before_line}    fm_word result = {call};
    fm_call_returned(&call);
    fm_after_{hook}(&call, (int)result{expressions(after, words)});
    return result;
}}

"""
    for prefix, is_pmpi in (("", 0), ("P", 1)):
        rest = ", ".join([*values, "true" if is_pmpi else "false", "FM_CALLER_FRAME()"])
        text += f"""FM_EXPORT fm_word {prefix}{name}({', '.join(parameters) or "void"})
{{
"""
        if has_fast_path(name, hook):
            text += fast_path(name, kind, words, call, is_pmpi, rest)
        else:
            text += f"""    return any_{name}({rest});
}}

"""
    return text


def fortran_wrapper(symbol, name, only_empty):
    """If only_empty, calls with requests are passed through uncounted: the wrapper of the C routine will count them."""
    parameters = ", ".join(f"fm_word a{i}" for i in range(6))
    values = ", ".join(f"a{i}" for i in range(6))
    function = f"(fm_word (*)({', '.join(['fm_word'] * 6)}))"
    call = f"({function}next)({values})"
    counted = "*(const int *)a0 == 0 && " if only_empty else ""
    pass_on = ""
    if only_empty:
        pass_on = f"""    fm_function *known = __atomic_load_n(&next_{symbol}, __ATOMIC_ACQUIRE);
    if (FM_LIKELY(known && *(const int *)a0 != 0))
        return ({function}known)({values});
"""
    return f"""static fm_function *next_{symbol};

FM_COLD static fm_word any_{symbol}({parameters}, struct fm_frame frame)
{{
    fm_function *next = fm_next_fortran(&next_{symbol}, "{symbol}");
    struct fm_call call;
    if (!({counted}fm_call_enter(&call, FM_R_{name}, false, frame)))
        return {call};
    fm_word result = {call};
    fm_call_returned(&call);
    fm_after_plain(&call, 0, 0);
    return result;
}}

FM_EXPORT fm_word {symbol}({parameters})
{{
{pass_on}    return any_{symbol}({values}, FM_CALLER_FRAME());
}}

"""


def added(routines):
    """The routines after the first FIXED as a segment names them: class and name."""
    return [chr(ord("a") + CLASSES.index(KINDS[kind][0])) + name for name, kind, _ in routines[FIXED:]]


def write_header(path, routines):
    names = [name for name, _, _ in routines]
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* Generated from calls.table: numbers, names and classes of the MPI routines. */\n")
        out.write("#ifndef FM_GENERATED_ROUTINES_H\n#define FM_GENERATED_ROUTINES_H\n\n")
        out.write(f"#define FM_ROUTINES_FINGERPRINT {FIXED_FINGERPRINT:#x}u /* of the first FM_ROUTINES_FIXED */\n")
        out.write(f"enum {{ FM_ROUTINES_FIXED = {FIXED}, "
                  f"FM_ROUTINES_ADDED_BYTES = {sum(len(text) + 1 for text in added(routines))} }};\n\nenum fm_routine {{\n")
        for name in names:
            out.write(f"    FM_R_{name},\n")
        out.write("    FM_ROUTINE_COUNT\n};\n\nenum fm_class {\n")
        for name in CLASSES:
            out.write(f"    FM_CLASS_{name},\n")
        out.write("""};

extern __attribute__((visibility("hidden"))) const unsigned char fm_routine_classes[FM_ROUTINE_COUNT];

/* All names in one string: pointers to them would have to be relocated in every process that loads us. */
extern __attribute__((visibility("hidden"))) const char fm_routine_text[];
extern __attribute__((visibility("hidden"))) const unsigned short fm_routine_places[FM_ROUTINE_COUNT];

static inline const char *fm_routine_name(unsigned routine)
{
    return fm_routine_text + fm_routine_places[routine];
}

/* The routines after the first FM_ROUTINES_FIXED as a segment names them: class and name of each, NUL-terminated. */
extern __attribute__((visibility("hidden"))) const char fm_routines_added[FM_ROUTINES_ADDED_BYTES + 1];

#endif
""")


def write_routines(path, routines):
    with open(path, "w", encoding="utf-8") as out:
        out.write('/* Generated from calls.table. */\n#include "generated/routines.h"\n\n')
        out.write('const char fm_routine_text[] =')
        for name, _, _ in routines:
            out.write(f'\n    "{name}\\0"')
        out.write(";\n\nconst unsigned short fm_routine_places[FM_ROUTINE_COUNT] = {\n")
        place = 0
        for name, _, _ in routines:
            out.write(f"    {place},\n")
            place += len(name) + 1
        out.write("};\n\nconst unsigned char fm_routine_classes[FM_ROUTINE_COUNT] = {\n")
        for _, kind, _ in routines:
            out.write(f"    FM_CLASS_{KINDS[kind][0]},\n")
        out.write("};\n\nconst char fm_routines_added[FM_ROUTINES_ADDED_BYTES + 1] = \"\"")
        for text in added(routines):
            out.write(f'\n    "{text}\\0"')
        out.write(";\n")


def write_wrappers(path, routines):
    with open(path, "w", encoding="utf-8") as out:
        out.write('/* Generated from calls.table: wrappers of MPI_X and PMPI_X for every routine. */\n')
        out.write('#include "runtime/counters/mpi_calls.h"\n#include "runtime/mpi/fast_path.h"\n\n')
        for name, kind, words in routines:
            if kind not in UNWRAPPED:
                out.write(wrappers(name, kind, words))
        for name in FORTRAN_DIRECT + FORTRAN_EMPTY:
            for suffix in ("_", "_f08_"):
                out.write(fortran_wrapper(name.lower() + suffix, name, name in FORTRAN_EMPTY))


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    routines = read_table(sys.argv[1])
    write_header(sys.argv[2], routines)
    write_routines(sys.argv[3], routines)
    write_wrappers(sys.argv[4], routines)


main()
