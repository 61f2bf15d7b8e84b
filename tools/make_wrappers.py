#!/usr/bin/env python3
"""Turns src/measure/mpi/calls.table into routines.h (names and classes) and wrappers.c (MPI_X and PMPI_X, and a few
Fortran names).

usage: make_wrappers.py TABLE ROUTINES_H WRAPPERS_C

The wrappers hold no logic: they enter a call, pass every argument on as a register-sized word, and hand the
arguments that mean something to the hook of the routine's kind (src/measure/mpi/hooks.h, and quick.h for ordinary
calls of frequent routines).
"""
import sys
import zlib

# kind: (class, arguments of fm_before_<kind> or None, arguments of fm_after_<kind>)
# "&x" lets the hook replace the argument; a name the routine lacks is passed as zero.
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
    "reduce": ("COLLECTIVE", None, ["count", "type", "root", "comm"]),
    "allreduce": ("COLLECTIVE", None, ["count", "type", "comm"]),
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
    "file_read": ("IO", ["&status"], ["count", "type"]),
    "file_write": ("IO", None, ["count", "type"]),
    "cart_create": ("OTHER", None, ["comm", "ndims", "dims", "newcomm"]),
    "comm_free": ("OTHER", ["comm"], []),
    "type_free": ("OTHER", ["type"], []),
    "win_free": ("OTHER", ["win"], []),
    "init": ("OTHER", None, []),
    "init_thread": ("OTHER", None, ["provided"]),
    "finalize": ("OTHER", [], []),
    "session_finalize": ("OTHER", None, []),
    "abort": ("OTHER", ["errorcode"], []),
    "real": ("OTHER", None, ["comm"]),
    "aint": ("OTHER", None, ["comm"]),
    "handle": ("OTHER", None, ["comm"]),
    "pcontrol": ("OTHER", None, []),
}
SIMPLE_KINDS = {"new_comm": "plain", "new_type": "plain", "real": "plain", "aint": "plain", "handle": "plain"}
# Kinds with a hook for calls that are not entered: the process is not measured, or it is inside another call.
MISSED = {"init": "fm_missed_init", "init_thread": "fm_missed_init"}
COUNTS = {"count", "scount", "rcount", "partitions"}
COUNT_ARRAYS = {"scounts", "rcounts"}
RANKS = {"dest", "source", "root", "target", "errorcode", "ndims"}
# Routines whose Fortran bindings do not call the C ones, in one MPI or both: they are wrapped by their Fortran names
# as well. All arguments go by reference, six at most.
FORTRAN_DIRECT = [
    "MPI_Aint_add", "MPI_Aint_diff", "MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_create_errhandler",
    "MPI_Comm_create_keyval", "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Errhandler_create",
    "MPI_File_create_errhandler", "MPI_Keyval_create", "MPI_Type_create_keyval", "MPI_Type_get_attr",
    "MPI_Type_match_size", "MPI_Type_set_attr", "MPI_Win_create_errhandler", "MPI_Win_create_keyval",
    "MPI_Win_get_attr", "MPI_Win_set_attr",
]
# Kinds whose ordinary calls never leave their wrapper (src/measure/mpi/quick.h): arguments of fm_quick_before_<kind>,
# if there is one ("own" is a status of ours; it may decline, if it is in DECLINING), and of fm_quick_after_<kind>.
QUICK = {
    "plain": (None, ["comm"]),
    "send": (None, ["count", "type", "dest", "comm"]),
    "receive": (["&status", "own"], ["count", "source", "comm", "status"]),
    "post_receive": (None, ["count", "source", "comm", "request"]),
    "sendrecv": (["&status", "own"], ["scount", "stype", "dest", "comm", "status"]),
    "wait": (["request", "&status", "own"], ["status"]),
    "test": (["request", "&status", "own"], ["request", "flag", "status"]),
    "waitall": (["count", "requests", "&statuses"], ["count", "requests", "statuses"]),
    "barrier": (None, ["comm"]),
    "allreduce": (None, ["count", "type", "comm"]),
}
DECLINING = {"waitall"}
# Of the plain ones, those that programs call by the million; the wrappers of the others are small.
FREQUENT_PLAIN = {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Probe", "MPI_Iprobe", "MPI_Get_count", "MPI_Win_flush",
                  "MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_fence", "MPI_Wtime"}
CLASSES = ["OTHER", "SEND", "RECEIVE", "COLLECTIVE", "WAIT", "RMA", "IO", "SENDRECV"]


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
    return routines


def expression(name, words):
    """The C expression that hands argument `name` to a hook."""
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


def is_quick(name, hook):
    return hook in QUICK and (name in FREQUENT_PLAIN if hook == "plain" else not name.endswith(("_c", "_init")))


def expressions(names, words):
    return "".join(", " + ("own" if name == "own" else expression(name, words)) for name in names)


def hooked(kind, words, result, call):
    """The real call between the hooks of its kind."""
    hook = SIMPLE_KINDS.get(kind, kind)
    _, before, after = KINDS[kind]
    before_line = "" if before is None else f"    fm_before_{hook}(&call{expressions(before, words)});\n"
    return f"""{before_line}    {result} result = {call};
    fm_call_returned(&call);
    fm_after_{hook}(&call, (int){"0" if kind == "real" else "result"}{expressions(after, words)});
    return result;
}}

"""


def quick(name, kind, words, result, call, is_pmpi, otherwise):
    """The body of a wrapper whose ordinary calls never leave it."""
    hook = SIMPLE_KINDS.get(kind, kind)
    before, after = QUICK[hook]
    routine, number = f"FM_R_{name}", f"2 * FM_R_{name} + {is_pmpi}"
    named = "true" if is_pmpi else "false"
    text = f"""    struct fm_quick quick;
    fm_function *next = fm_next_table[{number}];
    if (FM_UNLIKELY(!next || !fm_quick_begin(&quick, {routine}, frame)))
        return any_{name}({otherwise});
"""
    if before:
        if "own" in before:
            text += "    _Alignas(8) char own[FM_STATUS_BYTES];\n"
        line = f"fm_quick_before_{hook}(&quick{expressions(before, words)})"
        if hook in DECLINING:
            values = ", ".join(f"a{i}" for i in range(len(words)))
            text += f"""    if (FM_UNLIKELY(!{line})) {{
        struct fm_quick begun = quick;
        return rest_{name}(&begun, {named}, next, {values});
    }}
"""
        else:
            text += f"    {line};\n"
    code = "0" if kind == "real" else "result"
    return text + f"""    {result} result = {call};
    fm_quick_after_{hook}(&quick, {routine}, {named}, (int){code}{expressions(after, words)});
    return result;
}}

"""


def wrappers(name, kind, words):
    """MPI_X and PMPI_X; what does the work for both, or where their own is quick, that of unusual calls; and what goes
    on with a call that turned out to be unusual."""
    parameters = [f"fm_word a{i}" for i in range(len(words))]
    values = [f"a{i}" for i in range(len(words))]
    types = ", ".join(["fm_word"] * len(words)) or "void"
    result = "double" if kind == "real" else "fm_word"
    hook = SIMPLE_KINDS.get(kind, kind)
    call = f"(({result} (*)({types}))next)({', '.join(values)})"
    passed = f"({call})" if kind in MISSED else call
    frame = ["uintptr_t pc", "uintptr_t sp", "const uintptr_t *fp"]
    text = f"""FM_COLD static {result} any_{name}({', '.join([*parameters, "bool is_pmpi", *frame])})
{{
    struct fm_call call;
    fm_function *next = fm_next(2 * FM_R_{name} + is_pmpi);
    if (!fm_call_enter(&call, FM_R_{name}, is_pmpi, (struct fm_frame){{pc, sp, fp}}))
        return {MISSED.get(kind, "")}{passed};
{hooked(kind, words, result, call)}"""
    if is_quick(name, hook) and hook in DECLINING:
        begun = ["const struct fm_quick *quick", "bool is_pmpi", "fm_function *next"]
        text += f"""FM_COLD static {result} rest_{name}({', '.join([*begun, *parameters])})
{{
    struct fm_call call;
    fm_quick_hand_over(quick, FM_R_{name}, is_pmpi, 0, &call);
{hooked(kind, words, result, call)}"""
    for prefix, is_pmpi in (("", 0), ("P", 1)):
        rest = ", ".join([*values, "true" if is_pmpi else "false", "frame.pc", "frame.sp", "frame.fp"])
        text += f"""FM_EXPORT {result} {prefix}{name}({', '.join(parameters) or "void"})
{{
    struct fm_frame frame = FM_CALLER_FRAME();
"""
        if is_quick(name, hook):
            text += quick(name, kind, words, result, call, is_pmpi, rest)
        else:
            text += f"""    return any_{name}({rest});
}}

"""
    return text


def fortran_wrapper(symbol, name):
    parameters = ", ".join(f"fm_word a{i}" for i in range(6))
    values = ", ".join(f"a{i}" for i in range(6))
    call = f"((fm_word (*)({', '.join(['fm_word'] * 6)}))next)({values})"
    return f"""FM_EXPORT fm_word {symbol}({parameters})
{{
    static fm_function *known;
    fm_function *next = fm_next_fortran(&known, "{symbol}");
    struct fm_call call;
    if (!fm_call_enter(&call, FM_R_{name}, false, FM_CALLER_FRAME()))
        return {call};
    fm_word result = {call};
    fm_call_returned(&call);
    fm_after_plain(&call, 0, 0);
    return result;
}}

"""


def write_routines(path, routines):
    names = [name for name, _, _ in routines]
    fingerprint = zlib.crc32("\n".join(names).encode())
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* Made from calls.table: the numbers, names and classes of the MPI routines. */\n")
        out.write("#ifndef FM_GENERATED_ROUTINES_H\n#define FM_GENERATED_ROUTINES_H\n\n")
        out.write(f"#define FM_ROUTINES_FINGERPRINT {fingerprint:#x}u\n\nenum fm_routine {{\n")
        for name in names:
            out.write(f"    FM_R_{name},\n")
        out.write("    FM_ROUTINE_COUNT\n};\n\nenum fm_class {\n")
        for name in CLASSES:
            out.write(f"    FM_CLASS_{name},\n")
        out.write("};\n\n__attribute__((unused)) static const char *const fm_routine_names[FM_ROUTINE_COUNT] = {\n")
        for name in names:
            out.write(f'    "{name}",\n')
        out.write("};\n\n__attribute__((unused)) static const unsigned char fm_routine_classes[FM_ROUTINE_COUNT] = {\n")
        for _, kind, _ in routines:
            out.write(f"    FM_CLASS_{KINDS[kind][0]},\n")
        out.write("};\n\n#endif\n")


def write_wrappers(path, routines):
    with open(path, "w", encoding="utf-8") as out:
        out.write('/* Made from calls.table: a wrapper for MPI_X and for PMPI_X of every routine. */\n')
        out.write('#include "measure/mpi/quick.h"\n\nfm_function *fm_next_table[2 * FM_ROUTINE_COUNT];\n\n')
        for name, kind, words in routines:
            if kind != "pcontrol":  # variadic: hand-written in pcontrol.c
                out.write(wrappers(name, kind, words))
        for name in FORTRAN_DIRECT:
            for suffix in ("_", "_f08_"):
                out.write(fortran_wrapper(name.lower() + suffix, name))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    routines = read_table(sys.argv[1])
    write_routines(sys.argv[2], routines)
    write_wrappers(sys.argv[3], routines)


main()
